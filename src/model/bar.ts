import type { Period } from './period.ts';
import type { SecuritySymbol } from './symbol.ts';
import type { Millis } from './time.ts';

/**
 * A bar, stamped at its **open** (daily: midnight of the exchange's day). Figures are float64 estimates in the
 * security's currency; volume is in shares. Strategies see a bar only after its close.
 */
export interface Bar {
  readonly symbol: SecuritySymbol;
  readonly period: Period;
  readonly time: Millis;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volume: number;
}

/** Bars of one symbol and period as columns, ascending by `time` (epoch ms of each bar's open). */
export interface BarColumns {
  readonly symbol: SecuritySymbol;
  readonly period: Period;
  readonly length: number;
  readonly time: Float64Array;
  readonly open: Float64Array;
  readonly high: Float64Array;
  readonly low: Float64Array;
  readonly close: Float64Array;
  readonly volume: Float64Array;
}

/** Returns the bar at `index`; throws RangeError outside the columns. */
export function barAt(columns: BarColumns, index: number): Bar {
  const time = columns.time[index];
  if (time === undefined) throw noBar(columns, index);
  return {
    symbol: columns.symbol,
    period: columns.period,
    time: time as Millis,
    open: columns.open[index] as number,
    high: columns.high[index] as number,
    low: columns.low[index] as number,
    close: columns.close[index] as number,
    volume: columns.volume[index] as number,
  };
}

function noBar({ length, symbol }: BarColumns, index: number): RangeError {
  return new RangeError(`No bar ${index} among ${length} of ${symbol}`);
}

/** Returns the first index whose `time` is not before `at`; `columns.length` if there is none. */
export function lowerBound(columns: BarColumns, at: number): number {
  let low = 0;
  let high = columns.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((columns.time[middle] as number) < at) low = middle + 1;
    else high = middle;
  }
  return low;
}
