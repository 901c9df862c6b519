import type { GateActor, GateStanding, GateState } from '../model/gate.ts';

/** A request to restrict the gate, or with `active` to end restrictions. */
export interface GateTransition {
  readonly to: GateState;
  readonly by: GateActor;
  readonly rule: string;
  /** Why; an operator's resume needs one. */
  readonly reason: string;
  /** What restricts, where it is not the rule itself; absent: the rule, or the operator. */
  readonly cause?: string;
}

/** What comes of a request: another standing, nothing because the restriction holds already, or a refusal. */
export type GateTransitionResult =
  | { readonly kind: 'moved'; readonly standing: GateStanding }
  | { readonly kind: 'stays' }
  | { readonly kind: 'refused'; readonly why: string };
