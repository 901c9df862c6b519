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

/** One event and the state of the world at the moment of asking, as plain data. */
export interface StrategyQuestion {
  readonly event: StrategyEvent;
  readonly snapshot: ContextSnapshot;
  /** What the strategy remembers; absent before anything was kept, and then it begins with its initial state. */
  readonly state?: KeptState;
}

/** What went wrong in code that the strategy's author wrote. It is final for the strategy. */
export interface StrategyFailure {
  readonly kind: 'failed';
  readonly message: string;
  readonly stack: string;
}

/** What the strategy answered; a failure has what it threw. */
export type StrategyAnswer =
  | {
      readonly kind: 'drafts';
      readonly drafts: readonly OrderDraft[];
      /** What it remembers from now on; absent when that is what it was asked with. */
      readonly state?: KeptState;
      /** True where the hook made drafts and returned nothing. */
      readonly isUnreturned?: true;
    }
  | StrategyFailure;

/** The output of a strategy's signal graph at one bar. */
export interface BarReading {
  /** False while the graph warms up: the strategy is not called for such a bar and no signal is emitted. */
  readonly decides: boolean;
  readonly raised: readonly RawSignal[];
}

/** Values of everything that the strategy's `signals` named, at a symbol's newest bar. */
export type SignalValues = Readonly<Record<string, number>>;

/** The output of the graph for the bars that it was fed: one reading for each, in order. */
export interface SignalReadings {
  readonly kind: 'readings';
  readonly readings: readonly BarReading[];
}

/** The nodes of a signal graph for each symbol, for a person to look at. */
export interface GraphReading {
  readonly kind: 'nodes';
  readonly symbols: readonly { readonly symbol: string; readonly nodes: readonly NodeReading[] }[];
}

/** The newest values of a strategy's series for one symbol, for a person to look at. */
export interface SeriesReading {
  readonly kind: 'series';
  /** Opens of the bars, epoch milliseconds, ascending. */
  readonly times: readonly number[];
  readonly series: readonly {
    /** As the strategy calls it, or the indicator that a signal reads, as in `sma(close,10)`. */
    readonly name: string;
    /** Whether it is a level of the price; null where an author's own indicator does not tell. */
    readonly isPrice: boolean | null;
    /** One for each bar, in the shares of that bar; null while undefined and before the last bar of the warm-up. */
    readonly values: readonly (number | null)[];
  }[];
}

/** A strategy's signal graph where the strategy runs: one run of it per symbol, driven bar by bar. */
export interface SignalDrive {
  /** Bars of each symbol that are fed before the first is decided on. */
  readonly warmup: number;
  /** Feeds closed bars, each symbol's oldest first. They are taken in the order of subscription. */
  take(bars: readonly Bar[]): Question<SignalReadings | StrategyFailure>;
  /**
   * Values of everything that `signals` named, at a symbol's newest bar, in the shares of now; empty where the graph runs
   * elsewhere, for there the strategy's context is given them.
   */
  values(symbol: SecuritySymbol, now: Millis): SignalValues;
  /** The nodes of the graph; undefined while it is at work or has ended. Absent where no one can look at it. */
  nodes?(): Question<GraphReading | undefined>;
  /** The newest values of its series for one symbol; undefined while it is at work or has ended. Absent where no one can look at it. */
  series?(symbol: SecuritySymbol): Question<SeriesReading | undefined>;
}

/** Where a strategy runs. It is called with one event at a time; each question gets exactly one answer, in order. */
export interface StrategyHost {
  ask(question: StrategyQuestion): Question<StrategyAnswer>;
  /** Which events the strategy listens to, so that the rest is never sent. */
  readonly listensTo: ReadonlySet<StrategyQuestion['event']['kind']>;
  /** The state that the strategy declares; absent when it remembers nothing. */
  readonly remembers?: DeclaredState | undefined;
}

/** What a strategy declares about its state. */
export interface DeclaredState {
  /** The state before the first event, and the version of its shape. */
  readonly initial: KeptState;
  /** Whether it makes its shape from that of earlier versions. */
  readonly upgrades: boolean;
}
