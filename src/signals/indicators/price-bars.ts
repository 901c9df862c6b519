import type { BarSeries } from '../bar-series.ts';
import { named, series } from '../node.ts';
import type { Bind, Series } from '../series.ts';
import { mapped } from './mapped.ts';

/** The columns that bar indicators read. */
export type PriceBars = Pick<BarSeries, 'open' | 'high' | 'low' | 'close' | 'typical' | 'median'>;
/** The same with volume and session. */
export type TradedBars = PriceBars & Pick<BarSeries, 'volume' | 'session'>;

/** True range of the first bar, which has no previous close: none, or its own range. */
export type FirstRange = 'skip' | 'own';

/**
 * True range: the bar's range extended to the previous close. Defined from the second bar on, or with `first` = 'own'
 * from the first, by its own range.
 */
export function trueRange(bars: PriceBars, first: FirstRange = 'skip'): Series {
  const bind: Bind = (high: Float64Array, low: Float64Array, close: Float64Array, out: Float64Array) => {
    let seen = 0;
    return (from, to) => {
      for (let i = from; i < to; i++) {
        const top = high[i] as number;
        const bottom = low[i] as number;
        const unseen = first === 'own' ? bottom : Number.NaN;
        const before = seen === 0 ? unseen : (close[i - 1] as number);
        seen = 1;
        out[i] = Math.max(top - bottom, Math.abs(top - before), Math.abs(bottom - before));
      }
    };
  };
  const inputs = [bars.high, bars.low, bars.close];
  if (first === 'skip')
    return named('trueRange', [], series({ name: 'trueRange', inputs, lookback: 1, defined: 1, bind }));
  const spec = { name: 'trueRange', inputs, params: [first], lookback: 1, defined: 0, settled: 1, bind };
  return named('trueRange', [first], series(spec));
}

/** Close location value: where the bar closed in its range, -1 at the low to 1 at the high; 0 without a range. */
export function closeLocation(bars: PriceBars): Series {
  const place = mapped('closeLocation', [bars.high, bars.low, bars.close], (high, low, close) =>
    high > low ? (close - low - (high - close)) / (high - low) : 0,
  );
  return named('closeLocation', [], place);
}

/** Balance of power: (close - open) / (high - low); 0 without a range. */
export function balanceOfPower(bars: PriceBars): Series {
  const inputs = [bars.open, bars.high, bars.low, bars.close];
  const balance = mapped('balanceOfPower', inputs, (open, high, low, close) =>
    high > low ? (close - open) / (high - low) : 0,
  );
  return named('balanceOfPower', [], balance);
}
