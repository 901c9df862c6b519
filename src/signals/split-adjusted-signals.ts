import { type BarColumns, lowerBound } from '../model/bar.ts';
import type { SignalColumns } from './decision-context.ts';
import type { UsedSignals } from './emission-rule.ts';
import type { ChartedColumn, SignalProgram } from './program.ts';
import type { ColumnSignal } from './signal-events.ts';
import { rebasedColumns, type SplitAdjustment } from './split-adjustment.ts';

/** The signals of a program over bars with splits between them. */
export interface SplitAdjustedSignals {
  /** Bar of each event, ascending. */
  readonly bars: Int32Array;
  readonly at: (event: number) => ColumnSignal;
  /** Returns one value, in the shares of `now`; NaN while undefined and outside the bars. */
  readonly value: (name: string, index: number, now: number) => number;
}

/**
 * Evaluates a program over columns so that at each bar the whole past is in the shares of that bar: after a split all
 * earlier bars are converted to new shares and evaluated again. No bar knows of a later split. The changes must be
 * ascending.
 */
export function splitAdjustedSignals(
  program: SignalProgram,
  columns: BarColumns,
  changes: readonly SplitAdjustment[],
  warmupEnd: number,
): SplitAdjustedSignals {
  const [first, ...others] = segmentsOf(program, columns, changes, warmupEnd);
  if (first === undefined) throw new Error('Bars have at least one stretch between changes');
  if (others.length === 0) return first.signals;
  const all = [first, ...others];
  const events = all.flatMap((stretch) =>
    Array.from(
      { length: stretch.signals.count },
      (_, event): Placed => ({ stretch: stretch.signals, event }),
    ),
  );
  return {
    bars: Int32Array.from(events, ({ stretch, event }) => stretch.bars[event] as number),
    at: (index) => {
      const found = events[index];
      if (found === undefined) throw new RangeError(`No event ${index} among ${events.length} signals`);
      return found.stretch.at(found.event);
    },
    value: (name, index, now) => {
      const known = all.findLast(({ from }) => from <= now) ?? first;
      return known.signals.value(name, index);
    },
  };
}

/** Computes the charted series of a program over columns with splits: each value in the shares of that bar. */
export function splitAdjustedColumns(
  program: SignalProgram,
  columns: BarColumns,
  changes: readonly SplitAdjustment[],
): readonly ChartedColumn[] {
  const [first, ...others] = piecesOf(columns, changes).map(({ segment, begin, end }) => ({
    begin,
    end,
    charted: program.charted(segment),
  }));
  if (first === undefined) throw new Error('Bars have at least one stretch between changes');
  return first.charted.map(({ name, isPrice, values: own }, at) => {
    const values = new Float64Array(columns.length);
    values.set(own.subarray(first.begin, first.end), first.begin);
    for (const { begin, end, charted } of others)
      values.set(charted[at]?.values.subarray(begin, end) ?? [], begin);
    return { name, isPrice, values };
  });
}

/** The bars up to the next change, in the shares from `from` on. */
interface Segment {
  readonly from: number;
  readonly signals: SignalColumns;
}

function segmentsOf(
  program: SignalProgram,
  columns: BarColumns,
  changes: readonly SplitAdjustment[],
  warmupEnd: number,
): readonly Segment[] {
  const usedUp: UsedSignals = new Set();
  return piecesOf(columns, changes).map(({ change, begin, segment }) => {
    const signals = program.overColumns(segment, { warmupEnd: Math.max(warmupEnd, begin), usedUp });
    return { from: change?.at ?? Number.NEGATIVE_INFINITY, signals };
  });
}

/** The bars from one change to the next, with all earlier bars in the shares of that time. */
interface Piece {
  /** Undefined before the first change. */
  readonly change: SplitAdjustment | undefined;
  readonly begin: number;
  readonly end: number;
  readonly segment: BarColumns;
}

function piecesOf(columns: BarColumns, changes: readonly SplitAdjustment[]): readonly Piece[] {
  const effectiveChanges = changes.filter(({ barsFrom }) => lowerBound(columns, barsFrom) > 0);
  const starts = effectiveChanges.map(({ barsFrom }) => lowerBound(columns, barsFrom));
  return [undefined, ...effectiveChanges].map((change, index) => {
    const begin = change === undefined ? 0 : (starts[index - 1] ?? 0);
    const end = starts[index] ?? columns.length;
    const adjusted = index === 0 ? columns : rebasedColumns(columns, effectiveChanges.slice(0, index), end);
    const segment = index === 0 && end < columns.length ? rebasedColumns(columns, [], end) : adjusted;
    return { change, begin, end, segment };
  });
}

interface Placed {
  readonly stretch: SignalColumns;
  readonly event: number;
}
