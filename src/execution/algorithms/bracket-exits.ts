import type { TrackedOrder } from '../../events/bot-state.ts';
import type { TrackedAlgorithm } from '../../events/records/algorithm-record.ts';
import type { BracketSpec, ExitDistance } from '../../model/algorithm.ts';
import type { Price } from '../../model/decimal.ts';
import { type Children, isOpen } from './children.ts';
import type { TargetExits } from './exit-maintenance.ts';
import { type ExitBasis, isBeyond, stopTerms, targetTerms, trailTerms } from './levels.ts';
import type { AlgorithmFacts } from './plan.ts';

/** A bracket with a position. */
export interface Held {
  readonly algorithm: TrackedAlgorithm;
  readonly spec: BracketSpec;
  readonly facts: AlgorithmFacts;
  readonly children: Children;
  readonly entryPrice: Price;
  readonly basis: ExitBasis;
}

/**
 * Minimum time between two increases of a target while its entry fills: a target protects nothing, and calls are few.
 */
export const TARGET_REST_MS = 5_000;

function exitsIn(
  held: Held,
  slot: 'stop' | 'trail' | 'target',
): Pick<TargetExits, 'slot' | 'quantity' | 'reason'> {
  const reason = `${slot} of what was bought or sold at ${held.entryPrice.toDecimalPlaces(6)}`;
  return { slot, quantity: held.basis.quantity, reason };
}

/**
 * Returns the stop. If the price is already beyond it, the stop is not moved, because a new trigger might wait for
 * the price to return.
 */
export function stopExits(held: Held, stop: Price): TargetExits {
  const isMispriced = ({ terms }: TrackedOrder): boolean => terms.triggerPrice?.eq(stop) === false;
  return {
    ...exitsIn(held, 'stop'),
    growthIntervalMs: 0,
    termsFor: (quantity) => stopTerms({ ...held.basis, quantity }, stop),
    isMispriced,
    amend: (order, rest) =>
      isMispriced(order) && isPassed(held, stop)
        ? undefined
        : { ...order.terms, quantity: order.facets.executed.plus(rest), triggerPrice: stop },
  };
}

/** Returns the venue's trailing stop for the whole position. */
export function trailExits(held: Held, trail: ExitDistance): TargetExits {
  return {
    ...exitsIn(held, 'trail'),
    growthIntervalMs: 0,
    termsFor: (quantity) => trailTerms({ ...held.basis, quantity }, trail),
    isMispriced: () => false,
    amend: (order, rest) => ({ ...order.terms, quantity: order.facets.executed.plus(rest) }),
  };
}

/**
 * Returns the target. Only a new order turns a waiting target into a working limit order, or back. A working target
 * reserves shares that the stop needs, so it waits again once the price has retreated.
 */
export function targetExits(held: Held, goal: Price): TargetExits {
  const { basis, facts, children } = held;
  const waits = targetTerms(basis, goal, facts).type === 'LIT';
  const isFilling = children.of('entry').some(isOpen);
  const isLeft = waits && hasComeBack(held, goal);
  return {
    ...exitsIn(held, 'target'),
    growthIntervalMs: isFilling ? TARGET_REST_MS : 0,
    termsFor: (quantity) => targetTerms({ ...basis, quantity }, goal, facts),
    isMispriced: (order) => isLeft && worksAtTarget(order),
    amend: (order, rest) => {
      const { terms, facets } = order;
      const isWaiting = terms.type === 'LIT' && facets.venue === 'VarietiesNotReported';
      if (isWaiting !== waits) return undefined;
      const price = { price: goal, ...(isWaiting ? { triggerPrice: goal } : {}) };
      return { ...terms, ...price, quantity: facets.executed.plus(rest) };
    },
  };
}

export function worksAtTarget({ link, facets }: TrackedOrder): boolean {
  const { venue } = facets;
  return link?.slot === 'target' && (venue === 'NewStatus' || venue === 'PartialFilledStatus');
}

/** True if the price is nearer to the entry price than to the target. */
function hasComeBack({ entryPrice, facts, basis }: Held, goal: Price): boolean {
  return facts.last !== undefined && isBeyond(facts.last, goal.plus(entryPrice).div(2), 'loss', basis.side);
}

/** True if the price is already beyond a stop, at a venue that checks orders on arrival. */
export function isPassed({ facts, basis }: Pick<Held, 'facts' | 'basis'>, stop: Price): boolean {
  const { last, judgesAtFill } = facts;
  return !judgesAtFill && last !== undefined && isBeyond(last, stop, 'loss', basis.side);
}
