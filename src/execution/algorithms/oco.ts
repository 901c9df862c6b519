import type { TrackedAlgorithm } from '../../events/records/algorithm-record.ts';
import type { OcoSpec } from '../../model/algorithm.ts';
import { otherSide } from '../../model/algorithm.ts';
import type { OrderTerms } from '../../model/order.ts';
import { cancelActions, childrenOf, executedOf, failureOf, isOpen } from './children.ts';
import { isBeyond } from './levels.ts';
import type { AlgorithmAction, AlgorithmFacts } from './plan.ts';

/** Wants every leg at the venue until one of them trades, then none of the others. */
export function planOco(
  algorithm: TrackedAlgorithm,
  { legs }: OcoSpec,
  facts: AlgorithmFacts,
): readonly AlgorithmAction[] {
  const children = childrenOf(algorithm, facts);
  const known = legs.map((_, at) => children.newest(slotOf(at)));
  if (known.every((leg) => leg === undefined)) {
    return legs.map((terms, at) => ({
      kind: 'submit',
      slot: slotOf(at),
      terms: waiting(terms, facts),
      reason: `${algorithm.reason}, one of ${legs.length}`,
      exclusive: true,
    }));
  }
  const open = children.all.filter(isOpen);
  const traded = children.all.find(({ facets }) => !facets.executed.isZero());
  if (traded !== undefined) {
    const others = open.filter((order) => order !== traded);
    if (open.length === 0)
      return [{ kind: 'end', outcome: 'done', why: `${executedOf(children.all)} traded on one leg` }];
    return cancelActions(others, 'the other leg traded');
  }
  if (open.length > 0) return [];
  const failed = children.all.map(failureOf).find((why) => why !== undefined) ?? 'nothing traded';
  const outcome = children.all.some(({ facets }) => facets.venue === 'CanceledStatus')
    ? 'canceled'
    : 'failed';
  return [{ kind: 'end', outcome, why: `no leg is left: ${failed}` }];
}

function slotOf(at: number): string {
  return `leg-${at + 1}`;
}

/** A limit that the market has not reached waits as a limit if touched, so that it keeps no shares from the other leg. */
function waiting(terms: OrderTerms, { last, judgesAtFill }: AlgorithmFacts): OrderTerms {
  const { type, price, side } = terms;
  if (type !== 'LO' || price === undefined || last === undefined || judgesAtFill) return terms;
  return isBeyond(last, price, 'gain', otherSide(side))
    ? terms
    : { ...terms, type: 'LIT', triggerPrice: price };
}
