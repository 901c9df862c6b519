import type { FillColumns } from '../../events/curve/fill-columns.ts';
import { dayOf } from '../../markets/sessions.ts';
import { settlementDay } from '../../markets/settlement.ts';
import {
  type Amount,
  absolute,
  amountOfDouble,
  multiply,
  negate,
  ONE,
  subtract,
} from '../../model/amount.ts';
import type { Side } from '../../model/order.ts';
import type { Market } from '../../model/symbol.ts';
import { type CalendarDay, type Millis, millis } from '../../model/time.ts';
import {
  borrowedShares,
  shortPart,
  Unsettled,
  UnsettledShares,
  type UnsettledSums,
} from '../../simulation/books/unsettled.ts';
import type { AppliedAction } from './corporate-actions.ts';

/** Unsettled money on both sides and unsettled short sales of a run. Fills are read on demand. */
export class Settlements {
  readonly #market: Market;
  readonly #fills: FillColumns;
  readonly #unsettled = new Unsettled();
  /** By security; only of those ever sold short. */
  readonly #shares: (UnsettledShares | undefined)[] = [];
  readonly #held: Float64Array;
  /** The latest settlement day. */
  #latest: CalendarDay | undefined;
  /** Row of the first unread fill. */
  #next = 0;
  #actionCount = 0;

  constructor(market: Market, places: number, fills: FillColumns) {
    this.#market = market;
    this.#fills = fills;
    this.#held = new Float64Array(places);
  }

  unsettled(at: Millis): UnsettledSums {
    this.#readFills();
    return this.#unsettled.sums((market) => dayOf(market, at));
  }

  /** Returns the borrowed shares of a security on a day. */
  borrowed(place: number, day: CalendarDay): Amount {
    this.#readFills();
    const shares = this.#shares[place];
    const held = (this.#held[place] as number) * ONE;
    return shares === undefined && held >= 0 ? 0 : borrowedShares(held, shares, day);
  }

  /** Returns whether all money of trades and dividends has settled on a day, and with it their shares. */
  isSettled(day: CalendarDay): boolean {
    this.#readFills();
    return this.#latest === undefined || this.#latest <= day;
  }

  /** Number of fills and corporate actions that changed positions so far. */
  get changes(): number {
    this.#readFills();
    return this.#next + this.#actionCount;
  }

  /** Converts unsettled shares to the share basis after a split, even if there is no position at the moment. */
  split(place: number, ratio: Amount): void {
    this.#readFills();
    this.#actionCount += 1;
    this.#shares[place]?.split(ratio);
  }

  /** Adds a corporate action that was booked on a position. */
  bookAction({ place, shares, cash, action }: AppliedAction): void {
    this.#readFills();
    this.#actionCount += 1;
    this.#held[place] = (this.#held[place] as number) + shares;
    if (action.kind === 'dividend' && action.payDay !== undefined) this.#add(action.payDay, cash, 0);
  }

  #readFills(): void {
    const { length } = this.#fills;
    for (; this.#next < length; this.#next += 1) this.#bookFill(this.#next);
  }

  /** Books a fill like the venue's books. */
  #bookFill(row: number): void {
    const { security, at, price, quantity, fee } = this.#fills;
    const place = security[row] as number;
    const signed = (quantity[row] as number) * ONE;
    const each = amountOfDouble(price[row] as number);
    const before = (this.#held[place] as number) * ONE;
    const side: Side = signed > 0 ? 'buy' : 'sell';
    const short = shortPart(before, side, absolute(signed));
    const settles = settlementDay(this.#market, dayOf(this.#market, millis(at[row] as number)));
    const cash = subtract(negate(multiply(each, signed, 'exact')), fee[row] as number);
    this.#add(settles, cash, multiply(short, each, 'exact'));
    if (short !== 0) this.#sharesOf(place).add(settles, short);
    this.#held[place] = (this.#held[place] as number) + (quantity[row] as number);
  }

  #add(day: CalendarDay, cash: Amount, short: Amount): void {
    this.#unsettled.add(this.#market, day, cash, short);
    if (this.#latest === undefined || day > this.#latest) this.#latest = day;
  }

  #sharesOf(place: number): UnsettledShares {
    let shares = this.#shares[place];
    if (shares === undefined) {
      shares = new UnsettledShares();
      this.#shares[place] = shares;
    }
    return shares;
  }
}
