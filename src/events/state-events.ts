import type { KeptState, StateNote } from '../model/kept-state.ts';
import type { Millis } from '../model/time.ts';

/** A strategy's state changed, or it handled an execution, without an order that records it. */
export interface StrategyStateSaved {
  readonly kind: 'state-kept';
  readonly at: Millis;
  readonly note: StateNote;
}

/** Saved state of each strategy, by name. */
export type KeptStates = ReadonlyMap<string, KeptState>;
