import { checkWindow, named, outputs, series } from '../node.ts';
import type { Bind, Series } from '../series.ts';
import { addScaled, mul } from './arithmetic.ts';
import { ExactPairs, ExactSum } from './exact-sum.ts';
import { mapped } from './mapped.ts';
import { variance } from './variance.ts';

/**
 * Slides a least-squares line over the last `n` values. With weights centred on the window, twice the weighted sum T
 * changes by (n - 1) entering + (n + 1) leaving - 2 (sum before). All of it is exact: no drift, and slope 0 if
 * nothing moved.
 */
function fitLine(n: number): Bind {
  return (x: Float64Array, mean: Float64Array, slope: Float64Array) => {
    const total = new ExactSum();
    const moment = new ExactSum();
    const perMoment = n === 1 ? 0 : 6 / (n * (n * n - 1));
    let seen = 0;
    return (from, to) => {
      for (let i = from; i < to; i++) {
        const entering = x[i] as number;
        if (seen < n) {
          moment.addProduct(2 * seen + 1 - n, entering);
          seen++;
        } else {
          const leaving = x[i - n] as number;
          moment.addProduct(n - 1, entering);
          moment.addProduct(n + 1, leaving);
          moment.add(-2 * total.high);
          moment.add(-2 * total.low);
          total.add(-leaving);
        }
        total.add(entering);
        mean[i] = seen < n ? Number.NaN : total.value() / n;
        slope[i] = seen < n ? Number.NaN : moment.value() * perMoment;
      }
    };
  };
}

/** Mean and slope per bar of the least-squares line through the last `n` values. */
export function lineFit(x: Series, n: number): Readonly<Record<'mean' | 'slope', Series>> {
  checkWindow('linearRegression', n);
  const spec = { name: 'lineFit', inputs: [x], params: [n], lookback: n, defined: n - 1, bind: fitLine(n) };
  return outputs(spec, ['mean', 'slope']);
}

/** The least-squares line's value at the newest bar. */
export function linearRegression(x: Series, n: number): Series {
  return named('linearRegression', [x, n], alongLine(x, n, (n - 1) / 2));
}

/** The least-squares line's slope, in units of x per bar. */
export function linearRegressionSlope(x: Series, n: number): Series {
  return named('linearRegressionSlope', [x, n], lineFit(x, n).slope);
}

/** The least-squares line's value at the oldest bar of the window. */
export function linearRegressionIntercept(x: Series, n: number): Series {
  return named('linearRegressionIntercept', [x, n], alongLine(x, n, (1 - n) / 2));
}

/** The least-squares line's slope as an angle in degrees. */
export function linearRegressionAngle(x: Series, n: number): Series {
  const angle = mapped('degrees', [lineFit(x, n).slope], (slope) => (Math.atan(slope) * 180) / Math.PI);
  return named('linearRegressionAngle', [x, n], angle);
}

/** The least-squares line extended to the next bar. */
export function linearRegressionForecast(x: Series, n: number): Series {
  return named('linearRegressionForecast', [x, n], alongLine(x, n, (n + 1) / 2));
}

function alongLine(x: Series, n: number, barsFromMiddle: number): Series {
  const fit = lineFit(x, n);
  return addScaled(fit.mean, barsFromMiddle, fit.slope);
}

const pairCovariance =
  (n: number): Bind =>
  (a: Float64Array, b: Float64Array, out: Float64Array) => {
    const pairs = new ExactPairs();
    let seen = 0;
    return (from, to) => {
      for (let i = from; i < to; i++) {
        pairs.enter(a[i] as number, b[i] as number);
        if (seen < n) seen++;
        else pairs.leave(a[i - n] as number, b[i - n] as number);
        out[i] = seen < n ? Number.NaN : pairs.covariance(n);
      }
    };
  };

/** Population covariance of two series over the last `n` bars. */
export function covariance(a: Series, b: Series, n: number): Series {
  checkWindow('covariance', n);
  const bind = pairCovariance(n);
  return series({ name: 'covariance', inputs: [a, b], params: [n], lookback: n, defined: n - 1, bind });
}

/** Pearson's correlation of two series over the last `n` bars, -1 to 1; 0 where one of them did not move. */
export function correlation(a: Series, b: Series, n: number): Series {
  checkWindow('correlation', n, 2);
  const parts = [covariance(a, b, n), variance(a, n), variance(b, n)];
  const ratio = mapped('ratio', parts, (both, va, vb) =>
    va > 0 && vb > 0 ? Math.max(-1, Math.min(1, both / (Math.sqrt(va) * Math.sqrt(vb)))) : 0,
  );
  return named('correlation', [a, b, n], ratio);
}

/** How many units `a` moved per unit of `b` over the last `n` bars: covariance over the variance of `b`; 0 if flat. */
export function beta(a: Series, b: Series, n: number): Series {
  checkWindow('beta', n, 2);
  const share = mapped('beta', [covariance(a, b, n), variance(b, n)], (both, own) =>
    own > 0 ? both / own : 0,
  );
  return named('beta', [a, b, n], share);
}

/** Squared correlation of x with time over the last `n` bars: 1 on a straight line, 0 where nothing moved. */
export function rSquared(x: Series, n: number): Series {
  checkWindow('rSquared', n, 2);
  const explained = mul(mul(lineFit(x, n).slope, lineFit(x, n).slope), (n * n - 1) / 12);
  const share = mapped('share', [explained, variance(x, n)], (part, whole) => (whole > 0 ? part / whole : 0));
  return named('rSquared', [x, n], share);
}
