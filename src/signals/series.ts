import type { Bar } from '../model/bar.ts';
import type { SlotField } from './slots.ts';

/**
 * Runs an indicator over the bars at positions `from` (inclusive) to `to` (exclusive) of the columns it is bound to.
 * It may be run over one bar or a thousand bars at a time and carries its state across calls, so that live and backtest
 * drive the very same arithmetic in the very same order. Kernels keep their state in one object and copy
 * it into locals for the loop: captured variables that change are allocated again at each bar.
 */
export interface Kernel {
  (from: number, to: number): void;
  /** Where a signal's kernel spoke in its last call, if it lists that; else its direction column is looked through. */
  readonly emitted?: Positions;
  /**
   * Of a kernel that may have no value yet at the first bar that its node declares: how many bars of its last call came before
   * its first value, all of them where it has none. Nodes on top of it start with that value.
   */
  readonly missing?: () => number;
}

/** Positions in columns, ascending: the first `count` of the list. */
export interface Positions {
  readonly count: number;
  readonly list: Int32Array;
}

/** Ties a kernel to its input columns, followed by its output columns; called once per run, state starts fresh. */
export type Bind = (...columns: Float64Array[]) => Kernel;

declare const builtIn: unique symbol;

/**
 * A binding that this module made. Bare columns hold bars that a strategy must not see yet, so no other code is
 * bound to them: authors' indicators get one bar at a time, by `defineIndicator`.
 */
export type BuiltInBind = Bind & { readonly [builtIn]: true };

/** What a source reads off a bar; `session` numbers the exchange's trading days, slots name longer bars. */
export type SourceField = Exclude<keyof Bar, 'symbol' | 'period'> | 'session' | SlotField;

/** One indicator with its inputs and parameters: a node of the signal graph, with one or more output columns. */
export interface GraphNode {
  /** Indicator, inputs and parameters, as in `sma(close,10)`; equal keys are computed once. */
  readonly key: string;
  readonly inputs: readonly Series[];
  /** Number of output columns. */
  readonly width: number;
  /** How many bars before the current one the kernel reads of its inputs. */
  readonly lookback: number;
  /** First bar (0-based, since the first one fed) at which all inputs are defined; the kernel starts there. */
  readonly start: number;
  /** First bar with a value. */
  readonly defined: number;
  /** First bar whose value has forgotten, to about 1e-9, where the feed began. */
  readonly settled: number;
  /** Whether a strategy's author wrote it, or one of its inputs. */
  readonly own: boolean;
  readonly work: { readonly kind: 'source'; readonly field: SourceField } | NodeWork;
}

/** How a node that is no source gets its values; two nodes of one key must come from one maker. */
export interface NodeWork {
  readonly kind: 'kernel';
  readonly bind: BuiltInBind;
  readonly maker: unknown;
}

/**
 * A number per bar: a price column, an indicator, or arithmetic on them. Opaque to strategies, which only pass it on.
 * Undefined (NaN) before its first bar with a value, and a finite number on every bar from there on.
 */
export interface Series {
  readonly kind: 'series';
  /** What reports and `Signal.values` call it. */
  readonly label: string;
  readonly node: GraphNode;
  readonly output: number;
}

/**
 * Events on some bars: direction and strength. Its node has two columns, direction (1 up, -1 down,
 * 0 silent) and strength.
 */
export interface SignalNode {
  readonly kind: 'signal-node';
  readonly node: GraphNode;
  /** The series to show with the signal. */
  readonly loggedInputs: readonly Series[];
  /** How it combines signals of which some emit once; absent where it equals its node's columns. */
  readonly emission?: EmissionRule;
}

/**
 * A signal as an expression. Which event of a signal is its first depends on the bars that are decided on, so `once` is no column:
 * an expression that contains it is evaluated bar by bar, over columns.
 */
export type EmissionRule =
  | { readonly kind: 'node'; readonly node: GraphNode }
  | { readonly kind: 'once'; readonly of: EmissionRule }
  | { readonly kind: 'when'; readonly of: EmissionRule; readonly condition: Series }
  | { readonly kind: 'inverse'; readonly of: EmissionRule }
  | { readonly kind: 'either'; readonly one: EmissionRule; readonly other: EmissionRule };

/** Several series that one indicator gives, by name. */
export type SeriesRecord = Readonly<Record<string, Series>>;
