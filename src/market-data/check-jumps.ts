import { barClose } from '../markets/bar-span.ts';
import { dayOf, midnightOf } from '../markets/sessions.ts';
import { type BarColumns, lowerBound } from '../model/bar.ts';
import { marketOf } from '../model/symbol.ts';
import type { CalendarDay, Millis } from '../model/time.ts';
import type { RowFinding } from './check.ts';
import { likelyScale, likelySplit } from './likely-split.ts';

/** A split listed in the symbol's events file; `ratio` is the number of new shares per old share. */
export interface ListedSplit {
  readonly exDay: CalendarDay;
  readonly ratio: number;
}

export interface JumpFacts {
  readonly splits: readonly ListedSplit[];
  /** True if prices are adjusted for splits, so that a split must not move them. */
  readonly adjusted: boolean;
}

/** A log return is odd if it is above 10 % and above this many times the median. */
const MEDIAN_MULTIPLE = 20;
const LOG_RETURN_MIN = Math.log(1.1);

/** Minimum log return of a split that is checked: a split below 5 for 4 moves prices no more than a bad day. */
const SPLIT_LOG_RETURN_MIN = Math.log(1.25) - 1e-9;

/**
 * Finds returns between bars that look like unlisted splits, listed splits that prices wrongly show or lack, prices
 * in another unit, and bars with an implausible jump or high-low range.
 */
export function* findJumps(columns: BarColumns, facts: JumpFacts): Generator<RowFinding> {
  const { open, high, low, close, length } = columns;
  const barRange = (row: number): number => Math.log((high[row] as number) / (low[row] as number));
  const jump = (row: number): number => Math.log((open[row] as number) / (close[row - 1] as number));
  const limitOf = (moves: readonly number[]): number =>
    Math.max(LOG_RETURN_MIN, MEDIAN_MULTIPLE * median(moves));
  const rows = Array.from({ length }, (_, row) => row);
  const rangeLimit = limitOf(rows.map(barRange));
  const jumpLimit = limitOf(rows.slice(1).map((row) => Math.abs(jump(row))));
  const listedSplits = splitsByRow(columns, facts.splits);
  for (const row of rows) {
    const splits = listedSplits.get(row) ?? [];
    const moved = row === 0 ? 0 : jump(row);
    const wrong = splits.length === 0 ? undefined : wrongSplit(columns, { row, moved, splits }, facts);
    if (wrong !== undefined) yield wrong;
    else {
      const other = moved - splitReturn(splits, moved);
      if (Math.abs(other) > LOG_RETURN_MIN) yield* findJump(columns, { row, moved: other, jumpLimit }, facts);
    }
    if (barRange(row) > rangeLimit) {
      yield { kind: 'outlier', row, message: `Implausible range from low ${low[row]} to high ${high[row]}` };
    }
  }
}

/**
 * Maps the row of the first bar after a split to all splits between that bar and the one before. Omits splits outside
 * the series or inside a bar.
 */
function splitsByRow(
  columns: BarColumns,
  splits: readonly ListedSplit[],
): ReadonlyMap<number, readonly ListedSplit[]> {
  const market = marketOf(columns.symbol);
  const byRow = new Map<number, readonly ListedSplit[]>();
  for (const split of splits) {
    const at = midnightOf(market, split.exDay);
    const row = lowerBound(columns, at);
    if (row === 0 || row === columns.length) continue;
    // A weekly or monthly bar may contain the ex-day.
    if (barClose(market, columns.period, columns.time[row - 1] as Millis) > at) continue;
    byRow.set(row, [...(byRow.get(row) ?? []), split]);
  }
  return byRow;
}

function ratioOf(splits: readonly ListedSplit[]): number {
  return splits.reduce((product, { ratio }) => product * ratio, 1);
}

/**
 * Returns the log return that listed splits explain: that of all of them if the actual return is nearer to it than to
 * 0, otherwise 0.
 */
function splitReturn(splits: readonly ListedSplit[], moved: number): number {
  const wanted = -Math.log(ratioOf(splits));
  return Math.abs(moved - wanted) < Math.abs(moved) ? wanted : 0;
}

interface Move {
  readonly row: number;
  readonly moved: number;
}

/** Returns a remark for a listed split that moves adjusted prices, or does not move unadjusted ones. */
function wrongSplit(
  { open, close }: BarColumns,
  { row, moved, splits }: Move & { readonly splits: readonly ListedSplit[] },
  { adjusted }: JumpFacts,
): RowFinding | undefined {
  const ratio = ratioOf(splits);
  const wanted = Math.abs(Math.log(ratio));
  if (wanted < SPLIT_LOG_RETURN_MIN) return undefined;
  const days = splits.map(({ exDay }) => exDay).join(' and ');
  const prices = `from ${close[row - 1]} to ${open[row]}`;
  if (adjusted && splitReturn(splits, moved) !== 0) {
    const message = `Opened ${prices}, by the split of ${ratio} that events.csv lists on ${days}: this series is not adjusted for it`;
    return { kind: 'split', row, message };
  }
  const logReturn = Math.log((close[row] as number) / (close[row - 1] as number));
  if (adjusted || Math.max(Math.abs(moved), Math.abs(logReturn)) > wanted / 3) return undefined;
  const message = `Opened ${prices}, though events.csv lists a split of ${ratio} on ${days}: these prices include it already, and a backtest would count it twice`;
  return { kind: 'split-twice', row, message };
}

function* findJump(
  columns: BarColumns,
  { row, moved, jumpLimit }: Move & { readonly jumpLimit: number },
  { splits }: JumpFacts,
): Generator<RowFinding> {
  const { open, close, time } = columns;
  const market = marketOf(columns.symbol);
  const prices = `from ${close[row - 1]} to ${open[row]}`;
  const logReturnShare = Math.log((close[row] as number) / (close[row - 1] as number)) / moved;
  const stays = logReturnShare > 0.5;
  const scale = stays ? likelyScale(moved) : undefined;
  if (scale !== undefined) {
    const message = `Opened ${prices}, ${scale}: are these prices in another unit, such as pence instead of pounds?`;
    yield { kind: 'scale', row, message };
    return;
  }
  const isNewDay = dayOf(market, time[row] as Millis) !== dayOf(market, time[row - 1] as Millis);
  const split = isNewDay && stays && splits.length === 0 ? likelySplit(moved) : undefined;
  if (split !== undefined) {
    const message = `Opened ${prices}, like a ${split} split, but prices are not adjusted and events.csv lists none`;
    yield { kind: 'split', row, message };
  } else if (Math.abs(moved) > jumpLimit) {
    yield { kind: 'outlier', row, message: `Jumped ${prices}` };
  }
}

function median(values: readonly number[]): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[sorted.length >>> 1] ?? 0;
}
