import { checkWindow, named, namedAll, series } from '../node.ts';
import type { Bind, Series } from '../series.ts';
import { absolute, lag, sub } from './arithmetic.ts';
import { ema, sma } from './averages.ts';
import { mapped } from './mapped.ts';
import { placeInRange } from './momentum.ts';
import { type PriceBars, trueRange } from './price-bars.ts';
import { highest, highestWithAge, lowest, lowestWithAge, sum } from './windows.ts';

/** A fast line and its average. */
export type FastAndSlow = Readonly<Record<'k' | 'd', Series>>;

function rawStochastic(bars: PriceBars, n: number): Series {
  return placeInRange(bars.close, highest(bars.high, n), lowest(bars.low, n));
}

/** Fast stochastic: position of the close in the range of `n` bars, 0 to 100, and its SMA. 50 without a range. */
export function stochasticFast(bars: PriceBars, n = 14, d = 3): FastAndSlow {
  const k = rawStochastic(bars, n);
  return namedAll('stochasticFast', [n, d], { k, d: sma(k, d) });
}

/** Slow stochastic: k is the SMA over `smooth` of the raw place in the range of `n` bars, d the SMA of that. */
export function stochastic(bars: PriceBars, n = 14, smooth = 3, d = 3): FastAndSlow {
  const k = sma(rawStochastic(bars, n), smooth);
  return namedAll('stochastic', [n, smooth, d], { k, d: sma(k, d) });
}

/** Williams %R: the stochastic from the top, -100 at the low to 0 at the high; -50 without a range. */
export function williamsR(bars: PriceBars, n = 14): Series {
  const inputs = [bars.close, highest(bars.high, n), lowest(bars.low, n)];
  const place = mapped('williamsR', inputs, (close, high, low) =>
    high > low ? (-100 * (high - close)) / (high - low) : -50,
  );
  return named('williamsR', [n], place);
}

const meanDistance =
  (n: number): Bind =>
  (x: Float64Array, mean: Float64Array, out: Float64Array) =>
  (from, to) => {
    for (let i = from; i < to; i++) {
      const middle = mean[i] as number;
      let distance = 0;
      for (let j = i - n + 1; j <= i; j++) distance += Math.abs((x[j] as number) - middle);
      out[i] = distance / n;
    }
  };

/**
 * Mean absolute distance of the last `n` values from their mean. O(n) a bar, because the mean changes with each bar.
 */
export function meanDeviation(x: Series, n: number): Series {
  checkWindow('meanDeviation', n);
  const inputs = [x, sma(x, n)];
  const spec = { name: 'meanDeviation', inputs, params: [n], lookback: n, bind: meanDistance(n) };
  return named('meanDeviation', [x, n], series(spec));
}

/** Share of the value below which a distance from the mean is rounding error. */
const ROUNDING = 1e-13;

/** Commodity channel index: distance of the typical price from its mean over 0.015 mean deviations; 0 if flat. */
export function cci(bars: PriceBars, n = 20): Series {
  const price = bars.typical;
  const inputs = [price, sma(price, n), meanDeviation(price, n)];
  const index = mapped('cci', inputs, (value, mean, deviation) =>
    deviation > Math.abs(mean) * ROUNDING ? (value - mean) / (0.015 * deviation) : 0,
  );
  return named('cci', [n], index);
}

/** Result of `aroon`. */
export type Aroon = Readonly<Record<'up' | 'down' | 'oscillator', Series>>;

/**
 * Aroon: age of the highest high and the lowest low of the last `n` + 1 bars, from 100 (this bar) to 0; and up -
 * down.
 */
export function aroon(bars: PriceBars, n = 25): Aroon {
  checkWindow('aroon', n);
  const fresh = (age: Series): Series => mapped('fresh', [age], (bars) => (100 * (n - bars)) / n, [n]);
  const up = fresh(highestWithAge(bars.high, n + 1).age);
  const down = fresh(lowestWithAge(bars.low, n + 1).age);
  return namedAll('aroon', [n], { up, down, oscillator: sub(up, down) });
}

/** Ultimate oscillator: buying pressure over true range, over three windows weighted 4, 2 and 1; 50 without moves. */
export function ultimateOscillator(bars: PriceBars, short = 7, medium = 14, long = 28): Series {
  const inputs = [bars.close, bars.low, lag(bars.close, 1)];
  const pressure = mapped('buyingPressure', inputs, (close, low, before) => close - Math.min(low, before));
  const range = trueRange(bars);
  const share = (n: number): Series =>
    mapped('pressureShare', [sum(pressure, n), sum(range, n)], (part, whole) =>
      whole > 0 ? part / whole : 0.5,
    );
  const mixed = mapped(
    'ultimateOscillator',
    [share(short), share(medium), share(long)],
    (a, b, c) => (100 * (4 * a + 2 * b + c)) / 7,
  );
  return named('ultimateOscillator', [short, medium, long], mixed);
}

/** Awesome oscillator: SMA(5) - SMA(34) of the median price. */
export function awesomeOscillator(bars: PriceBars, fast = 5, slow = 34): Series {
  return named('awesomeOscillator', [fast, slow], sub(sma(bars.median, fast), sma(bars.median, slow)));
}

/** Elder's ray: the high and the low, each less the EMA of the close. */
export function elderRay(bars: PriceBars, n = 13): Readonly<Record<'bull' | 'bear', Series>> {
  const average = ema(bars.close, n);
  return namedAll('elderRay', [n], { bull: sub(bars.high, average), bear: sub(bars.low, average) });
}

/** Vortex: sums over `n` bars of |high - low before| and |low - high before|, each over the sum of true ranges. */
export function vortex(bars: PriceBars, n = 14): Readonly<Record<'plus' | 'minus', Series>> {
  const range = sum(trueRange(bars), n);
  const over = (move: Series): Series =>
    mapped('vortex', [sum(absolute(move), n), range], (moved, whole) => (whole > 0 ? moved / whole : 1));
  const plus = over(sub(bars.high, lag(bars.low, 1)));
  const minus = over(sub(bars.low, lag(bars.high, 1)));
  return namedAll('vortex', [n], { plus, minus });
}
