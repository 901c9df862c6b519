import type { Bar, BarColumns } from '../model/bar.ts';
import type { Millis } from '../model/time.ts';

/** From when on a share is another one than before: a split, as bars and prices meet it. */
export interface SplitAdjustment {
  /** Bars stamped from here on are of new shares. */
  readonly barsFrom: Millis;
  /** The instant of the first price in new shares: from then on earlier prices are expressed in them. */
  readonly at: Millis;
  /** New shares for one of before. */
  readonly ratio: number;
}

/** How many new shares one share of a bar stamped `time` has become, by the changes that happened up to `now`. */
export function sharesSince(changes: readonly SplitAdjustment[], time: number, now: number): number {
  let ratio = 1;
  for (const change of changes) if (time < change.barsFrom && change.at <= now) ratio *= change.ratio;
  return ratio;
}

/** A bar expressed in shares of which there are `ratio` for each original one. */
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

/** The first `count` bars, each in the shares that there are after all of these changes. */
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
