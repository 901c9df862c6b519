import { Decimal } from './decimal.ts';
import type { Currency } from './money.ts';

/** Exchange rates by pair: `USDHKD: 7.80` says that one USD is worth 7.80 HKD. */
export type FxRates = Readonly<Record<string, Decimal>>;

/** How much of `into` one unit of `from` is worth; undefined when no pair says so. */
export function rateBetween(from: Currency, into: Currency, rates: FxRates): Decimal | undefined {
  if (from === into) return new Decimal(1);
  const direct = rates[`${from}${into}`];
  if (direct !== undefined) return direct;
  const inverse = rates[`${into}${from}`];
  return inverse === undefined ? undefined : new Decimal(1).div(inverse);
}
