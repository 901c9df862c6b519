import type { Bar } from '../model/bar.ts';
import type { SlotField } from './slots.ts';

/**
 * Computes an indicator over the bars at positions `from` (inclusive) to `to` (exclusive) of the columns it is bound
 * to. It may be called for one bar or a thousand bars and keeps its state between calls, so live trading and
 * backtests do the same arithmetic in the same order. Kernels keep their state in one object and copy it to locals
 * for the loop, because captured variables that change are allocated again at each bar.
 */
export interface Kernel {
  (from: number, to: number): void;
  /**
   * Positions of the last call at which a signal was emitted, if the kernel lists them; otherwise its direction
   * column is searched.
   */
  readonly emitted?: Positions;
  /**
   * For a kernel that may have no value yet at the first bar that its node declares: the number of bars of its last
   * call before its first value. Dependent nodes start with that value.
   */
  readonly missing?: () => number;
}

/** Positions in columns, ascending: the first `count` of the list. */
export interface Positions {
  readonly count: number;
  readonly list: Int32Array;
}

/** Binds a kernel to its input columns, followed by its output columns; called once per run, with new state. */
export type Bind = (...columns: Float64Array[]) => Kernel;

declare const builtIn: unique symbol;

/**
 * A binding of this module. Columns contain bars that a strategy must not see yet, so other code is never bound to
 * them: custom indicators receive one bar at a time, through `defineIndicator`.
 */
export type BuiltInBind = Bind & { readonly [builtIn]: true };

/** What a source reads from a bar; `session` numbers the exchange's trading days, slots identify longer bars. */
export type SourceField = Exclude<keyof Bar, 'symbol' | 'period'> | 'session' | SlotField;

/** One indicator with its inputs and parameters: a node of the signal graph, with one or more output columns. */
export interface GraphNode {
  /** Indicator, inputs and parameters, such as `sma(close,10)`; equal keys are computed once. */
  readonly key: string;
  readonly inputs: readonly Series[];
  /** Number of output columns. */
  readonly width: number;
  /** Number of earlier bars of its inputs that the kernel reads. */
  readonly lookback: number;
  /** First bar (0-based, from the first one taken) at which all inputs are defined; the kernel starts there. */
  readonly start: number;
  /** First bar with a value. */
  readonly defined: number;
  /** First bar whose value no longer depends, to about 1e-9, on where the feed began. */
  readonly settled: number;
  /** True if a strategy's author wrote it, or one of its inputs. */
  readonly own: boolean;
  readonly work: { readonly kind: 'source'; readonly field: SourceField } | NodeWork;
}

/** How a node other than a source is computed; two nodes with one key must have the same maker. */
export interface NodeWork {
  readonly kind: 'kernel';
  readonly bind: BuiltInBind;
  readonly maker: unknown;
}

/**
 * One number per bar: a price column, an indicator, or arithmetic on them. Opaque to strategies. Undefined (NaN)
 * before its first value, and finite on every bar after it.
 */
export interface Series {
  readonly kind: 'series';
  /** Its name in reports and in `Signal.values`. */
  readonly label: string;
  readonly node: GraphNode;
  readonly output: number;
}

/**
 * Events on some bars, with direction and strength. Its node has two columns: direction (1 up, -1 down, 0 none) and
 * strength.
 */
export interface SignalNode {
  readonly kind: 'signal-node';
  readonly node: GraphNode;
  /** The series to show with the signal. */
  readonly loggedInputs: readonly Series[];
  /** How it combines signals of which some emit once; absent if its node's columns are sufficient. */
  readonly emission?: EmissionRule;
}

/**
 * A signal as an expression. Which event is the first depends on the warm-up, so `once` is not a column: an
 * expression that contains it is evaluated bar by bar over columns.
 */
export type EmissionRule =
  | { readonly kind: 'node'; readonly node: GraphNode }
  | { readonly kind: 'once'; readonly of: EmissionRule }
  | { readonly kind: 'when'; readonly of: EmissionRule; readonly condition: Series }
  | { readonly kind: 'inverse'; readonly of: EmissionRule }
  | { readonly kind: 'either'; readonly one: EmissionRule; readonly other: EmissionRule };

/** The named series of one indicator. */
export type SeriesRecord = Readonly<Record<string, Series>>;
