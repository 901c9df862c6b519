import { Decimal } from '../model/decimal.ts';
import type { Currency } from '../model/money.ts';
import type { Charge } from '../model/order.ts';
import type { SecuritySymbol } from '../model/symbol.ts';
import type { Millis } from '../model/time.ts';

/** Sum of one kind of charge over a run. */
export interface ChargeSum {
  readonly code: string;
  readonly name: string;
  /** `broker` for the broker's own charge, otherwise the party that it is passed on to; absent if unknown. */
  readonly category?: Charge['category'];
  readonly amount: Decimal;
}

/**
 * Exchange rates of a currency into the account's, each from its time (epoch ms) on; ascending. The first is valid
 * earlier as well.
 */
export interface RateSteps {
  readonly from: readonly number[];
  readonly rate: readonly Decimal[];
}

/** Initial and final values of a run's equity, which explain its profit. */
export interface RunBounds {
  /** When the account opened, at whose rates its cash is valued; the first bar may be days later. */
  readonly opened: Millis;
  /** Cash at the start, without any positions. */
  readonly cash: Readonly<Record<Currency, Decimal>>;
  /** Price per share at the last close, in the security's currency; symbols without a close are absent. */
  readonly prices: ReadonlyMap<SecuritySymbol, number>;
  /** By currency, into the account's; its own is absent. */
  readonly rates: ReadonlyMap<Currency, RateSteps>;
  /** Final double-entry books of a simulated venue in this process; absent otherwise. */
  readonly books?: readonly BookBalance[];
}

/**
 * Balance of an account in double-entry books. Debits are positive, so that the accounts of a currency sum to zero.
 */
export interface BookBalance {
  readonly account: string;
  readonly currency: Currency;
  readonly amount: Decimal;
}

const ONE = new Decimal(1);

/** Returns the rate at a time, before all steps the first; 1 without steps. */
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
