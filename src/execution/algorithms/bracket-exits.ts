import type { TrackedOrder } from '../../events/bot-state.ts';
import type { TrackedAlgorithm } from '../../events/records/algorithm-record.ts';
import type { BracketSpec, ExitDistance } from '../../model/algorithm.ts';
import type { Price } from '../../model/decimal.ts';
import { type Children, isOpen } from './children.ts';
import type { TargetExits } from './exit-maintenance.ts';
import { type ExitBasis, isBeyond, stopTerms, targetTerms, trailTerms } from './levels.ts';
import type { AlgorithmFacts } from './plan.ts';

/** A bracket with a position. */
export interface OpenBracket {
  readonly algorithm: TrackedAlgorithm;
  readonly spec: BracketSpec;
  readonly facts: AlgorithmFacts;
  readonly children: Children;
  readonly entryPrice: Price;
  readonly basis: ExitBasis;
}

/**
 * Minimum time between two increases of a target while its entry fills: a target does not protect, and calls are scarce.
 */
export const TARGET_GROWTH_INTERVAL_MS = 5_000;

function exitsIn(
  bracket: OpenBracket,
  slot: 'stop' | 'trail' | 'target',
): Pick<TargetExits, 'slot' | 'quantity' | 'reason'> {
  const reason = `${slot} of what was bought or sold at ${bracket.entryPrice.toDecimalPlaces(6)}`;
  return { slot, quantity: bracket.basis.quantity, reason };
}

/**
 * Returns the stop. It is not moved if the price is already beyond it: the new trigger might not fire until the price
 * comes back.
 */
export function stopExits(bracket: OpenBracket, stop: Price): TargetExits {
  const isMispriced = ({ terms }: TrackedOrder): boolean => terms.triggerPrice?.eq(stop) === false;
  return {
    ...exitsIn(bracket, 'stop'),
    growthIntervalMs: 0,
    termsFor: (quantity) => stopTerms({ ...bracket.basis, quantity }, stop),
    isMispriced,
    amend: (order, rest) =>
      isMispriced(order) && isBeyondStop(bracket, stop)
        ? undefined
        : { ...order.terms, quantity: order.facets.executed.plus(rest), triggerPrice: stop },
  };
}

/** Returns the venue's trailing stop for the whole position. */
export function trailExits(bracket: OpenBracket, trail: ExitDistance): TargetExits {
  return {
    ...exitsIn(bracket, 'trail'),
    growthIntervalMs: 0,
    termsFor: (quantity) => trailTerms({ ...bracket.basis, quantity }, trail),
    isMispriced: () => false,
    amend: (order, rest) => ({ ...order.terms, quantity: order.facets.executed.plus(rest) }),
  };
}

/**
 * Returns the target. A conditional target reserves no shares, but a working limit order reserves shares that the stop
 * needs, so the target becomes conditional again once the price has retreated. Either change requires a new order.
 */
export function targetExits(bracket: OpenBracket, target: Price): TargetExits {
  const { basis, facts, children } = bracket;
  const waits = targetTerms(basis, target, facts).type === 'LIT';
  const isFilling = children.of('entry').some(isOpen);
  const mustWaitAgain = waits && hasRetreated(bracket, target);
  return {
    ...exitsIn(bracket, 'target'),
    growthIntervalMs: isFilling ? TARGET_GROWTH_INTERVAL_MS : 0,
    termsFor: (quantity) => targetTerms({ ...basis, quantity }, target, facts),
    isMispriced: (order) => mustWaitAgain && isWorkingTarget(order),
    amend: (order, rest) => {
      const { terms, facets } = order;
      const isWaiting = terms.type === 'LIT' && facets.venue === 'VarietiesNotReported';
      if (isWaiting !== waits) return undefined;
      const price = { price: target, ...(isWaiting ? { triggerPrice: target } : {}) };
      return { ...terms, ...price, quantity: facets.executed.plus(rest) };
    },
  };
}

export function isWorkingTarget({ link, facets }: TrackedOrder): boolean {
  const { venue } = facets;
  return link?.slot === 'target' && (venue === 'NewStatus' || venue === 'PartialFilledStatus');
}

/** True if the price is nearer to the entry price than to the target. */
function hasRetreated({ entryPrice, facts, basis }: OpenBracket, target: Price): boolean {
  return facts.last !== undefined && isBeyond(facts.last, target.plus(entryPrice).div(2), 'loss', basis.side);
}

/** True if the price is already beyond a stop, at a venue that checks orders on arrival. */
export function isBeyondStop({ facts, basis }: Pick<OpenBracket, 'facts' | 'basis'>, stop: Price): boolean {
  const { last, checksAtFill } = facts;
  return !checksAtFill && last !== undefined && isBeyond(last, stop, 'loss', basis.side);
}
