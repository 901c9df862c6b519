import { type Amount, add, isNegative, max, min, multiply, negate, subtract } from '../../model/amount.ts';
import type { Side } from '../../model/order.ts';
import type { CalendarDay } from '../../model/time.ts';

/** Money of trades that have not settled; what is to be received and to be paid is positive. */
export interface UnsettledSums {
  readonly receivable: Amount;
  readonly payable: Amount;
  /** What short sales are still to bring, less what buying them back is still to cost. */
  readonly short: Amount;
}

const NOTHING: UnsettledSums = { receivable: 0, payable: 0, short: 0 };

interface Entry {
  readonly market: string;
  readonly day: CalendarDay;
  receivable: Amount;
  payable: Amount;
  short: Amount;
}

/** What one currency still has to receive and to pay, by settlement day. */
export class Unsettled {
  #entries: Entry[] = [];

  /**
   * Adds a trade's cash movement: positive is to be received, negative to be paid, on the settlement day; `short` is what of it opens
   * a short position, or takes one back.
   */
  add(market: string, day: CalendarDay, amount: Amount, short: Amount = 0): void {
    let entry = this.#entries.findLast((known) => known.market === market && known.day === day);
    if (entry === undefined) {
      entry = { market, day, receivable: 0, payable: 0, short: 0 };
      this.#entries.push(entry);
    }
    entry.short = add(entry.short, short);
    if (isNegative(amount)) entry.payable = subtract(entry.payable, amount);
    else entry.receivable = add(entry.receivable, amount);
  }

  /** Sums what has not settled; `today` tells each market's own day. Entries settle when their day begins. */
  sums(today: (market: string) => CalendarDay): UnsettledSums {
    if (this.#entries.length === 0) return NOTHING;
    this.#entries = this.#entries.filter((entry) => entry.day > today(entry.market));
    let { receivable, payable, short } = NOTHING;
    for (const entry of this.#entries) {
      receivable = add(receivable, entry.receivable);
      payable = add(payable, entry.payable);
      short = add(short, entry.short);
    }
    return { receivable, payable, short };
  }
}

/** Shares of one symbol that short sales and purchases to cover them have not delivered yet, by settlement day. */
export class UnsettledShares {
  #entries: { readonly day: CalendarDay; quantity: Amount }[] = [];

  /** Adds what a trade opens of a short position, below zero what it closes. */
  add(day: CalendarDay, quantity: Amount): void {
    const entry = this.#entries.findLast((known) => known.day === day);
    if (entry === undefined) this.#entries.push({ day, quantity });
    else entry.quantity = add(entry.quantity, quantity);
  }

  /** All that is still to be delivered once a day has begun; what that day settles is delivered. */
  sum(today: CalendarDay): Amount {
    if (this.#entries.length === 0) return 0;
    this.#entries = this.#entries.filter(({ day }) => day > today);
    return this.#entries.reduce<Amount>((sum, { quantity }) => add(sum, quantity), 0);
  }

  /** Counts them in new shares, `ratio` for one. */
  split(ratio: Amount): void {
    for (const entry of this.#entries) entry.quantity = multiply(entry.quantity, ratio, 'exact');
  }
}

/** Shares of a fill that open a short position, or below zero those that take one back. */
export function shortPart(held: Amount, side: Side, quantity: Amount): Amount {
  return side === 'sell'
    ? subtract(quantity, min(quantity, max(0, held)))
    : negate(min(quantity, max(0, negate(held))));
}

/** How many of the shares sold short are borrowed on a day: a loan begins when the sale settles, and ends when the purchase does. */
export function borrowedShares(
  held: Amount,
  unsettled: UnsettledShares | undefined,
  day: CalendarDay,
): Amount {
  return max(0, subtract(max(0, negate(held)), unsettled?.sum(day) ?? 0));
}
