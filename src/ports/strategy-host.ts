import type { Bar } from '../model/bar.ts';
import type { KeptState } from '../model/kept-state.ts';
import type { NodeReading } from '../model/node-reading.ts';
import type { SecuritySymbol } from '../model/symbol.ts';
import type { Millis } from '../model/time.ts';
import type { RawSignal } from '../signals/signal.ts';
import type { ContextSnapshot } from '../strategy/context.ts';
import type { OrderDraft } from '../strategy/order-draft.ts';
import type { StrategyEvent } from '../strategy/strategy-event.ts';
import type { Question } from './task.ts';

/** One event and the state at the time of the call, as plain data. */
export interface StrategyQuestion {
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

/** Answer of a strategy; a failure has what it threw. */
export type StrategyAnswer =
  | {
      readonly kind: 'drafts';
      readonly drafts: readonly OrderDraft[];
      /** The new state; absent if it did not change. */
      readonly state?: KeptState;
      /** True if the hook made drafts and returned nothing. */
      readonly isUnreturned?: true;
    }
  | StrategyFailure;

/** The output of a strategy's signal graph at one bar. */
export interface BarReading {
  /** False while the graph warms up: the strategy is not called for such a bar, and no signal is emitted. */
  readonly decides: boolean;
  readonly raised: readonly RawSignal[];
}

/** Values of all names of the strategy's `signals`, at a symbol's newest bar. */
export type SignalValues = Readonly<Record<string, number>>;

/** The output of the graph for a number of bars: one reading for each, in order. */
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

/** A strategy's signal graph in the place where the strategy runs: one instance per symbol, evaluated bar by bar. */
export interface SignalDrive {
  /** Number of warm-up bars of each symbol. */
  readonly warmup: number;
  /** Passes closed bars, each symbol's oldest first. They are evaluated in the order of subscription. */
  take(bars: readonly Bar[]): Question<SignalReadings | StrategyFailure>;
  /**
   * Values of all names of `signals`, at a symbol's newest bar, in current shares; empty if the graph runs elsewhere,
   * because the strategy's context gets them there.
   */
  values(symbol: SecuritySymbol, now: Millis): SignalValues;
  /** The nodes of the graph; undefined while it is busy or has ended. Absent if they cannot be displayed. */
  nodes?(): Question<GraphReading | undefined>;
  /**
   * The newest values of its series for one symbol; undefined while it is busy or has ended. Absent if they cannot be
   * displayed.
   */
  series?(symbol: SecuritySymbol): Question<SeriesReading | undefined>;
}

/** Runs a strategy. It is called with one event at a time; each question gets exactly one answer, in order. */
export interface StrategyHost {
  ask(question: StrategyQuestion): Question<StrategyAnswer>;
  /** Events that the strategy has hooks for; others are not sent. */
  readonly listensTo: ReadonlySet<StrategyQuestion['event']['kind']>;
  /** The declared state; absent if the strategy has none. */
  readonly remembers?: DeclaredState | undefined;
}

/** Declaration of a strategy's state. */
export interface DeclaredState {
  /** The state before the first event, and the version of its shape. */
  readonly initial: KeptState;
  /** True if it converts the state of earlier versions. */
  readonly upgrades: boolean;
}
