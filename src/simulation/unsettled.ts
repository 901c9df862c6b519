import { type Decimal, ZERO } from '../model/decimal.ts';
import type { CalendarDay } from '../model/time.ts';

/** Money of trades that have not settled; both figures are positive. */
export interface UnsettledSums {
  readonly receivable: Decimal;
  readonly payable: Decimal;
}

interface Entry {
  readonly market: string;
  readonly day: CalendarDay;
  receivable: Decimal;
  payable: Decimal;
}

/** What one currency still has to receive and to pay, by settlement day. */
export class Unsettled {
  #entries: Entry[] = [];

  /** Adds a trade's cash movement: positive is to be received, negative to be paid, on the settlement day. */
  add(market: string, day: CalendarDay, amount: Decimal): void {
    let entry = this.#entries.findLast((known) => known.market === market && known.day === day);
    if (entry === undefined) {
      entry = { market, day, receivable: ZERO, payable: ZERO };
      this.#entries.push(entry);
    }
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
      }),
      { receivable: ZERO, payable: ZERO },
    );
  }
}
