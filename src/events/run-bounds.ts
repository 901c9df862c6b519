import { Decimal } from '../model/decimal.ts';
import type { Currency } from '../model/money.ts';
import type { Charge } from '../model/order.ts';
import type { SecuritySymbol } from '../model/symbol.ts';
import type { Millis } from '../model/time.ts';

/** One kind of charge over a whole run. */
export interface ChargeSum {
  readonly code: string;
  readonly name: string;
  /** `broker` for the broker's own charge, or the party it is passed on to; absent if unknown. */
  readonly category?: Charge['category'];
  readonly amount: Decimal;
}

/** What one unit of a currency is worth in the account's, from each instant (epoch ms) on; ascending, the first holds before, too. */
export interface RateSteps {
  readonly from: readonly number[];
  readonly rate: readonly Decimal[];
}

/** What the equity of a run begins and ends with, by which its profit is explained. */
export interface RunBounds {
  /** When the account opened: its cash is worth what rates of then say, and a first bar may come days later. */
  readonly opened: Millis;
  /** Cash at the start; nothing else was held. */
  readonly cash: Readonly<Record<Currency, Decimal>>;
  /** What one share is worth at the last close, in its currency; a symbol without a close is left out. */
  readonly prices: ReadonlyMap<SecuritySymbol, number>;
  /** By currency, into the account's; its own is left out. */
  readonly rates: ReadonlyMap<Currency, RateSteps>;
  /** The venue's own double-entry books at the end, where a simulated venue of this process kept them. */
  readonly books?: readonly BookBalance[];
}

/** What one account of double-entry books holds: debits positive, so that a currency's accounts sum to zero. */
export interface BookBalance {
  readonly account: string;
  readonly currency: Currency;
  readonly amount: Decimal;
}

const ONE = new Decimal(1);

/** The rate as of an instant: that of the newest step at or before it, else the first; 1 without steps. */
export function rateAsOf(steps: RateSteps | undefined, at: number): Decimal {
  if (steps === undefined) return ONE;
  const { from, rate } = steps;
  let low = 0;
  let high = from.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((from[middle] as number) <= at) low = middle + 1;
    else high = middle;
  }
  const found = rate[Math.max(0, low - 1)];
  if (found === undefined) throw new RangeError('Cannot read a rate, there is none');
  return found;
}
