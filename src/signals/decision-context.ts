import type { Bar, BarColumns } from '../model/bar.ts';
import type { NodeReading } from '../model/node-reading.ts';
import type { FeedColumns } from './column-cache.ts';
import type { UsedSignals } from './emission-rule.ts';
import type { RawSignal } from './signal.ts';
import type { SignalEvents } from './signal-events.ts';

/** Evaluates a program bar by bar, for one symbol. */
export interface SignalStepper {
  /** Bars taken so far. */
  readonly fed: () => number;
  /** Takes a bar of the warm-up without emitting signals. Throws like `push`. */
  readonly warm: (bar: Bar) => void;
  /**
   * Takes the next closed bar and returns its signals, in the record's order; a shared empty array if there are none,
   * or during warm-up. Throws RangeError if the bar is not later than the previous one, or if a figure that it reads
   * is not finite.
   */
  readonly push: (bar: Bar) => readonly RawSignal[];
  /**
   * Returns the value at the last bar, NaN while undefined; for a signal its direction (1, -1, 0). Series of a group
   * are named `group.part`. Throws RangeError for a name that the record does not have.
   */
  readonly value: (name: string) => number;
  /**
   * Returns the value at the last bar of a charted series, by its index in `SignalProgram.chartedSeries`; NaN while
   * undefined.
   */
  readonly charted: (series: number) => number;
  /** Returns every node of the graph at the last bar, inputs first; computes and changes nothing. */
  readonly nodes: () => readonly NodeReading[];
}

/** Which bars emit signals. */
export interface DecisionContext {
  /** First bar, counted from the first one taken, whose signals are emitted. */
  readonly warmupEnd: number;
  /** Signals that `once` has already passed, if a run reads bars again. The run adds to it. */
  readonly usedUp?: UsedSignals;
  /** Columns of earlier runs over exactly the same bars. */
  readonly kept?: FeedColumns | undefined;
}

/** All signals of a program over columns of bars. */
export interface SignalColumns extends SignalEvents {
  /** The column of a name, with the values of `SignalStepper.value`; computed on first access, then kept. */
  readonly column: (name: string) => Float64Array;
  /** One value of the column; NaN while undefined and outside the bars. */
  readonly value: (name: string, index: number) => number;
}

/** Evaluates columns one run of bars after the other, without keeping the bars. */
export interface ColumnScan {
  /** Takes the next bars. Events count bars from the first one ever taken, and are valid until the next call. */
  readonly feed: (bars: BarColumns) => SignalEvents;
}

/** Takes the next bars and writes their values; keeps only as many bars as its windows need. */
export type ColumnFeed = (bars: BarColumns, into: Float64Array) => void;
