import type { Bar } from '../model/bar.ts';
import type { KeptState } from '../model/kept-state.ts';
import type { NodeReading } from '../model/node-reading.ts';
import type { SecuritySymbol } from '../model/symbol.ts';
import type { Millis } from '../model/time.ts';
import type { RawSignal } from '../signals/signal.ts';
import type { ContextSnapshot } from '../strategy/context.ts';
import type { OrderDraft } from '../strategy/order-draft.ts';
import type { StrategyEvent } from '../strategy/strategy-event.ts';
import type { Request } from './task.ts';

/** One event and the state at the time of the call, as plain data. */
export interface StrategyRequest {
  readonly event: StrategyEvent;
  readonly snapshot: ContextSnapshot;
  /** The strategy's state; absent before the first, when it starts with its initial state. */
  readonly state?: KeptState;
}

/** A failure of an author's code. It is final for the strategy. */
export interface StrategyFailure {
  readonly kind: 'failed';
  readonly message: string;
  readonly stack: string;
}

/** Answer of a strategy; a failure has the message and stack of what it threw. */
export type StrategyAnswer =
  | {
      readonly kind: 'drafts';
      readonly drafts: readonly OrderDraft[];
      /** The new state; absent if it did not change. */
      readonly state?: KeptState;
      /** True if the hook made drafts and returned nothing. */
      readonly returnedNothing?: true;
    }
  | StrategyFailure;

/** The output of a strategy's signal graph at one bar. */
export interface BarReading {
  /** False while the graph warms up: the strategy is not called for such a bar, and no signal is emitted. */
  readonly isWarmedUp: boolean;
  readonly signals: readonly RawSignal[];
}

/** Values of all names of the strategy's `signals`, at a symbol's newest bar. */
export type SignalValues = Readonly<Record<string, number>>;

/** The output of the graph for several bars: one reading for each, in order. */
export interface SignalReadings {
  readonly kind: 'readings';
  readonly readings: readonly BarReading[];
}

/** The nodes of a signal graph for each symbol, for display. */
export interface GraphReading {
  readonly kind: 'nodes';
  readonly symbols: readonly { readonly symbol: string; readonly nodes: readonly NodeReading[] }[];
}

/** The newest values of a strategy's series for one symbol, for display. */
export interface SeriesReading {
  readonly kind: 'series';
  /** Open times of the bars, epoch milliseconds, ascending. */
  readonly times: readonly number[];
  readonly series: readonly {
    /** The strategy's name, or the indicator that a signal reads, such as `sma(close,10)`. */
    readonly name: string;
    /** True for a price level; null for a custom indicator. */
    readonly isPrice: boolean | null;
    /** One for each bar, in the shares of that bar; null while undefined and before the last bar of the warm-up. */
    readonly values: readonly (number | null)[];
  }[];
}

/** A strategy's signal graph, evaluated where the strategy runs: one instance per symbol, bar by bar. */
export interface SignalEvaluator {
  /** Number of warm-up bars of each symbol. */
  readonly warmup: number;
  /** Evaluates closed bars, each symbol's oldest first. Calls are evaluated in the order of subscription. */
  evaluate(bars: readonly Bar[]): Request<SignalReadings | StrategyFailure>;
  /**
   * Values of all names of `signals`, at a symbol's newest bar, in current shares; empty if the graph runs elsewhere,
   * because the strategy's context gets them there.
   */
  values(symbol: SecuritySymbol, now: Millis): SignalValues;
  /** The nodes of the graph; undefined while it is busy or has ended. Absent if they cannot be displayed. */
  nodes?(): Request<GraphReading | undefined>;
  /**
   * The newest values of its series for one symbol; undefined while it is busy or has ended. Absent if they cannot be
   * displayed.
   */
  series?(symbol: SecuritySymbol): Request<SeriesReading | undefined>;
}

/** Runs a strategy. It is called with one event at a time; each request gets exactly one answer, in order. */
export interface StrategyHost {
  call(request: StrategyRequest): Request<StrategyAnswer>;
  /** Events that the strategy has hooks for; others are not sent. */
  readonly listensTo: ReadonlySet<StrategyRequest['event']['kind']>;
  /** Absent if the strategy declares no state. */
  readonly declaredState?: DeclaredState | undefined;
}

/** Declaration of a strategy's state. */
export interface DeclaredState {
  /** The state before the first event, and the version of its shape. */
  readonly initial: KeptState;
  /** True if it converts the state of earlier versions. */
  readonly canUpgrade: boolean;
}
