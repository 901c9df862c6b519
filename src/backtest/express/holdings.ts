import type { EquityCurve } from '../../events/curve/curve-input.ts';
import { type FillColumns, UNITS } from '../../events/curve/fill-columns.ts';
import type { BarRows } from '../../model/bar-rows.ts';
import { NEVER } from '../../model/time.ts';
import type { SplitAdjustment } from '../../signals/split-adjustment.ts';
import { CurveColumns, CurveWalk, type PortfolioOverTime } from '../curve-walk.ts';
import { SecurityIndexList } from '../security-index-list.ts';
import { BarWindow } from './bar-window.ts';
import type { AppliedAction } from './corporate-actions.ts';
import type { BookedInterest } from './interest-days.ts';
import { fromUnits } from './units.ts';

/**
 * All data that determines cash and positions over time: opening cash in units, fills, corporate actions among them,
 * and interest.
 */
export interface Bookings {
  readonly opening: number;
  readonly fills: FillColumns;
  readonly actions: readonly AppliedAction[];
  readonly interest: readonly Pick<BookedInterest, 'at' | 'cash'>[];
}

/**
 * Cash and positions at a time, computed from bookings with the same sums as the account; further bookings may
 * follow.
 */
export class Holdings implements PortfolioOverTime {
  /** In the currency. */
  cash = Number.NaN;
  readonly list: SecurityIndexList;
  readonly quantity: Float64Array;
  readonly rate: Float64Array;
  /** Time of the next change, which applies to closes from then on; NEVER after the last known one. */
  nextChangeAt: number = NEVER;
  readonly #fills: FillColumns;
  readonly #actions: readonly AppliedAction[];
  readonly #interest: Bookings['interest'];
  #units = Number.NaN;
  #fill = 0;
  #action = 0;
  #posting = 0;

  constructor(places: number, { opening, fills, actions, interest }: Bookings) {
    this.#units = opening;
    this.cash = fromUnits(opening);
    this.list = new SecurityIndexList(places);
    this.quantity = new Float64Array(places);
    this.rate = new Float64Array(places).fill(1);
    this.#fills = fills;
    this.#actions = actions;
    this.#interest = interest;
    this.updateNextChange();
  }

  /** Updates `nextChangeAt` after new bookings. */
  updateNextChange(): void {
    const { at, length } = this.#fills;
    this.nextChangeAt = this.#fill < length ? effectiveAt(at[this.#fill] as number) : NEVER;
    const action = this.#actions[this.#action];
    if (action !== undefined && action.at < this.nextChangeAt) this.nextChangeAt = action.at;
    const posting = this.#interest[this.#posting];
    if (posting !== undefined && posting.at < this.nextChangeAt) this.nextChangeAt = posting.at;
  }

  goTo(now: number): void {
    for (
      let action = this.#actions[this.#action];
      action !== undefined && action.at <= now;
      action = this.#actions[this.#action]
    ) {
      // Fills before the action take effect first.
      this.#applyFillsUntil(action.at);
      this.#units += action.cash;
      this.#addShares(action.place, action.shares);
      this.#action += 1;
    }
    this.#applyFillsUntil(now);
    for (
      let posting = this.#interest[this.#posting];
      posting !== undefined && posting.at <= now;
      posting = this.#interest[this.#posting]
    ) {
      this.#units += posting.cash;
      this.#posting += 1;
    }
    this.cash = fromUnits(this.#units);
    this.updateNextChange();
  }

  #applyFillsUntil(now: number): void {
    const { length, security, at, price, quantity, fee } = this.#fills;
    while (this.#fill < length && effectiveAt(at[this.#fill] as number) <= now) {
      const fill = this.#fill;
      const shares = quantity[fill] as number;
      this.#units -= Math.round((price[fill] as number) * UNITS) * shares + (fee[fill] as number);
      this.#addShares(security[fill] as number, shares);
      this.#fill = fill + 1;
    }
  }

  #addShares(place: number, shares: number): void {
    const before = this.quantity[place] as number;
    const now = before + shares;
    this.quantity[place] = now;
    if (before === 0 && now !== 0) this.list.add(place);
    else if (before !== 0 && now === 0) this.list.drop(place);
  }
}

/** A fill takes effect from the next close on. */
const effectiveAt = (at: number): number => at + 1;

/** Returns equity after each bar close, from `firstBars` on. Reads all bars again. */
export function equityOfHoldings(
  rows: readonly BarRows[],
  firstBars: readonly number[],
  booked: Bookings,
  splits: readonly (readonly SplitAdjustment[])[],
): EquityCurve {
  const series = rows.map((each) => new BarWindow(each));
  const barCount = rows.reduce((sum, { length }, place) => sum + length - (firstBars[place] ?? 0), 0);
  const curve = new CurveColumns(rows.length === 1 ? barCount : 0);
  const portfolio = new Holdings(rows.length, booked);
  const walk = new CurveWalk({ series, firstBars, splits, portfolio, output: curve });
  for (;;) {
    const until = series.reduce<number>((least, bars) => Math.min(least, lastClose(bars)), NEVER);
    walk.goTo(until);
    if (until === NEVER) return curve.curve();
    for (const bars of series) if (lastClose(bars) === until) bars.advance(bars.end);
  }
}

function lastClose({ closes, isLast }: BarWindow): number {
  return isLast ? NEVER : (closes[closes.length - 1] as number);
}
