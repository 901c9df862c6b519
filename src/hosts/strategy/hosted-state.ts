import type { KeptState } from '../../model/kept-state.ts';
import type { DeclaredState } from '../../ports/strategy-host.ts';
import type { HookResult, Remembering, Strategy } from '../../strategy/define-strategy.ts';
import type { Decision } from '../../strategy/order-draft.ts';
import { type PlainData, readState, STATE_CHARS, STATE_CHARS_MAX, stateOf } from '../../strategy/state.ts';

/** Returns the state that a strategy declares; undefined if it declares none. */
export function declaredState({ state }: Strategy): DeclaredState | undefined {
  if (state === undefined) return undefined;
  const read = readState(state.initial, STATE_CHARS_MAX);
  // `defineStrategy` has validated the initial state.
  const text = read.kind === 'state' ? read.text : 'null';
  return { initial: { version: state.version ?? 1, text }, canUpgrade: state.upgrade !== undefined };
}

/**
 * Returns the state for a request, in the strategy's version; undefined if it declares none. Throws RangeError for
 * another version without an `upgrade`, and anything that `upgrade` throws.
 */
export function currentState(
  { name, state }: Strategy,
  stored: KeptState | undefined,
): PlainData | undefined {
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

/** Why a result is invalid. */
interface StateProblem {
  readonly problem: string;
}

/** The result of a hook, split into state and decision. */
interface HookOutcome {
  /** Undefined if the strategy declares no state; the previous state if the hook returned none. */
  readonly state: unknown;
  readonly decision: Decision;
}

/** Splits `{ state, orders }`; any other result is a decision that leaves the state unchanged. */
export function separateState(
  strategy: Strategy,
  result: HookResult<PlainData | undefined>,
  state: PlainData | undefined,
): HookOutcome | StateProblem {
  if (hasOrdersOnly(result))
    return {
      problem: 'returned { orders } without a state, want the orders themselves, or { state, orders }',
    };
  if (!isRemembering(result)) return { state, decision: result };
  if (strategy.state === undefined)
    return {
      problem: 'returned a state, but declares none (want "state: { initial: ... }" in defineStrategy)',
    };
  return { state: result.state, decision: result.orders };
}

/** Returns whether a hook returned `{ state, orders }`. */
export function isRemembering(
  result: HookResult<PlainData | undefined>,
): result is Remembering<PlainData | undefined> {
  return typeof result === 'object' && result !== null && !('kind' in result) && 'state' in result;
}

function hasOrdersOnly(result: unknown): boolean {
  return (
    typeof result === 'object' &&
    result !== null &&
    'orders' in result &&
    !('kind' in result) &&
    !('state' in result)
  );
}

/** Returns the state to store if it differs from the stored one, or why it is invalid. */
export function changedState(
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
