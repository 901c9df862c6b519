import { type Amount, add, multiply } from '../../model/amount.ts';
import type { CalendarDay } from '../../model/time.ts';

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
