import { barClose } from '../markets/bar-span.ts';
import { dayOf, midnightOf } from '../markets/sessions.ts';
import { type BarColumns, lowerBound } from '../model/bar.ts';
import { marketOf } from '../model/symbol.ts';
import type { CalendarDay, Millis } from '../model/time.ts';
import type { Remark } from './check.ts';
import { likelyScale, likelySplit } from './likely-split.ts';

/** A split listed in the symbol's events file: `ratio` new shares per old. */
export interface ListedSplit {
  readonly exDay: CalendarDay;
  readonly ratio: number;
}

/** What is known of a series in addition to its bars. */
export interface JumpFacts {
  /** The listed splits; empty where none is listed. */
  readonly splits: readonly ListedSplit[];
  /** True when prices should not move by a split. */
  readonly adjusted: boolean;
}

/** A move is odd when it is this many times the median move and larger than ten per cent. */
const ODD_TIMES = 20;
const ODD_MIN = Math.log(1.1);

/** Splits of less than five for four move prices no more than a bad day does. */
const PLAIN_SPLIT = Math.log(1.25) - 1e-9;

/**
 * Moves between days that look like unlisted splits, listed splits that a series does not show or should not,
 * prices in another unit, and bars that jump or reach further than any plausible one.
 */
export function* oddMoves(columns: BarColumns, facts: JumpFacts): Generator<Remark> {
  const { open, high, low, close, length } = columns;
  const reach = (row: number): number => Math.log((high[row] as number) / (low[row] as number));
  const jump = (row: number): number => Math.log((open[row] as number) / (close[row - 1] as number));
  const limitOf = (moves: readonly number[]): number => Math.max(ODD_MIN, ODD_TIMES * median(moves));
  const rows = Array.from({ length }, (_, row) => row);
  const reachLimit = limitOf(rows.map(reach));
  const jumpLimit = limitOf(rows.slice(1).map((row) => Math.abs(jump(row))));
  const listedSplits = splitsByRow(columns, facts.splits);
  for (const row of rows) {
    const splits = listedSplits.get(row) ?? [];
    const moved = row === 0 ? 0 : jump(row);
    const wrong = splits.length === 0 ? undefined : wrongSplit(columns, { row, moved, splits }, facts);
    if (wrong !== undefined) yield wrong;
    else {
      const other = moved - moveBy(splits, moved);
      if (Math.abs(other) > ODD_MIN) yield* oddJump(columns, { row, moved: other, jumpLimit }, facts);
    }
    if (reach(row) > reachLimit) {
      yield { kind: 'outlier', row, message: `Reached from low ${low[row]} to high ${high[row]}` };
    }
  }
}

/** The first bar after each listed split, with all that fall between it and the bar before. */
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
    // A week or a month may hold the day of a split within it.
    if (barClose(market, columns.period, columns.time[row - 1] as Millis) > at) continue;
    byRow.set(row, [...(byRow.get(row) ?? []), split]);
  }
  return byRow;
}

function ratioOf(splits: readonly ListedSplit[]): number {
  return splits.reduce((product, { ratio }) => product * ratio, 1);
}

/** The part of a move that listed splits account for: all of theirs where it is nearer to that than to none. */
function moveBy(splits: readonly ListedSplit[], moved: number): number {
  const wanted = -Math.log(ratioOf(splits));
  return Math.abs(moved - wanted) < Math.abs(moved) ? wanted : 0;
}

interface Move {
  readonly row: number;
  readonly moved: number;
}

/** A listed split which the prices show although they were adjusted, or do not show although they were not. */
function wrongSplit(
  { open, close }: BarColumns,
  { row, moved, splits }: Move & { readonly splits: readonly ListedSplit[] },
  { adjusted }: JumpFacts,
): Remark | undefined {
  const ratio = ratioOf(splits);
  const wanted = Math.abs(Math.log(ratio));
  if (wanted < PLAIN_SPLIT) return undefined;
  const days = splits.map(({ exDay }) => exDay).join(' and ');
  const prices = `from ${close[row - 1]} to ${open[row]}`;
  if (adjusted && moveBy(splits, moved) !== 0) {
    const message = `Opened ${prices}, by the split of ${ratio} that events.csv lists on ${days}: this series is not adjusted for it`;
    return { kind: 'split', row, message };
  }
  const logReturn = Math.log((close[row] as number) / (close[row - 1] as number));
  if (adjusted || Math.max(Math.abs(moved), Math.abs(logReturn)) > wanted / 3) return undefined;
  const message = `Opened ${prices}, though events.csv lists a split of ${ratio} on ${days}: these prices include it already, and a backtest would count it twice`;
  return { kind: 'split-twice', row, message };
}

function* oddJump(
  columns: BarColumns,
  { row, moved, jumpLimit }: Move & { readonly jumpLimit: number },
  { splits }: JumpFacts,
): Generator<Remark> {
  const { open, close, time } = columns;
  const market = marketOf(columns.symbol);
  const prices = `from ${close[row - 1]} to ${open[row]}`;
  const logReturnShare = Math.log((close[row] as number) / (close[row - 1] as number)) / moved;
  const stays = logReturnShare > 0.5;
  const scale = stays ? likelyScale(moved) : undefined;
  if (scale !== undefined) {
    const message = `Opened ${prices}, ${scale}: are these prices of another unit, such as pence for pounds?`;
    yield { kind: 'scale', row, message };
    return;
  }
  const isNewDay = dayOf(market, time[row] as Millis) !== dayOf(market, time[row - 1] as Millis);
  const split = isNewDay && stays && splits.length === 0 ? likelySplit(moved) : undefined;
  if (split !== undefined) {
    const message = `Opened ${prices}, like a ${split} split that neither these prices nor an events.csv account for`;
    yield { kind: 'split', row, message };
  } else if (Math.abs(moved) > jumpLimit) {
    yield { kind: 'outlier', row, message: `Jumped ${prices}` };
  }
}

function median(values: readonly number[]): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[sorted.length >>> 1] ?? 0;
}
