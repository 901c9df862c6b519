import { type Amount, add, isNegative, subtract } from '../../model/amount.ts';
import type { CalendarDay } from '../../model/time.ts';

/** Money of trades that have not settled; what is to be received and to be paid is positive. */
export interface UnsettledSums {
  readonly receivable: Amount;
  readonly payable: Amount;
  /** What short sales are still to bring, less what buying them back is still to cost. */
  readonly short: Amount;
}

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
    this.#entries = this.#entries.filter((entry) => entry.day > today(entry.market));
    return this.#entries.reduce<UnsettledSums>(
      (sums, entry) => ({
        receivable: add(sums.receivable, entry.receivable),
        payable: add(sums.payable, entry.payable),
        short: add(sums.short, entry.short),
      }),
      { receivable: 0, payable: 0, short: 0 },
    );
  }
}
