import type { Observable } from 'rxjs';
import type { ContextSnapshot } from '../strategy/context.ts';
import type { OrderDraft } from '../strategy/order-draft.ts';
import type { StrategyEvent } from '../strategy/strategy-event.ts';

/** One event and the state of the world at the moment of asking, as plain data. */
export interface StrategyQuestion {
  readonly event: StrategyEvent;
  readonly snapshot: ContextSnapshot;
}

/** What the strategy answered; a failure says what it threw, and is final for the strategy. */
export type StrategyAnswer =
  | { readonly kind: 'drafts'; readonly drafts: readonly OrderDraft[] }
  | { readonly kind: 'failed'; readonly message: string; readonly stack: string };

/** Where a strategy runs. It is asked one event at a time; each question gets exactly one answer, in order. */
export interface StrategyHost {
  ask(question: StrategyQuestion): Observable<StrategyAnswer>;
  /** Which events the strategy listens to, so that the rest is never sent. */
  readonly listensTo: ReadonlySet<StrategyQuestion['event']['kind']>;
}
