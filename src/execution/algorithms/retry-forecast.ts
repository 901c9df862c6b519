import type { TrackedOrder } from '../../events/bot-state.ts';
import type { TrackedAlgorithm } from '../../events/records/algorithm-record.ts';
import type { Millis } from '../../model/time.ts';
import type { FactParts } from './facts-for.ts';
import type { AlgorithmAction } from './plan.ts';
import { planOf } from './plans.ts';
import { baseSlot } from './rebalance.ts';

/** Exits that wait at the venue, which a bracket maintains as long as its position is held. */
const RESTING: ReadonlySet<string> = new Set(['stop', 'trail', 'target']);

/** Instants that are looked at in turn. Every wait of an algorithm for another try ends within fewer. */
const STEPS_MAX = 20;

/**
 * True if the algorithm of an order that was denied or not sent submits it again, at the same or another quantity, unless
 * something else happens before: it has done so already, or its plan does at one of the instants for which it waits.
 */
export function isSubmittedAgain(
  algorithm: TrackedAlgorithm,
  { intentId, link }: TrackedOrder,
  parts: FactParts,
): boolean {
  if (link === undefined) return false;
  const slot = baseSlot(link.slot);
  const isNewer = [...algorithm.children].some(
    ([name, orders]) => baseSlot(name) === slot && orders.indexOf(intentId) < orders.length - 1,
  );
  if (isNewer) return true;
  // While a halted gate lets no exit pass, its bracket waits for the end of the halt.
  if (link.exit === true && RESTING.has(link.slot)) return algorithm.overruled === undefined;
  const { spec } = algorithm;
  const isSpread = spec.kind === 'slices' && spec.missed === 'spread';
  const isSame = (action: AlgorithmAction): boolean =>
    action.kind === 'submit' && (isSpread || baseSlot(action.slot) === slot);
  const sources = { ...parts.sources, hasCalls: () => true };
  let now: Millis | undefined = parts.now;
  for (let step = 0; step < STEPS_MAX && now !== undefined; step += 1) {
    const actions = planOf(algorithm, { ...parts, sources, now });
    if (actions.some(isSame)) return true;
    now = nextWake(actions, now);
  }
  return false;
}

function nextWake(actions: readonly AlgorithmAction[], now: Millis): Millis | undefined {
  const wakes = actions.flatMap((action) => (action.kind === 'wake' && action.at > now ? [action.at] : []));
  return wakes.toSorted((one, other) => one - other)[0];
}
