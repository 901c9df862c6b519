import { checkFactor, checkWindow, named, namedAll } from '../node.ts';
import type { Series } from '../series.ts';
import { addScaled, div, lag, mul, squareRoot, sub } from './arithmetic.ts';
import { sma } from './averages.ts';
import { mapped } from './mapped.ts';
import { variance } from './variance.ts';

/** Population standard deviation of the last `n` values (divides by n). */
export function standardDeviation(x: Series, n: number): Series {
  return named('standardDeviation', [x, n], squareRoot(variance(x, n)));
}

/** Distance from the mean of the last `n` in standard deviations; 0 where nothing moved. */
export function zScore(x: Series, n: number): Series {
  checkWindow('zScore', n, 2);
  const score = mapped('score', [x, sma(x, n), standardDeviation(x, n)], (value, mean, deviation) =>
    deviation > 0 ? (value - mean) / deviation : 0,
  );
  return named('zScore', [x, n], score);
}

/** Result of `bollinger`. */
export type BollingerBands = Readonly<Record<'upper' | 'middle' | 'lower', Series>>;

/** Bollinger bands: the mean of the last `n`, and `width` population deviations above and below. */
export function bollinger(x: Series, n = 20, width = 2): BollingerBands {
  checkFactor('bollinger', width);
  const middle = sma(x, n);
  const deviation = standardDeviation(x, n);
  const upper = addScaled(middle, width, deviation);
  const lower = addScaled(middle, -width, deviation);
  return namedAll('bollinger', [x, n, width], { upper, middle, lower });
}

/** Position of x between the Bollinger bands: 0 at the lower, 1 at the upper; 0.5 where nothing moved. */
export function percentB(x: Series, n = 20, width = 2): Series {
  const { upper, lower } = bollinger(x, n, width);
  const place = mapped('place', [x, upper, lower], (v, high, low) =>
    high > low ? (v - low) / (high - low) : 0.5,
  );
  return named('percentB', [x, n, width], place);
}

/** Width of the Bollinger bands as a share of the middle. */
export function bandWidth(x: Series, n = 20, width = 2): Series {
  const { upper, middle, lower } = bollinger(x, n, width);
  return named('bandWidth', [x, n, width], div(sub(upper, lower), middle));
}

/**
 * Historical volatility: the sample deviation of the last `n` log returns, annualised (times the square root of
 * `barsPerYear`), as a ratio. A return over a price that is not positive counts as 0.
 */
export function historicalVolatility(x: Series, n = 20, barsPerYear = 252): Series {
  checkWindow('historicalVolatility', n, 2);
  checkFactor('historicalVolatility', barsPerYear);
  const returns = mapped('logReturn', [x, lag(x, 1)], (now, before) =>
    now > 0 && before > 0 ? Math.log(now / before) : 0,
  );
  const yearly = Math.sqrt((barsPerYear * n) / (n - 1));
  return named('historicalVolatility', [x, n, barsPerYear], mul(yearly, standardDeviation(returns, n)));
}
