import type { KeptState, StateNote } from '../model/kept-state.ts';
import type { Millis } from '../model/time.ts';

/** A strategy remembers something else from now on, or has answered an execution, and no order went with it. */
export interface StrategyStateSaved {
  readonly kind: 'state-kept';
  readonly at: Millis;
  readonly note: StateNote;
}

/** What strategies remember, by name. */
export type KeptStates = ReadonlyMap<string, KeptState>;
