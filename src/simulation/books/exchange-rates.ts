import { type Amount, ONE, type Ratio, ratioBetween, ratioOf, scale, toAmount } from '../../model/amount.ts';
import type { Decimal } from '../../model/decimal.ts';
import type { Currency } from '../../model/money.ts';

export interface ExchangeRates {
  /** Returns the value of one unit of `from` in units of `to`. Throws RangeError if no pair has it. */
  rate(from: Currency, to: Currency): Ratio;
}

const RATE_OF_ONE: Ratio = { numerator: 1, denominator: 1 };

/** Finer than any displayed figure, so that sums of converted amounts show no rounding. */
const CONVERTED_PLACES = 20;

/** Converts an amount into another currency, rounded half up to 20 places. */
export function converted(amount: Amount, rate: Ratio): Amount {
  return rate === RATE_OF_ONE ? amount : scale(amount, rate, 'half-up', CONVERTED_PLACES);
}

/** Reads pairs such as `USDHKD: 7.80`. A pair works in both directions; rates are not chained over a third currency. */
export function exchangeRates(pairs: Readonly<Record<string, Decimal>>): ExchangeRates {
  const known = new Map<string, Ratio>();
  for (const [pair, rate] of Object.entries(pairs)) {
    if (!rate.gt(0)) throw new RangeError(`Cannot use rate ${rate} for "${pair}", want a positive number`);
    known.set(pair.slice(3) + pair.slice(0, 3), ratioBetween(ONE, toAmount(rate)));
  }
  for (const [pair, rate] of Object.entries(pairs)) known.set(pair, ratioOf(rate));
  return {
    rate(from, to) {
      if (from === to) return RATE_OF_ONE;
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
