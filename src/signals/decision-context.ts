import type { Bar, BarColumns } from '../model/bar.ts';
import type { NodeReading } from '../model/node-reading.ts';
import type { FeedColumns } from './column-cache.ts';
import type { SpentSignals } from './emission-rule.ts';
import type { RawSignal } from './signal.ts';
import type { SignalEvents } from './signal-events.ts';

/** Bar-by-bar drive of a program, for one symbol. */
export interface SignalStepper {
  /** Bars taken so far. */
  readonly fed: () => number;
  /** Takes a bar of the warm-up: no signal is emitted. Throws like `push`. */
  readonly warm: (bar: Bar) => void;
  /**
   * Takes the next closed bar and returns what the signals say at it, in the record's order; one shared empty array when
   * nothing, or when the bar comes before the first that is decided on. Throws RangeError when the bar is not later than the one before, or a figure it reads is not finite.
   */
  readonly push: (bar: Bar) => readonly RawSignal[];
  /**
   * The value at the bar pushed last, NaN while undefined; of a signal its direction (1, -1, 0). Series of a group go by
   * `group.part`. Throws RangeError for a name that the record does not have.
   */
  readonly value: (name: string) => number;
  /** The value at the bar pushed last of a series that charts show, by its place among `SignalProgram.chartedSeries`; NaN while undefined. */
  readonly charted: (series: number) => number;
  /** Every node of the graph at the bar pushed last, each after its inputs; it computes nothing and changes nothing. */
  readonly nodes: () => readonly NodeReading[];
}

/** Which bars count. */
export interface DecisionContext {
  /** First bar, counted from the first one fed, that is decided on; signals before it are not emitted. */
  readonly warmupEnd: number;
  /** What `once` has let through already, where a run reads bars again; none when absent. It is added to. */
  readonly usedUp?: SpentSignals;
  /** Columns of earlier runs over the very same bars; none when absent. */
  readonly kept?: FeedColumns | undefined;
}

/** All signals of a program over columns of bars. */
export interface SignalColumns extends SignalEvents {
  /** The column behind a name, as `SignalStepper.value` has it; computed when first asked for, then kept. */
  readonly column: (name: string) => Float64Array;
  /** One value of it; NaN while undefined and outside the bars. */
  readonly value: (name: string, index: number) => number;
}

/** Column drive that takes one run of bars after the other and needs memory for none of them. */
export interface ColumnScan {
  /** Takes the next bars; events count bars from the first one ever fed, and are good until it takes more. */
  readonly feed: (bars: BarColumns) => SignalEvents;
}

/** Takes the next bars, and writes the values at them; has memory for no more of them than its windows need. */
export type ColumnFeed = (bars: BarColumns, into: Float64Array) => void;
