import type { GateActor, GateStanding, GateState } from '../model/gate.ts';

/** A request to restrict the gate, or with `active` to end restrictions. */
export interface GateTransition {
  readonly to: GateState;
  readonly by: GateActor;
  readonly rule: string;
  /** Reason; required for an operator's resume. */
  readonly reason: string;
  /** The cause, if it is not the rule itself; absent: the rule, or the operator. */
  readonly cause?: string;
}

/** Result of a request: a new state, no change because the restriction already exists, or a refusal. */
export type GateTransitionResult =
  | { readonly kind: 'moved'; readonly standing: GateStanding }
  | { readonly kind: 'stays' }
  | { readonly kind: 'refused'; readonly why: string };
