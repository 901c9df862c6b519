import { Decimal } from './decimal.ts';
import type { Currency } from './money.ts';

/** Exchange rates by pair: `USDHKD: 7.80` means that one USD is worth 7.80 HKD. */
export type FxRates = Readonly<Record<string, Decimal>>;

const ONE = new Decimal(1);

/** An amount at a rate. The own currency's rate is this very figure, and then the amount is the same. */
export function atRate(amount: Decimal, rate: Decimal): Decimal {
  return rate === ONE ? amount : amount.times(rate);
}

/** The value of one unit of `from` in `into`; undefined when no pair gives it. */
export function rateBetween(from: Currency, into: Currency, rates: FxRates): Decimal | undefined {
  if (from === into) return ONE;
  const direct = rates[`${from}${into}`];
  if (direct !== undefined) return direct;
  const inverse = rates[`${into}${from}`];
  return inverse === undefined ? undefined : ONE.div(inverse);
}
