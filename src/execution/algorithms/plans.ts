import type { TrackedOrder } from '../../events/bot-state.ts';
import type { TrackedAlgorithm } from '../../events/records/algorithm-record.ts';
import type { OrderTerms } from '../../model/order.ts';
import type { Millis } from '../../model/time.ts';
import { unreachable } from '../../model/unreachable.ts';
import { bracketRetryAt, planBracket } from './bracket.ts';
import { planChase } from './chase.ts';
import { cancelActions, childrenOf, isOpen, SPLIT } from './children.ts';
import { type FactParts, factsFor, rebalanceFacts } from './facts-for.ts';
import { isLegWanted, ocoRetryAt, planOco } from './oco.ts';
import type { AlgorithmAction, AlgorithmFacts } from './plan.ts';
import { legRetryAt, planRebalance } from './rebalance.ts';
import { planSlices, sliceRetryAt } from './slices.ts';

/**
 * Returns the next actions of an algorithm, from its request and the state of its orders. The same state gives the
 * same actions, so an algorithm resumes after a restart. A split ends all except brackets: their orders are void, and
 * their prices and quantities refer to old shares.
 */
export function planOf(algorithm: TrackedAlgorithm, parts: FactParts): readonly AlgorithmAction[] {
  const { spec, isSplit } = algorithm;
  if (spec.kind === 'rebalance') return planRebalance(algorithm, spec, rebalanceFacts(algorithm, parts));
  const facts = factsFor(algorithm, spec, parts);
  if (isSplit && spec.kind !== 'bracket') return endedBySplit(algorithm, facts);
  switch (spec.kind) {
    case 'bracket':
      return planBracket(algorithm, spec, facts);
    case 'oco':
      return planOco(algorithm, spec, facts);
    case 'slices':
      return planSlices(algorithm, spec, facts);
    case 'chase':
      return planChase(algorithm, spec, facts);
    default:
      return unreachable(spec);
  }
}

function endedBySplit(algorithm: TrackedAlgorithm, facts: AlgorithmFacts): readonly AlgorithmAction[] {
  const open = childrenOf(algorithm, facts).all.filter(isOpen);
  return open.length > 0 ? cancelActions(open, SPLIT) : [{ kind: 'end', outcome: 'canceled', why: SPLIT }];
}

/** True if an order of an algorithm is still needed, after the orders sent before it in the same task. */
export function isStillWanted(algorithm: TrackedAlgorithm, terms: OrderTerms, parts: FactParts): boolean {
  const { spec } = algorithm;
  return spec.kind !== 'oco' || isLegWanted(algorithm, spec, factsFor(algorithm, spec, parts), terms);
}

/**
 * Returns when an algorithm submits an order again that was denied, refused or not sent, at the same or another
 * quantity, unless another event comes first; undefined: never. Each algorithm uses the rule of its plan.
 */
export function retryAt(
  algorithm: TrackedAlgorithm,
  order: TrackedOrder,
  parts: FactParts,
): Millis | undefined {
  const { spec, isSplit } = algorithm;
  switch (spec.kind) {
    case 'rebalance':
      return legRetryAt(algorithm, spec, rebalanceFacts(algorithm, parts), order);
    case 'bracket':
      return bracketRetryAt(algorithm, spec, factsFor(algorithm, spec, parts), order);
    case 'slices':
      return isSplit ? undefined : sliceRetryAt(algorithm, spec, factsFor(algorithm, spec, parts), order);
    case 'oco':
      return isSplit ? undefined : ocoRetryAt(algorithm, spec, factsFor(algorithm, spec, parts), order);
    case 'chase':
      return undefined;
    default:
      return unreachable(spec);
  }
}
