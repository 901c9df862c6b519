import type { DrawnBar } from '../events/run-record.ts';
import type { BarColumns } from '../model/bar.ts';

/**
 * Returns indices of about `most` samples that keep the shape of a line: the lowest, highest and last value of each
 * section, ascending. All indices if there are no more than `most`.
 */
export function downsample(values: ArrayLike<number>, most: number): readonly number[] {
  const count = values.length;
  if (count <= most) return Array.from({ length: count }, (_, index) => index);
  const stretches = Math.max(1, Math.floor(most / 3));
  const indices: number[] = [0];
  for (let stretch = 0; stretch < stretches; stretch += 1) {
    const first = Math.floor((stretch * count) / stretches);
    const end = Math.floor(((stretch + 1) * count) / stretches);
    const { low, high } = extremes(values, first, end);
    for (const index of [Math.min(low, high), Math.max(low, high), end - 1])
      if (index > (indices[indices.length - 1] as number)) indices.push(index);
  }
  return indices;
}

function extremes(values: ArrayLike<number>, first: number, end: number): { low: number; high: number } {
  let low = first;
  let high = first;
  for (let index = first; index < end; index += 1) {
    if ((values[index] as number) < (values[low] as number)) low = index;
    if ((values[index] as number) > (values[high] as number)) high = index;
  }
  return { low, high };
}

/** Number of neighbouring bars to join, so that at most `most` remain of those from `first` on. */
export function barsJoined({ length }: Pick<BarColumns, 'length'>, first: number, most: number): number {
  return Math.max(1, Math.ceil((length - first) / most));
}

/**
 * Returns at most `most` bars from `first` on: neighbouring bars are joined, so that highs and lows remain and
 * volumes add up.
 */
export function joinedBars(columns: BarColumns, first: number, most: number): readonly DrawnBar[] {
  const each = barsJoined(columns, first, most);
  const bars: DrawnBar[] = [];
  // Files of indices have no volumes.
  const hasVolume = columns.volume.some((shares) => shares > 0);
  for (let begin = first; begin < columns.length; begin += each) {
    const end = Math.min(begin + each, columns.length);
    let high = Number.NEGATIVE_INFINITY;
    let low = Number.POSITIVE_INFINITY;
    let volume = 0;
    for (let index = begin; index < end; index += 1) {
      high = Math.max(high, columns.high[index] as number);
      low = Math.min(low, columns.low[index] as number);
      volume += columns.volume[index] as number;
    }
    const bar = [
      columns.time[begin] as number,
      columns.open[begin] as number,
      high,
      low,
      columns.close[end - 1] as number,
    ] as const;
    bars.push(hasVolume ? [...bar, volume] : bar);
  }
  return bars;
}
