import type { BotState, TrackedOrder } from '../../events/bot-state.ts';
import type { TrackedAlgorithm } from '../../events/records/algorithm-record.ts';
import { roundToLot } from '../../markets/lots.ts';
import { type AlgorithmId, otherSide } from '../../model/algorithm.ts';
import { Decimal, type Quantity, ZERO } from '../../model/decimal.ts';
import type { OrderIntent, Side } from '../../model/order.ts';
import { openRest } from '../../model/order-state.ts';
import type { Security } from '../../model/security.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import { openedBy } from './bracket.ts';
import { childrenOf, failureOf, isOpen } from './children.ts';
import { heldBeside, isTaken } from './facts-for.ts';
import { sharesInTransition } from './shares-in-transition.ts';

/** An exit that the spec of a bracket asks for, and that does not work at the venue for all that is held. */
export interface MissingExit {
  readonly algorithm: AlgorithmId;
  readonly symbol: SecuritySymbol;
  readonly slot: 'stop' | 'trail' | 'target';
  /** Shares of the position that no such exit covers. */
  readonly quantity: Quantity;
  /** What is known of why, in words. */
  readonly why: string;
  /** True while an order of the strategy closes the position: its exits are cancelled on purpose. */
  readonly makesWay: boolean;
}

/** The sources of coverage in addition to the state. */
export interface CoverageSources {
  security(symbol: SecuritySymbol): Security | undefined;
  /** Orders that wait until exits are gone. */
  waiting(): readonly OrderIntent[];
}

/**
 * The one rule of protection: a position whose bracket has exits in its spec has each of them working at the venue for all that is
 * held. Returns every exit for which that is not so at this instant, empty when all is covered. An exit counts from the venue's
 * acknowledgement until a cancel is requested; a market order that closes the position counts for all of them, as the next trade fills it.
 */
export function missingExits(state: BotState, sources: CoverageSources): readonly MissingExit[] {
  return [...state.algorithms.values()].flatMap((algorithm) => missingExitsOf(algorithm, state, sources));
}

/** The same for one algorithm; empty for all but brackets. */
export function missingExitsOf(
  algorithm: TrackedAlgorithm,
  state: BotState,
  sources: CoverageSources,
): readonly MissingExit[] {
  if (algorithm.spec.kind !== 'bracket') return [];
  const { entry, exits } = algorithm.spec;
  const children = childrenOf(algorithm, state);
  const { side, symbol } = entry;
  const opened = Decimal.min(openedBy(algorithm, state), heldBeside(algorithm, { symbol, side }, state));
  const lot = sources.security(symbol)?.lotSize ?? 1;
  const quantity = opened.gt(0) ? roundToLot(opened, lot) : ZERO;
  if (quantity.isZero() || workingRest(children.of('close')).gte(quantity)) return [];
  if (closingRest(algorithm, symbol, side, state).gte(quantity)) return [];
  const slots = (['stop', 'trail', 'target'] as const).filter((slot) => exits[slot] !== undefined);
  const isWaiting = (): boolean =>
    sharesInTransition({ symbol, side: otherSide(side) }, state, sources.security).gt(0);
  const isLeaving = slots.some((slot) => slot !== 'target' && children.of(slot).some(isPartlyExecuted));
  return slots.flatMap((slot): readonly MissingExit[] => {
    // A guard that is being filled is the exit; nothing waits for a gain then.
    if (slot === 'target' && isLeaving) return [];
    const orders = children.of(slot);
    const missing = quantity.minus(workingRest(orders));
    if (missing.lte(0)) return [];
    const taken = isTaken(algorithm, { symbol, side: otherSide(side) }, state, sources.waiting());
    const why = taken ? 'an order of the strategy takes the position back' : lastWord(orders, isWaiting);
    return [{ algorithm: algorithm.id, symbol, slot, quantity: missing, why, makesWay: taken }];
  });
}

function isPartlyExecuted({ facets }: TrackedOrder): boolean {
  return facets.executed.gt(0) && facets.executed.lt(facets.ordered);
}

/** Shares that working market orders of the same strategy close, without children of the algorithm. */
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

/** True while the venue has the order and no cancel of it is under way. */
function isWorking(order: TrackedOrder): boolean {
  const { submission, pending, cancelWanted } = order.facets;
  return isOpen(order) && submission.kind === 'acked' && !cancelWanted && !pending.startsWith('cancel-');
}

function lastWord(orders: readonly TrackedOrder[], isWaiting: () => boolean): string {
  const newest = orders.at(-1);
  if (newest !== undefined && isOpen(newest)) return 'the last one is not confirmed by the venue';
  if (isWaiting()) return 'it waits for shares that other orders of the bot still reserve';
  if (newest === undefined) return 'none was sent yet';
  const failure = failureOf(newest);
  return failure === undefined ? 'the last one was for less than is held' : `the last one was ${failure}`;
}
