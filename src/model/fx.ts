import { Decimal } from './decimal.ts';
import type { Currency } from './money.ts';

/** Exchange rates by pair: `USDHKD: 7.80` means that one USD is worth 7.80 HKD. */
export type FxRates = Readonly<Record<string, Decimal>>;

const ONE = new Decimal(1);

/** Converts an amount; returns the same object at the rate of the own currency, which is always this `ONE`. */
export function atRate(amount: Decimal, rate: Decimal): Decimal {
  return rate === ONE ? amount : amount.times(rate);
}

/** Returns the value of one unit of `from` in `into`; undefined if no pair has it. */
export function rateBetween(from: Currency, into: Currency, rates: FxRates): Decimal | undefined {
  if (from === into) return ONE;
  const direct = rates[`${from}${into}`];
  if (direct !== undefined) return direct;
  const inverse = rates[`${into}${from}`];
  return inverse === undefined ? undefined : ONE.div(inverse);
}
