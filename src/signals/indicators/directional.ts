import { checkWindow, named, namedAll, outputs, warmupBarsOf } from '../node.ts';
import type { Bind, Series } from '../series.ts';
import { add, lag, mul } from './arithmetic.ts';
import { wilder } from './averages.ts';
import { mapped } from './mapped.ts';
import { type PriceBars, trueRange } from './price-bars.ts';

/** Wilder's sums of upward and downward movement and of true range: n - 1 bars added up, then sum - sum / n + new. */
const directionalSums =
  (n: number): Bind =>
  (high: Float64Array, low: Float64Array, range: Float64Array, plus: Float64Array, minus: Float64Array) => {
    const memory = { up: 0, down: 0, total: 0, seen: 0 };
    return (from, to) => {
      let up = memory.up;
      let down = memory.down;
      let total = memory.total;
      let seen = memory.seen;
      for (let i = from; i < to; i++) {
        const rise = (high[i] as number) - (high[i - 1] as number);
        const fall = (low[i - 1] as number) - (low[i] as number);
        const keep = seen < n - 1 ? 1 : 1 - 1 / n;
        up = up * keep + (rise > 0 && rise > fall ? rise : 0);
        down = down * keep + (fall > 0 && fall > rise ? fall : 0);
        total = total * keep + (range[i] as number);
        if (seen < n) seen++;
        plus[i] = seen < n ? Number.NaN : total > 0 ? (100 * up) / total : 0;
        minus[i] = seen < n ? Number.NaN : total > 0 ? (100 * down) / total : 0;
      }
      memory.up = up;
      memory.down = down;
      memory.total = total;
      memory.seen = seen;
    };
  };

/** Directional indicators +DI and -DI: Wilder's share of the true range that went up, and down, in percent. */
export function directional(bars: PriceBars, n = 14): Readonly<Record<'plus' | 'minus', Series>> {
  checkWindow('directional', n);
  const spec = {
    name: 'directional',
    inputs: [bars.high, bars.low, trueRange(bars)],
    params: [n],
    lookback: 1,
    defined: n - 1,
    settled: n - 1 + warmupBarsOf(1 / n),
    bind: directionalSums(n),
  };
  return namedAll('directional', [n], outputs(spec, ['plus', 'minus']));
}

/** +DI alone. */
export function plusDi(bars: PriceBars, n = 14): Series {
  return named('plusDi', [n], directional(bars, n).plus);
}

/** -DI alone. */
export function minusDi(bars: PriceBars, n = 14): Series {
  return named('minusDi', [n], directional(bars, n).minus);
}

/** Directional index: 100 |+DI - -DI| / (+DI + -DI); 0 where neither moved. */
export function dx(bars: PriceBars, n = 14): Series {
  const { plus, minus } = directional(bars, n);
  const index = mapped('dx', [plus, minus], (up, down) =>
    up + down > 0 ? (100 * Math.abs(up - down)) / (up + down) : 0,
  );
  return named('dx', [n], index);
}

/** Average directional index: Wilder's average of DX. */
export function adx(bars: PriceBars, n = 14): Series {
  return named('adx', [n], wilder(dx(bars, n), n));
}

/** ADX rating: the mean of ADX now and n - 1 bars ago. */
export function adxr(bars: PriceBars, n = 14): Series {
  checkWindow('adxr', n, 2);
  const index = adx(bars, n);
  return named('adxr', [n], mul(0.5, add(index, lag(index, n - 1))));
}
