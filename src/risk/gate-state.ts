import { GATE_STATES, type GateActor, type GateStanding, type GateState } from '../model/gate.ts';
import type { Millis } from '../model/time.ts';

/** A wish to move the gate. */
export interface GateWish {
  readonly to: GateState;
  readonly by: GateActor;
  readonly rule: string;
  /** Why; an operator's resume does not go without. */
  readonly reason: string;
}

/** What comes of a wish: another standing, nothing because the gate is there already, or a refusal. */
export type GateMove =
  | { readonly kind: 'moved'; readonly standing: GateStanding }
  | { readonly kind: 'stays' }
  | { readonly kind: 'refused'; readonly why: string };

/**
 * The gate's states as a machine. Anybody tightens, and at once; a rule that asks for less than what holds moves nothing.
 * An operator may resume from everywhere and says why. Without one, only a pause ends by itself: `reduce-only` that the
 * comparison of our books with the venue's had set, once they agree. What a loss, a runaway or a flood of breaches brought
 * about waits for a person.
 */
export function moveGate(standing: GateStanding, wish: GateWish, at: Millis): GateMove {
  const change = strictness(wish.to) - strictness(standing.state);
  if (change === 0) return { kind: 'stays' };
  if (change > 0) return moved(wish, at);
  const set = `Gate is ${standing.state} by ${standing.by} (${standing.rule}: ${standing.reason})`;
  if (wish.by === 'operator') {
    if (wish.reason.trim() !== '') return moved(wish, at);
    return { kind: 'refused', why: `${set}, a resume wants a reason` };
  }
  if (wish.to !== 'active') return { kind: 'stays' };
  const isPause = standing.state === 'reduce-only' && standing.by === 'books' && wish.by === 'books';
  return isPause ? moved(wish, at) : { kind: 'refused', why: `${set}, only an operator may resume` };
}

function moved({ to, by, rule, reason }: GateWish, at: Millis): GateMove {
  return { kind: 'moved', standing: { state: to, by, rule, reason, since: at } };
}

function strictness(state: GateState): number {
  return GATE_STATES.indexOf(state);
}
