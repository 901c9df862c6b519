import type { Bar, BarColumns } from '../model/bar.ts';
import type { Millis } from '../model/time.ts';

/** When a share starts to be a different one: a split, for bars and prices. */
export interface SplitAdjustment {
  /** Bars with this timestamp or later are in new shares. */
  readonly barsFrom: Millis;
  /** Time of the first price in new shares; from then on earlier prices are converted. */
  readonly at: Millis;
  /** New shares per old share. */
  readonly ratio: number;
}

/** How many new shares one share of a bar at `time` is after all changes up to `now`. */
export function sharesSince(changes: readonly SplitAdjustment[], time: number, now: number): number {
  let ratio = 1;
  for (const change of changes) if (time < change.barsFrom && change.at <= now) ratio *= change.ratio;
  return ratio;
}

/** Converts a bar to shares of which there are `ratio` per original share. */
export function rebasedBar(bar: Bar, ratio: number): Bar {
  if (ratio === 1) return bar;
  return {
    ...bar,
    open: bar.open / ratio,
    high: bar.high / ratio,
    low: bar.low / ratio,
    close: bar.close / ratio,
    volume: bar.volume * ratio,
  };
}

/** Converts the first `count` bars, each to the shares after all of these changes. */
export function rebasedColumns(
  bars: BarColumns,
  changes: readonly SplitAdjustment[],
  count = bars.length,
): BarColumns {
  const ratios = Float64Array.from({ length: count }, (_, index) =>
    sharesSince(changes, bars.time[index] as number, Number.POSITIVE_INFINITY),
  );
  const price = (column: Float64Array): Float64Array =>
    ratios.map((ratio, index) => (column[index] as number) / ratio);
  const { symbol, period, time, open, high, low, close, volume } = bars;
  return {
    symbol,
    period,
    length: count,
    time: time.subarray(0, count),
    open: price(open),
    high: price(high),
    low: price(low),
    close: price(close),
    volume: ratios.map((ratio, index) => (volume[index] as number) * ratio),
  };
}
