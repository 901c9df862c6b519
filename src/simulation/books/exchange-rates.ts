import { Decimal } from '../../model/decimal.ts';
import type { Currency } from '../../model/money.ts';

/** Turns a rate between two currencies into a question with an answer. */
export interface ExchangeRates {
  /** How many units of `to` one unit of `from` is worth; throws RangeError when no pair says so. */
  rate(from: Currency, to: Currency): Decimal;
}

const ONE = new Decimal(1);

/** Reads pairs such as `USDHKD: 7.80`; a pair answers in both directions, nothing is chained over a third currency. */
export function exchangeRates(pairs: Readonly<Record<string, Decimal>>): ExchangeRates {
  const known = new Map<string, Decimal>();
  for (const [pair, rate] of Object.entries(pairs)) {
    if (!rate.gt(0)) throw new RangeError(`Cannot use rate ${rate} for "${pair}", want a positive number`);
    known.set(pair.slice(3) + pair.slice(0, 3), ONE.div(rate));
  }
  for (const [pair, rate] of Object.entries(pairs)) known.set(pair, rate);
  return {
    rate(from, to) {
      if (from === to) return ONE;
      const rate = known.get(from + to);
      if (rate === undefined) {
        throw new RangeError(
          `Cannot convert ${from} into ${to}: fx has no "${from}${to}" and no "${to}${from}"`,
        );
      }
      return rate;
    },
  };
}
