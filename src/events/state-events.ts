import type { KeptState, StateNote } from '../model/kept-state.ts';
import type { EventOf } from './event-base.ts';

/** A strategy's state changed, or it handled an execution, without an order that records it. */
export interface StrategyStateSaved extends EventOf<'state-kept'> {
  readonly note: StateNote;
}

/** Saved state of each strategy, by name. */
export type KeptStates = ReadonlyMap<string, KeptState>;
