import { type Quantity, ZERO } from '../../model/decimal.ts';
import type { CalendarDay } from '../../model/time.ts';

/** Shares of one symbol that short sales and purchases to cover them have not delivered yet, by settlement day. */
export class UnsettledShares {
  #entries: { readonly day: CalendarDay; quantity: Quantity }[] = [];

  /** Adds what a trade opens of a short position, below zero what it takes back. */
  add(day: CalendarDay, quantity: Quantity): void {
    const entry = this.#entries.findLast((known) => known.day === day);
    if (entry === undefined) this.#entries.push({ day, quantity });
    else entry.quantity = entry.quantity.plus(quantity);
  }

  /** All that is still to be delivered once a day has begun; what that day settles is delivered. */
  sum(today: CalendarDay): Quantity {
    this.#entries = this.#entries.filter(({ day }) => day > today);
    return this.#entries.reduce<Quantity>((sum, { quantity }) => sum.plus(quantity), ZERO);
  }

  /** Counts them in new shares, `ratio` for one. */
  split(ratio: Quantity): void {
    for (const entry of this.#entries) entry.quantity = entry.quantity.times(ratio);
  }
}
