import { named, series } from '../node.ts';
import type { Bind, Series } from '../series.ts';
import type { PriceBars } from './price-bars.ts';

const parabolic =
  (step: number, limit: number): Bind =>
  (high: Float64Array, low: Float64Array, out: Float64Array) => {
    const memory = { long: true, stop: 0, extreme: 0, rate: step, seen: 0 };
    return (from, to) => {
      let long = memory.long;
      let stop = memory.stop;
      let extreme = memory.extreme;
      let rate = memory.rate;
      let seen = memory.seen;
      for (let i = from; i < to; i++) {
        const top = high[i] as number;
        const bottom = low[i] as number;
        if (seen === 0) {
          out[i] = Number.NaN;
          seen = 1;
          continue;
        }
        const topBefore = high[i - 1] as number;
        const bottomBefore = low[i - 1] as number;
        if (seen === 1) {
          const fall = bottomBefore - bottom;
          long = !(fall > 0 && fall > top - topBefore);
          extreme = long ? top : bottom;
          stop = long ? bottomBefore : topBefore;
        }
        const ceiling = seen === 1 ? top : Math.max(top, topBefore);
        const floor = seen === 1 ? bottom : Math.min(bottom, bottomBefore);
        seen = 2;
        const hit = long ? bottom <= stop : top >= stop;
        if (hit) {
          stop = long ? Math.max(extreme, ceiling) : Math.min(extreme, floor);
          long = !long;
          rate = step;
          extreme = long ? top : bottom;
        }
        out[i] = stop;
        const further = long ? top > extreme : bottom < extreme;
        if (further) {
          extreme = long ? top : bottom;
          rate = Math.min(rate + step, limit);
        }
        stop += rate * (extreme - stop);
        stop = long ? Math.min(stop, floor) : Math.max(stop, ceiling);
      }
      memory.long = long;
      memory.stop = stop;
      memory.extreme = extreme;
      memory.rate = rate;
      memory.seen = seen;
    };
  };

/**
 * Parabolic stop and reverse: a stop that follows the extreme of the trend, faster by `step` at each new extreme up
 * to `limit`. It starts with the direction of the first two bars and forgets it at a reversal, for which 250 bars are
 * allowed.
 */
export function sar(bars: PriceBars, step = 0.02, limit = 0.2): Series {
  if (!(step > 0 && step <= limit && limit <= 1)) {
    throw new RangeError(
      `Cannot build sar: step "${step}" and limit "${limit}", want 0 < step <= limit <= 1`,
    );
  }
  const inputs = [bars.high, bars.low];
  const params = [step, limit];
  const spec = { name: 'sar', inputs, params, lookback: 1, defined: 1, settled: 250 };
  return named('sar', params, series({ ...spec, bind: parabolic(step, limit) }));
}
