import type { BotState, TrackedOrder } from '../../events/bot-state.ts';
import type { TrackedAlgorithm } from '../../events/records/algorithm-record.ts';
import { availableHolding, openedBy } from '../../events/records/bracket-shares.ts';
import { roundToLot } from '../../markets/lots.ts';
import { type AlgorithmId, otherSide } from '../../model/algorithm.ts';
import { Decimal, type Quantity, ZERO } from '../../model/decimal.ts';
import { omitUndefined } from '../../model/omit-undefined.ts';
import type { OrderIntent, Side } from '../../model/order.ts';
import { openRest } from '../../model/order-state.ts';
import type { Security } from '../../model/security.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import { childrenOf, failedTemporarily, failureOf, isOpen, wasCancelled } from './children.ts';
import { hasOtherOrder } from './facts-for.ts';
import { type ProtectiveOrder, waitsForShares, waitsForUnknown } from './shares-in-transition.ts';

/** An exit in the spec of a bracket that does not work at the venue for the whole position. */
export interface MissingExit {
  readonly algorithm: AlgorithmId;
  readonly symbol: SecuritySymbol;
  readonly slot: 'stop' | 'trail' | 'target';
  /** Quantity of the position that no such exit covers. */
  readonly quantity: Quantity;
  readonly why: string;
  /** True while an order of the strategy closes the position, for which its exits are cancelled. */
  readonly isBeingClosed: boolean;
}

/** Sources of coverage in addition to the state. */
export interface CoverageSources {
  security(symbol: SecuritySymbol): Security | undefined;
  /** True for one of several strategies with strategy limits; absent: none has any. */
  readonly hasOwnLimits?: (strategy: string) => boolean;
  /** Orders that wait for exits to be cancelled. */
  waiting(): readonly OrderIntent[];
}

/**
 * Returns the missing exits: each exit in a bracket's spec must work at the venue for the whole position. Empty if
 * all are covered. An exit counts from the venue's acknowledgement until a cancel is requested; a market order that
 * closes the position counts as all exits, as the next trade fills it.
 */
export function missingExits(state: BotState, sources: CoverageSources): readonly MissingExit[] {
  return [...state.algorithms.values()].flatMap((algorithm) => missingExitsOf(algorithm, state, sources));
}

/** The same for one algorithm; empty for all except brackets. */
export function missingExitsOf(
  algorithm: TrackedAlgorithm,
  state: BotState,
  sources: CoverageSources,
): readonly MissingExit[] {
  if (algorithm.spec.kind !== 'bracket') return [];
  const { entry, exits } = algorithm.spec;
  const children = childrenOf(algorithm, state);
  const { side, symbol } = entry;
  const opened = Decimal.min(
    openedBy(algorithm, state),
    availableHolding(algorithm, { symbol, side }, state),
  );
  const lot = sources.security(symbol)?.lotSize ?? 1;
  const quantity = opened.gt(0) ? roundToLot(opened, lot) : ZERO;
  if (quantity.isZero() || workingRest(children.of('close')).gte(quantity)) return [];
  if (closingRest(algorithm, symbol, side, state).gte(quantity)) return [];
  const slots = (['stop', 'trail', 'target'] as const).filter((slot) => exits[slot] !== undefined);
  const isExiting = slots.some((slot) => slot !== 'target' && children.of(slot).some(isPartlyExecuted));
  return slots.flatMap((slot): readonly MissingExit[] => {
    // A partly filled stop or trail is the exit; no target is needed.
    if (slot === 'target' && isExiting) return [];
    const orders = children.of(slot);
    const missing = quantity.minus(workingRest(orders));
    if (missing.lte(0)) return [];
    const isBeingClosed = hasOtherOrder(
      algorithm,
      { symbol, side: otherSide(side) },
      state,
      sources.waiting(),
    );
    const needed = { slot, symbol, side: otherSide(side), missing };
    const why = isBeingClosed
      ? 'an order of the strategy takes the position back'
      : reasonOf(algorithm, orders, () => waitReason(algorithm, needed, orders, state, sources));
    return [{ algorithm: algorithm.id, symbol, slot, quantity: missing, why, isBeingClosed: isBeingClosed }];
  });
}

function isPartlyExecuted({ facets }: TrackedOrder): boolean {
  return facets.executed.gt(0) && facets.executed.lt(facets.ordered);
}

/** Returns the quantity that working market orders of the same strategy close, without orders of the algorithm. */
function closingRest(
  { id, strategy }: TrackedAlgorithm,
  symbol: SecuritySymbol,
  side: Side,
  state: BotState,
): Quantity {
  const closing = [...state.live.values()].filter(
    (order) =>
      order.strategy === strategy &&
      order.terms.symbol === symbol &&
      order.terms.side === otherSide(side) &&
      order.terms.type === 'MO' &&
      order.link?.algorithm !== id,
  );
  return workingRest(closing);
}

function workingRest(orders: readonly TrackedOrder[]): Quantity {
  return orders.reduce((sum, order) => (isWorking(order) ? sum.plus(openRest(order.facets)) : sum), ZERO);
}

/** True while the venue has the order and no cancel is pending. */
function isWorking(order: TrackedOrder): boolean {
  const { submission, pending, cancelWanted } = order.facets;
  return isOpen(order) && submission.kind === 'acked' && !cancelWanted && !pending.startsWith('cancel-');
}

/** Returns the known reason why the exits of a slot cover less than the position; the newest order first. */
function reasonOf(
  algorithm: TrackedAlgorithm,
  orders: readonly TrackedOrder[],
  wait: () => string | undefined,
): string {
  const newest = orders.at(-1);
  const failure = newest === undefined || wasCancelled(newest, algorithm) ? undefined : failureOf(newest);
  if (failure !== undefined && newest !== undefined)
    return `the last one was ${failure}${failedTemporarily(newest) ? ', and is sent again until it works' : ''}`;
  if (newest !== undefined && isOpen(newest)) {
    const { submission, pending } = newest.facets;
    if (submission.kind !== 'acked') return 'the last one is not confirmed by the venue';
    if (!isWorking(newest)) return 'the last one is being cancelled';
    if (pending !== 'none') return 'new terms of the last one are not confirmed by the venue';
  }
  return wait() ?? (newest === undefined ? 'none was sent yet' : 'the last one was for less than is held');
}

/**
 * Returns why the missing exit waits, as a new order or as new terms of the newest; undefined if it does not wait.
 */
function waitReason(
  { id, strategy }: TrackedAlgorithm,
  { slot, symbol, side, missing }: NeededExit,
  orders: readonly TrackedOrder[],
  state: BotState,
  sources: CoverageSources,
): string | undefined {
  const newest = orders.at(-1);
  const grows = newest !== undefined && isWorking(newest) ? newest : undefined;
  const exit: ProtectiveOrder = {
    terms: {
      ...{ symbol, side, type: 'MO', timeInForce: 'day' },
      quantity: grows === undefined ? missing : missing.plus(openRest(grows.facets)),
    },
    link: { algorithm: id, slot, exclusive: true, exit: true },
    strategy,
    ...omitUndefined({ replaces: grows?.intentId }),
  };
  if (waitsForUnknown(exit, state)) return 'it waits until the outcome of another order is known';
  return waitsForShares(exit, state, sources)
    ? 'it waits for shares that other orders of the bot still reserve'
    : undefined;
}

interface NeededExit {
  readonly slot: MissingExit['slot'];
  readonly symbol: SecuritySymbol;
  readonly side: Side;
  readonly missing: Quantity;
}
