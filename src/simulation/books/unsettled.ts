import { type Decimal, ZERO } from '../../model/decimal.ts';
import type { CalendarDay } from '../../model/time.ts';

/** Money of trades that have not settled; what is to be received and to be paid is positive. */
export interface UnsettledSums {
  readonly receivable: Decimal;
  readonly payable: Decimal;
  /** What short sales are still to bring, less what buying them back is still to cost. */
  readonly short: Decimal;
}

interface Entry {
  readonly market: string;
  readonly day: CalendarDay;
  receivable: Decimal;
  payable: Decimal;
  short: Decimal;
}

/** What one currency still has to receive and to pay, by settlement day. */
export class Unsettled {
  #entries: Entry[] = [];

  /**
   * Adds a trade's cash movement: positive is to be received, negative to be paid, on the settlement day; `short` is what of it opens
   * a short position, or takes one back.
   */
  add(market: string, day: CalendarDay, amount: Decimal, short: Decimal = ZERO): void {
    let entry = this.#entries.findLast((known) => known.market === market && known.day === day);
    if (entry === undefined) {
      entry = { market, day, receivable: ZERO, payable: ZERO, short: ZERO };
      this.#entries.push(entry);
    }
    entry.short = entry.short.plus(short);
    if (amount.isNegative()) entry.payable = entry.payable.minus(amount);
    else entry.receivable = entry.receivable.plus(amount);
  }

  /** Sums what has not settled; `today` tells each market's own day. Entries settle when their day begins. */
  sums(today: (market: string) => CalendarDay): UnsettledSums {
    this.#entries = this.#entries.filter((entry) => entry.day > today(entry.market));
    return this.#entries.reduce<UnsettledSums>(
      (sums, entry) => ({
        receivable: sums.receivable.plus(entry.receivable),
        payable: sums.payable.plus(entry.payable),
        short: sums.short.plus(entry.short),
      }),
      { receivable: ZERO, payable: ZERO, short: ZERO },
    );
  }
}
