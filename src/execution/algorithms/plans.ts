import type { TrackedAlgorithm } from '../../events/records/algorithm-record.ts';
import { unreachable } from '../../model/unreachable.ts';
import { planBracket } from './bracket.ts';
import { planChase } from './chase.ts';
import { cancelActions, childrenOf, isOpen, SPLIT } from './children.ts';
import { type FactParts, factsFor, rebalanceFacts } from './facts-for.ts';
import { planOco } from './oco.ts';
import type { AlgorithmAction, AlgorithmFacts } from './plan.ts';
import { planRebalance } from './rebalance.ts';
import { planSlices } from './slices.ts';

/**
 * How an algorithm decides: from its request and the state of its orders to its next actions. The same state
 * gives the same actions, so after a restart it continues where it was. A split ends all but brackets: their orders
 * are void, and figures of before mean something else.
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
