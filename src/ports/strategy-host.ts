import type { Observable } from 'rxjs';
import type { KeptState } from '../model/kept-state.ts';
import type { ContextSnapshot } from '../strategy/context.ts';
import type { OrderDraft } from '../strategy/order-draft.ts';
import type { StrategyEvent } from '../strategy/strategy-event.ts';

/** One event and the state of the world at the moment of asking, as plain data. */
export interface StrategyQuestion {
  readonly event: StrategyEvent;
  readonly snapshot: ContextSnapshot;
  /** What the strategy remembers; absent before anything was kept, and then it begins with its initial state. */
  readonly state?: KeptState;
}

/** What the strategy answered; a failure says what it threw, and is final for the strategy. */
export type StrategyAnswer =
  | {
      readonly kind: 'drafts';
      readonly drafts: readonly OrderDraft[];
      /** What it remembers from now on; absent when that is what it was asked with. */
      readonly state?: KeptState;
    }
  | { readonly kind: 'failed'; readonly message: string; readonly stack: string };

/** Where a strategy runs. It is asked one event at a time; each question gets exactly one answer, in order. */
export interface StrategyHost {
  ask(question: StrategyQuestion): Observable<StrategyAnswer>;
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
