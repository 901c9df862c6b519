import { Decimal } from '../../model/decimal.ts';
import { type FxRates, rateBetween } from '../../model/fx.ts';

/**
 * Default exchange rates of a venue. All are invented; the first is the reference's. @see ADR 0019;
 * docs/wire-protocol.md, "Calls": an account is queried in HKD, USD or CNH
 */
const USDHKD = new Decimal('7.80');
const USDCNH = new Decimal('7.20');

/**
 * The given rates, and the missing ones between HKD, USD and CNH, the currencies in which an account may be queried.
 * A rate between HKD and CNH follows from the other two, so that no round of exchanges makes money.
 */
export function ratesWithDefaults(given: FxRates = {}): FxRates {
  const hkd = rateBetween('USD', 'HKD', given) ?? USDHKD;
  const cnh = rateBetween('USD', 'CNH', given) ?? USDCNH;
  return {
    ...rateUnlessGiven(given, 'USD', 'HKD', hkd),
    ...rateUnlessGiven(given, 'USD', 'CNH', cnh),
    ...rateUnlessGiven(given, 'HKD', 'CNH', cnh.div(hkd)),
    ...given,
  };
}

function rateUnlessGiven(given: FxRates, from: string, to: string, rate: Decimal): FxRates {
  return rateBetween(from, to, given) === undefined ? { [from + to]: rate } : {};
}
