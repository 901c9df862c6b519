import type { KeptState } from '../../model/kept-state.ts';
import type { DeclaredState } from '../../ports/strategy-host.ts';
import type { HookResult, Remembering, Strategy } from '../../strategy/define-strategy.ts';
import type { Decision } from '../../strategy/order-draft.ts';
import { type PlainData, readState, STATE_CHARS, STATE_CHARS_MAX, stateOf } from '../../strategy/state.ts';

/** The state that a strategy declares, for the engine; undefined when it declares none. */
export function declaredState({ state }: Strategy): DeclaredState | undefined {
  if (state === undefined) return undefined;
  const read = readState(state.initial, STATE_CHARS_MAX);
  // `defineStrategy` has refused a strategy of which this is not so.
  const text = read.kind === 'state' ? read.text : 'null';
  return { initial: { version: state.version ?? 1, text }, upgrades: state.upgrade !== undefined };
}

/**
 * The state that goes with a question, in the strategy's own version; undefined when it declares none. Throws RangeError for
 * a state of another version that the strategy does not upgrade, and whatever its `upgrade` throws.
 */
export function heldState({ name, state }: Strategy, stored: KeptState | undefined): PlainData | undefined {
  if (state === undefined) return undefined;
  const version = state.version ?? 1;
  if (stored === undefined) return stateOf(JSON.stringify(state.initial));
  if (stored.version === version) return stateOf(stored.text);
  if (state.upgrade === undefined)
    throw new RangeError(
      `state of version ${stored.version} was kept of "${name}", which declares ${version}`,
    );
  return state.upgrade(stateOf(stored.text), stored.version) ?? null;
}

/** What is odd about an answer. */
interface StateProblem {
  readonly problem: string;
}

/** What a hook returned, taken apart: what it remembers from now on, and what it wants done. */
export interface HookOutcome {
  /** Undefined when the strategy declares no state; the state it was asked with when the hook returned none. */
  readonly state: unknown;
  readonly decision: Decision;
}

/** Takes `{ state, orders }` apart; everything else is a decision that leaves the state as it is. */
export function separateState(
  strategy: Strategy,
  result: HookResult<PlainData | undefined>,
  state: PlainData | undefined,
): HookOutcome | StateProblem {
  if (!isRemembering(result)) return { state, decision: result };
  if (strategy.state === undefined)
    return {
      problem: 'returned a state, but declares none (want "state: { initial: ... }" in defineStrategy)',
    };
  return { state: result.state, decision: result.orders };
}

/** Whether a hook returned `{ state, orders }`. */
export function isRemembering(
  result: HookResult<PlainData | undefined>,
): result is Remembering<PlainData | undefined> {
  return typeof result === 'object' && result !== null && !('kind' in result) && 'state' in result;
}

/** The state as it is kept if it is not what was kept already, or what is odd about it. */
export function stateToKeep(
  { state: terms }: Strategy,
  state: unknown,
  before: KeptState | undefined,
): { readonly state?: KeptState } | StateProblem {
  if (terms === undefined) return {};
  const read = readState(state, terms.charsMax ?? STATE_CHARS);
  if (read.kind === 'odd') return { problem: `returned a state that cannot be kept: ${read.what}` };
  const version = terms.version ?? 1;
  const known = before ?? { version, text: JSON.stringify(terms.initial) };
  const isKnown = known.version === version && known.text === read.text;
  return isKnown ? {} : { state: { version, text: read.text } };
}
