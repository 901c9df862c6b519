import { type Amount, add, isNegative, max, min, multiply, negate, subtract } from '../../model/amount.ts';
import type { Side } from '../../model/order.ts';
import type { CalendarDay } from '../../model/time.ts';

/** Cash of unsettled trades. Receivable and payable are both positive. */
export interface UnsettledSums {
  readonly receivable: Amount;
  readonly payable: Amount;
  /** Unsettled proceeds of short sales less unsettled cost of covering them. */
  readonly short: Amount;
}

const NO_SUMS: UnsettledSums = { receivable: 0, payable: 0, short: 0 };

interface Entry {
  readonly market: string;
  readonly day: CalendarDay;
  receivable: Amount;
  payable: Amount;
  short: Amount;
}

export class Unsettled {
  #entries: Entry[] = [];

  /**
   * Adds a trade's cash movement (positive: receivable) for its settlement day. `short` is the part of the trade's
   * value that opens (positive) or covers (negative) a short position.
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

  /** Sums unsettled entries; `today` returns the current day of a market. An entry settles when its day begins. */
  sums(today: (market: string) => CalendarDay): UnsettledSums {
    if (this.#entries.length === 0) return NO_SUMS;
    this.#entries = this.#entries.filter((entry) => entry.day > today(entry.market));
    let { receivable, payable, short } = NO_SUMS;
    for (const entry of this.#entries) {
      receivable = add(receivable, entry.receivable);
      payable = add(payable, entry.payable);
      short = add(short, entry.short);
    }
    return { receivable, payable, short };
  }
}

/** Unsettled shares of short sales and covering purchases of one symbol, by settlement day. */
export class UnsettledShares {
  #entries: { readonly day: CalendarDay; quantity: Amount }[] = [];

  /** Adds shares that a trade sells short, or covers if negative. */
  add(day: CalendarDay, quantity: Amount): void {
    const entry = this.#entries.findLast((known) => known.day === day);
    if (entry === undefined) this.#entries.push({ day, quantity });
    else entry.quantity = add(entry.quantity, quantity);
  }

  /** Sums the shares that settle after `today`; those of `today` count as settled. */
  sum(today: CalendarDay): Amount {
    if (this.#entries.length === 0) return 0;
    this.#entries = this.#entries.filter(({ day }) => day > today);
    return this.#entries.reduce<Amount>((sum, { quantity }) => add(sum, quantity), 0);
  }

  /** Converts to new shares after a split, `ratio` for one. */
  split(ratio: Amount): void {
    for (const entry of this.#entries) entry.quantity = multiply(entry.quantity, ratio, 'exact');
  }
}

/** Returns the shares of a fill that open a short position, or as a negative number those that cover one. */
export function shortPart(held: Amount, side: Side, quantity: Amount): Amount {
  return side === 'sell'
    ? subtract(quantity, min(quantity, max(0, held)))
    : negate(min(quantity, max(0, negate(held))));
}

/**
 * Returns how many shares sold short are borrowed on a day: from settlement of the sale to settlement of the covering
 * purchase.
 */
export function borrowedShares(
  held: Amount,
  unsettled: UnsettledShares | undefined,
  day: CalendarDay,
): Amount {
  return max(0, subtract(max(0, negate(held)), unsettled?.sum(day) ?? 0));
}
