import { checkFactor, checkWindow, named, series, warmupBarsOf } from '../node.ts';
import type { Bind, Series } from '../series.ts';
import { add, addScaled, mul, sub } from './arithmetic.ts';
import { mapped } from './mapped.ts';
import { lineFit } from './regression.ts';
import { slidingSum, sum } from './windows.ts';

/** Simple moving average: the mean of the last `n` values. */
export function sma(x: Series, n: number): Series {
  checkWindow('sma', n);
  return series({
    name: 'sma',
    inputs: [x],
    params: [n],
    lookback: n,
    defined: n - 1,
    bind: slidingSum(n, n),
  });
}

/** Seeds with the mean of `n` values after skipping `skip`, then moves by `rate` of the distance on each bar. */
function recursive(n: number, rate: number, skip: number): Bind {
  return (input: Float64Array, output: Float64Array) => {
    let value = 0;
    let wait = skip + n;
    return (from, to) => {
      const x = input;
      const out = output;
      let i = from;
      for (; i < to && wait > 0; i++) {
        if (wait <= n) value += x[i] as number;
        wait--;
        if (wait === 0) value /= n;
        out[i] = wait > 0 ? Number.NaN : value;
      }
      let v = value;
      for (; i < to; i++) {
        v += ((x[i] as number) - v) * rate;
        out[i] = v;
      }
      value = v;
    };
  };
}

/** An exponential average of any rate: `value += rate x (x - value)`, seeded with the mean of `n` after `skip` bars. */
export function smoothed(name: string, x: Series, n: number, rate: number, skip = 0): Series {
  const defined = skip + n - 1;
  return series({
    name,
    inputs: [x],
    params: skip === 0 ? [n] : [n, `skip ${skip}`],
    defined,
    settled: defined + warmupBarsOf(rate),
    bind: recursive(n, rate, skip),
  });
}

/** Exponential moving average, rate 2 / (n + 1), seeded with the mean of the first `n`. */
export function ema(x: Series, n: number): Series {
  checkWindow('ema', n);
  return smoothed('ema', x, n, 2 / (n + 1));
}

/** Wilder's average (also RMA, SMMA), rate 1 / n, seeded with the mean of the first `n`. */
export function wilder(x: Series, n: number): Series {
  checkWindow('wilder', n);
  return smoothed('wilder', x, n, 1 / n);
}

/** Weighted moving average: weights 1 to `n`, the newest weighs most. */
export function wma(x: Series, n: number): Series {
  checkWindow('wma', n);
  const fit = lineFit(x, n);
  return named('wma', [x, n], addScaled(fit.mean, (n - 1) / 6, fit.slope));
}

/** Double exponential average: 2 EMA - EMA of EMA. */
export function dema(x: Series, n: number): Series {
  const once = ema(x, n);
  return named('dema', [x, n], sub(mul(2, once), ema(once, n)));
}

/** Triple exponential average: 3 EMA - 3 EMA of EMA + EMA of EMA of EMA. */
export function tema(x: Series, n: number): Series {
  const once = ema(x, n);
  const twice = ema(once, n);
  const thrice = ema(twice, n);
  return named('tema', [x, n], add(mul(3, sub(once, twice)), thrice));
}

/**
 * Tillson's T3: three generalised double EMAs in sequence, (1 + v) EMA - v EMA of EMA with volume factor v. Expanded
 * into four EMAs of one chain, so that all use the same seeds, as in TA-Lib.
 */
export function t3(x: Series, n: number, factor = 0.7): Series {
  checkFactor('t3', factor);
  const third = ema(ema(ema(x, n), n), n);
  const fourth = ema(third, n);
  const fifth = ema(fourth, n);
  const sixth = ema(fifth, n);
  const [v, v2, v3] = [factor, factor ** 2, factor ** 3];
  const newer = addScaled(mul(1 + 3 * v + 3 * v2 + v3, third), -3 * v - 6 * v2 - 3 * v3, fourth);
  return named('t3', [x, n, factor], addScaled(addScaled(newer, 3 * v2 + 3 * v3, fifth), -v3, sixth));
}

/** Triangular average: an SMA of an SMA, together covering `n` bars; the middle weighs most. */
export function trima(x: Series, n: number): Series {
  checkWindow('trima', n);
  const first = Math.floor(n / 2) + 1;
  const second = n + 1 - first;
  return named('trima', [x, n], sma(sma(x, first), second));
}

/** Hull average: WMA over sqrt(n) of (2 WMA over n/2 - WMA over n), both lengths rounded down. */
export function hma(x: Series, n: number): Series {
  checkWindow('hma', n, 2);
  const raw = sub(mul(2, wma(x, Math.floor(n / 2))), wma(x, n));
  return named('hma', [x, n], wma(raw, Math.floor(Math.sqrt(n))));
}

/** Seeds with the mean of the first `n`, then averages 2 x - (x as it was (n + 1) / 2 bars ago) at the EMA's rate. */
const lagFree =
  (n: number): Bind =>
  (x: Float64Array, out: Float64Array) => {
    const rate = 2 / (n + 1);
    const newer = Math.floor((n + 1) / 2);
    const older = Math.ceil((n + 1) / 2);
    const memory = { value: 0, seen: 0 };
    return (from, to) => {
      let value = memory.value;
      let seen = memory.seen;
      for (let i = from; i < to; i++) {
        const now = x[i] as number;
        if (seen < n) {
          value += now / n;
          seen++;
        } else {
          const past = ((x[i - newer] as number) + (x[i - older] as number)) / 2;
          value += (2 * now - past - value) * rate;
        }
        out[i] = seen < n ? Number.NaN : value;
      }
      memory.value = value;
      memory.seen = seen;
    };
  };

/**
 * Zero-lag EMA: an EMA of 2 x - (x as it was (n + 1) / 2 bars ago, the mean of the two bars around when that falls
 * between), seeded with the mean of the first `n`.
 */
export function zlema(x: Series, n: number): Series {
  checkWindow('zlema', n);
  return series({
    name: 'zlema',
    inputs: [x],
    params: [n],
    lookback: Math.ceil((n + 1) / 2),
    defined: n - 1,
    settled: n - 1 + warmupBarsOf(2 / (n + 1)),
    bind: lagFree(n),
  });
}

/** Volume-weighted average: sum of value x volume over the sum of volume, last `n` bars; their mean if nothing traded. */
export function vwma(x: Series, volume: Series, n: number): Series {
  const inputs = [sum(mul(x, volume), n), sum(volume, n), sma(x, n)];
  const average = mapped('vwma', inputs, (money, shares, mean) => (shares > 0 ? money / shares : mean));
  return named('vwma', [x, volume, n], average);
}
