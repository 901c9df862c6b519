import type { EquityCurve } from '../../events/curve/curve-input.ts';
import { type FillColumns, UNITS } from '../../events/curve/fill-columns.ts';
import type { BarRows } from '../../model/bar-rows.ts';
import { NEVER } from '../../model/time.ts';
import type { SplitAdjustment } from '../../signals/split-adjustment.ts';
import { CurveWalk, type HeldOverTime, WholeCurve } from '../curve-walk.ts';
import { PlaceList } from '../place-list.ts';
import { BarWindow } from './bar-window.ts';
import type { AppliedAction } from './corporate-actions.ts';
import type { BookedInterest } from './interest-days.ts';
import { fromUnits } from './units.ts';

/** All that tells what is held when: cash at the begin, in units, the fills, the corporate actions among them, and interest. */
export interface Booked {
  readonly opening: number;
  readonly fills: FillColumns;
  readonly actions: readonly AppliedAction[];
  readonly interest: readonly Pick<BookedInterest, 'at' | 'cash'>[];
}

/** What is held at an instant, computed from what was booked, with the same sums as the account; more may be booked later. */
export class Holdings implements HeldOverTime {
  /** In the currency. */
  cash = Number.NaN;
  readonly list: PlaceList;
  readonly quantity: Float64Array;
  readonly rate: Float64Array;
  /** When it changes next: a close at or after this instant is marked with the change. NEVER after the last that is noted. */
  until: number = NEVER;
  readonly #fills: FillColumns;
  readonly #actions: readonly AppliedAction[];
  readonly #interest: Booked['interest'];
  #units = Number.NaN;
  #fill = 0;
  #action = 0;
  #posting = 0;

  constructor(places: number, { opening, fills, actions, interest }: Booked) {
    this.#units = opening;
    this.cash = fromUnits(opening);
    this.list = new PlaceList(places);
    this.quantity = new Float64Array(places);
    this.rate = new Float64Array(places).fill(1);
    this.#fills = fills;
    this.#actions = actions;
    this.#interest = interest;
    this.listen();
  }

  /** Looks whether anything has been noted since. */
  listen(): void {
    const { at, length } = this.#fills;
    this.until = this.#fill < length ? changeAt(at[this.#fill] as number) : NEVER;
    const action = this.#actions[this.#action];
    if (action !== undefined && action.at < this.until) this.until = action.at;
    const posting = this.#interest[this.#posting];
    if (posting !== undefined && posting.at < this.until) this.until = posting.at;
  }

  goTo(now: number): void {
    for (
      let action = this.#actions[this.#action];
      action !== undefined && action.at <= now;
      action = this.#actions[this.#action]
    ) {
      // Those before it count before its instant.
      this.#fillUntil(action.at);
      this.#units += action.cash;
      this.#hold(action.place, action.shares);
      this.#action += 1;
    }
    this.#fillUntil(now);
    for (
      let posting = this.#interest[this.#posting];
      posting !== undefined && posting.at <= now;
      posting = this.#interest[this.#posting]
    ) {
      this.#units += posting.cash;
      this.#posting += 1;
    }
    this.cash = fromUnits(this.#units);
    this.listen();
  }

  #fillUntil(now: number): void {
    const { length, security, at, price, quantity, fee } = this.#fills;
    while (this.#fill < length && changeAt(at[this.#fill] as number) <= now) {
      const fill = this.#fill;
      const shares = quantity[fill] as number;
      this.#units -= Math.round((price[fill] as number) * UNITS) * shares + (fee[fill] as number);
      this.#hold(security[fill] as number, shares);
      this.#fill = fill + 1;
    }
  }

  #hold(place: number, shares: number): void {
    const before = this.quantity[place] as number;
    const now = before + shares;
    this.quantity[place] = now;
    if (before === 0 && now !== 0) this.list.add(place);
    else if (before !== 0 && now === 0) this.list.drop(place);
  }
}

/** What is filled counts from the next close on. */
const changeAt = (at: number): number => at + 1;

/** Equity after each instant at which bars closed, over the bars from `firstBars` on. Bars are gone through once more for it. */
export function equityOfHoldings(
  rows: readonly BarRows[],
  firstBars: readonly number[],
  booked: Booked,
  changes: readonly (readonly SplitAdjustment[])[],
): EquityCurve {
  const lines = rows.map((each) => new BarWindow(each));
  const most = rows.reduce((sum, { length }, place) => sum + length - (firstBars[place] ?? 0), 0);
  const takes = new WholeCurve(rows.length === 1 ? most : 0);
  const held = new Holdings(rows.length, booked);
  const walk = new CurveWalk({ lines, firstBars, changes, held, takes });
  for (;;) {
    const until = lines.reduce<number>((least, line) => Math.min(least, lastClose(line)), NEVER);
    walk.goTo(until);
    if (until === NEVER) return takes.curve();
    for (const line of lines) if (lastClose(line) === until) line.advance(line.end);
  }
}

function lastClose({ closes, isLast }: BarWindow): number {
  return isLast ? NEVER : (closes[closes.length - 1] as number);
}
