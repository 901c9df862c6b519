import type { Decimal } from './decimal.ts';
import type { Millis } from './time.ts';

/**
 * What the gate lets through at all, from the mildest to the strictest: everything that the limits bear (`active`), only
 * what reduces exposure (`reduce-only`), nothing that a strategy asks for (`halted`), and the same with every open order
 * to be cancelled (`killed`). An operator's flatten passes in every state.
 */
export const GATE_STATES = ['active', 'reduce-only', 'halted', 'killed'] as const;
export type GateState = (typeof GATE_STATES)[number];

/** Who may move the gate: a person, one of the gate's own rules, or the comparison of our books with the venue's. */
export const GATE_ACTORS = ['operator', 'gate', 'books'] as const;
export type GateActor = (typeof GATE_ACTORS)[number];

/** How the gate stands, and who put it there and why. */
export interface GateStanding {
  readonly state: GateState;
  readonly by: GateActor;
  /** The rule that moved it, or what the operator used: `daily-loss`, `resume`. */
  readonly rule: string;
  readonly reason: string;
  readonly since: Millis;
}

/** Where the gate stands before anything moved it. */
export const GATE_AT_START: GateStanding = {
  state: 'active',
  by: 'operator',
  rule: 'start',
  reason: '',
  since: 0 as Millis,
};

/** What an operator put down with a resume: losses and drawdown count from here on. */
export interface Resumed {
  readonly at: Millis;
  /** Equity then, in the account's currency; undefined when nobody could tell. */
  readonly equity: Decimal | undefined;
}
