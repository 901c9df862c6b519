import type { Bar, BarColumns } from '../model/bar.ts';
import type { Period } from '../model/period.ts';
import type { SecuritySymbol } from '../model/symbol.ts';

/** Ascending bars of one symbol and period as columns. */
export function columnsOf(symbol: SecuritySymbol, period: Period, bars: readonly Bar[]): BarColumns {
  const column = (name: 'time' | 'open' | 'high' | 'low' | 'close' | 'volume'): Float64Array =>
    Float64Array.from(bars, (bar) => bar[name]);
  return {
    ...{ symbol, period, length: bars.length, time: column('time'), open: column('open') },
    ...{ high: column('high'), low: column('low'), close: column('close'), volume: column('volume') },
  };
}
