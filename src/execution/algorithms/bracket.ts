import type { TrackedOrder } from '../../events/bot-state.ts';
import { isFlattened, type TrackedAlgorithm } from '../../events/records/algorithm-record.ts';
import { EXIT_SLOTS, executedOf, openedBy, REVERSAL_SLOT } from '../../events/records/bracket-shares.ts';
import { type BracketSpec, otherSide } from '../../model/algorithm.ts';
import { Decimal, type Price, type Quantity, ZERO } from '../../model/decimal.ts';
import { type Millis, millis } from '../../model/time.ts';
import {
  isBeyondStop,
  isWorkingTarget,
  type OpenBracket,
  stopExits,
  targetExits,
  trailExits,
} from './bracket-exits.ts';
import {
  averagePrice,
  type Children,
  cancelActions,
  childrenOf,
  expiredOf,
  failedTemporarily,
  failureOf,
  isFromBeforeSplit,
  isOpen,
  SPLIT,
  temporaryRetryAt,
  wasCancelled,
  wasDenied,
} from './children.ts';
import { exitRetryAt, maintainExits, type TargetExits } from './exit-maintenance.ts';
import { breakEvenStop, breakEvenTrigger, closeTerms, type ExitBasis, isBeyond, levelOf } from './levels.ts';
import type { AlgorithmAction, AlgorithmFacts } from './plan.ts';

/** Exits that wait at the venue, of which one executes. */
const RESTING = ['stop', 'trail', 'target'] as const;
/** Exits that protect. */
const STOPS = ['stop', 'trail'] as const;

/** Attempts to close a position at the market before an alarm, and the delay between them. */
const CLOSES_MAX = 3;
const CLOSE_RETRY_MS = 60_000;

/**
 * Plans the entry, then exits for exactly the quantity that it opened and that is still held. Exits are cancelled
 * while the strategy's own orders close the position, and sent again for the remainder.
 */
export function planBracket(
  algorithm: TrackedAlgorithm,
  spec: BracketSpec,
  facts: AlgorithmFacts,
): readonly AlgorithmAction[] {
  const children = childrenOf(algorithm, facts);
  const entry = children.newest('entry');
  if (entry === undefined) {
    return [{ kind: 'submit', slot: 'entry', terms: spec.entry, reason: algorithm.reason }];
  }
  const { side, symbol } = spec.entry;
  const open = Decimal.min(openedBy(algorithm, facts), facts.held(side));
  const exits = EXIT_SLOTS.flatMap(children.of).filter(isOpen);
  if (open.lte(0)) {
    const beyond = Decimal.min(openedBy(algorithm, facts).neg(), facts.held(otherSide(side)));
    return (
      reverseDoubleExit({ symbol, side: otherSide(side), quantity: beyond }, exits, {
        algorithm,
        children,
        facts,
      }) ?? withoutPosition(entry, exits, children)
    );
  }
  const quantity = facts.wholeLots(open);
  if (quantity.isZero()) return belowLot(open, entry, exits);
  const ended = externalEndReason(algorithm, children, facts);
  if (ended !== undefined) {
    // Later fills of the entry would have no exits.
    const orders = [...exits, ...children.of('entry').filter(isOpen)];
    return orders.length > 0 ? cancelActions(orders, ended) : [endAction('canceled', ended)];
  }
  if (isClosedByStrategy(spec, facts, children))
    return cancelActions(exits, 'the strategy takes the position back itself');
  const entryPrice = averagePrice(children.of('entry')) ?? ZERO;
  return maintain({ algorithm, spec, facts, children, entryPrice, basis: { symbol, side, quantity } });
}

/**
 * True while the strategy's own orders close the position, unless the bracket is closing it. A halted gate blocks
 * those orders.
 */
function isClosedByStrategy({ entry }: BracketSpec, facts: AlgorithmFacts, children: Children): boolean {
  if (facts.halted && EXIT_SLOTS.some((slot) => children.of(slot).some(isOpen))) return false;
  return facts.hasOtherOrder(otherSide(entry.side)) && children.newest('close') === undefined;
}

/**
 * Returns when an exit that failed is requested again for the same position, in the same slot; undefined: never. A
 * failed stop is not, if its position is closed at the market instead.
 */
export function bracketRetryAt(
  algorithm: TrackedAlgorithm,
  spec: BracketSpec,
  facts: AlgorithmFacts,
  order: TrackedOrder,
): Millis | undefined {
  const slot = order.link?.slot;
  const children = childrenOf(algorithm, facts);
  if (slot === REVERSAL_SLOT) return closeRetryAt(children.of(REVERSAL_SLOT));
  const { side, symbol } = spec.entry;
  const quantity = facts.wholeLots(Decimal.min(openedBy(algorithm, facts), facts.held(side)));
  if (quantity.lte(0) || externalEndReason(algorithm, children, facts) !== undefined) return undefined;
  if (isClosedByStrategy(spec, facts, children)) return undefined;
  if (slot === 'close') return closeRetryAt(children.of('close'));
  const entryPrice = averagePrice(children.of('entry')) ?? ZERO;
  const held = { algorithm, spec, facts, children, entryPrice, basis: { symbol, side, quantity } };
  const isStopped = !executedOf(STOPS.flatMap(children.of)).isZero();
  const isKept = RESTING.some((each) => each === slot) && !(slot === 'target' && isStopped);
  if (!isKept || reasonToClose(held, stopLevel(held)) !== undefined) return undefined;
  const orders = children.of(slot ?? '');
  return orders.at(-1)?.intentId === order.intentId ? exitRetryAt(orders) : undefined;
}

/**
 * Returns when a failed close is requested again; undefined after the last attempt. Temporary failures do not count
 * as attempts.
 */
function closeRetryAt(closes: readonly TrackedOrder[]): Millis | undefined {
  const last = closes.at(-1);
  const attempts = closes.filter((close) => !failedTemporarily(close));
  return last === undefined || attempts.length >= CLOSES_MAX ? undefined : nextCloseAt(closes, last);
}

function nextCloseAt(closes: readonly TrackedOrder[], last: TrackedOrder): Millis {
  return failedTemporarily(last) ? temporaryRetryAt(closes, last) : millis(last.decidedAt + CLOSE_RETRY_MS);
}

/**
 * Returns the order that reverses what exits closed twice, once no exit is working; a failed one is repeated.
 * None is sent after a kill. Undefined if none is needed.
 */
function reverseDoubleExit(
  beyond: ExitBasis,
  exits: readonly TrackedOrder[],
  { algorithm, children, facts }: Pick<OpenBracket, 'algorithm' | 'children' | 'facts'>,
): readonly AlgorithmAction[] | undefined {
  const reversals = children.of(REVERSAL_SLOT);
  const last = reversals.at(-1);
  if (last !== undefined && isOpen(last)) return [];
  if (beyond.quantity.lte(0) || exits.length > 0) return undefined;
  if (facts.killed)
    return isFlattened(algorithm.overruled) ? [] : [reversalFailed(beyond, 'the account was killed')];
  const again = last === undefined ? facts.now : nextCloseAt(reversals, last);
  if (again > facts.now) return [{ kind: 'wake', at: again }];
  if (facts.halted) return [];
  if (last !== undefined && closeRetryAt(reversals) === undefined)
    return [reversalFailed(beyond, failureOf(last) ?? '')];
  const reason = 'two exits were executed before one could be taken back';
  return [{ kind: 'submit', slot: REVERSAL_SLOT, terms: closeTerms(beyond), reason, exit: true }];
}

function reversalFailed({ quantity, symbol }: ExitBasis, failure: string): AlgorithmAction {
  const why = `its exits closed ${quantity} of "${symbol}" beyond its position, and no order gave them back: ${failure}`;
  return { kind: 'end', outcome: 'failed', why, alarm: 'exits-twice' };
}

/** Ends the bracket if less than a lot is left, which no order can close; the remainder is reported. */
function belowLot(
  quantity: Quantity,
  entry: TrackedOrder,
  exits: readonly TrackedOrder[],
): readonly AlgorithmAction[] {
  const why = `${quantity} are left, less than a lot`;
  if (exits.length > 0) return cancelActions(exits, why);
  const keeps = { symbol: entry.terms.symbol, quantity };
  return isOpen(entry) ? [] : [{ kind: 'end', outcome: 'done', why, oddLot: keeps }];
}

function withoutPosition(
  entry: TrackedOrder,
  exits: readonly TrackedOrder[],
  children: Children,
): readonly AlgorithmAction[] {
  const opened = !entry.facets.executed.isZero();
  // Without an exit so far, the entry is only closing the opposite position that it reverses.
  const hadExits = EXIT_SLOTS.some((slot) => children.of(slot).length > 0);
  const open = opened && hadExits && isOpen(entry) ? [...exits, entry] : exits;
  if (open.length > 0) return cancelActions(open, 'nothing is left to close');
  if (isOpen(entry)) return cancelActions([entry].filter(isFromBeforeSplit), SPLIT);
  if (!opened) return [endAction('canceled', `nothing was opened: ${failureOf(entry) ?? 'not sent'}`)];
  const filledSlot = EXIT_SLOTS.find((slot) => !executedOf(children.of(slot)).isZero());
  return [
    endAction(
      'done',
      filledSlot === undefined ? 'the strategy took the position back' : `left by its ${filledSlot}`,
    ),
  ];
}

/** Returns why exits are no longer maintained: a kill, or an exit cancelled by another party. */
function externalEndReason(
  algorithm: TrackedAlgorithm,
  children: Children,
  { killed }: AlgorithmFacts,
): string | undefined {
  if (killed) return 'the account was killed';
  // Needed for an exit that the algorithm had already cancelled: it would otherwise be sent again.
  if (algorithm.overruled !== undefined) return algorithm.overruled;
  const cancelled = RESTING.flatMap(children.of).find(
    (order) =>
      !isOpen(order) &&
      (order.facets.venue === 'CanceledStatus' || order.facets.venue === 'PartialWithdrawal') &&
      !wasCancelled(order, algorithm),
  );
  return cancelled === undefined
    ? undefined
    : `its ${cancelled.link?.slot ?? 'exit'} was cancelled from outside`;
}

function maintain(held: OpenBracket): readonly AlgorithmAction[] {
  const { children, spec, facts } = held;
  const resting = RESTING.flatMap(children.of).filter(isOpen);
  const entry = children.of('entry').filter(isOpen);
  const stop = stopLevel(held);
  const why = reasonToClose(held, stop);
  // While halted, the position could not be closed after its exits are cancelled; all algorithms run when the halt
  // ends.
  if (why !== undefined && !(facts.halted && resting.length > 0)) {
    const rest = cancelActions(entry, why);
    return resting.length > 0 ? [...cancelActions(resting, why), ...rest] : [...rest, ...closeNow(held, why)];
  }
  const { trail, target } = spec.exits;
  const goal = target === undefined ? undefined : targetLevel(held, target);
  const isStopped = !executedOf(STOPS.flatMap(children.of)).isZero();
  const exits = [
    ...(stop === undefined ? [] : maintainLeg(held, stopExits(held, stop))),
    ...(trail === undefined ? [] : maintainLeg(held, trailExits(held, trail))),
    ...(goal === undefined || isStopped ? [] : maintainLeg(held, targetExits(held, goal))),
  ];
  // A stopped position gets no further entry and no target.
  const endings = isStopped
    ? cancelActions([...entry, ...children.of('target')], 'its stop was met')
    : cancelActions(entry.filter(isFromBeforeSplit), SPLIT);
  return [...endings, ...exits, ...wakeActions(held)];
}

function maintainLeg(
  { algorithm, children, facts }: OpenBracket,
  wanted: TargetExits,
): readonly AlgorithmAction[] {
  return maintainExits(wanted, { algorithm, orders: children.of(wanted.slot), ...facts });
}

/** Returns the current stop: as requested, or at the entry price once the gain was reached; it never moves back. */
function stopLevel(held: OpenBracket): Price | undefined {
  const { spec, entryPrice, basis, facts } = held;
  const { toTick } = facts;
  const { side } = basis;
  const requested = spec.exits.stop;
  const first =
    requested === undefined ? undefined : levelOf(requested, 'loss', { side, entryPrice, toTick });
  if (spec.exits.breakEven === undefined || !isBreakEvenReached(held)) return first;
  const breakEvenPrice = breakEvenStop(entryPrice, side, toTick);
  return first !== undefined && isBeyond(breakEvenPrice, first, 'loss', side) ? first : breakEvenPrice;
}

/** True once a bar closed beyond the gain that moves the stop to the entry price; a stop at that price implies it. */
function isBreakEvenReached({ spec, entryPrice, basis, facts, children }: OpenBracket): boolean {
  const { breakEven } = spec.exits;
  if (breakEven === undefined) return false;
  const { side } = basis;
  const breakEvenPrice = breakEvenStop(entryPrice, side, facts.toTick);
  const remembered = children.of('stop').some(({ terms: { triggerPrice }, split }) => {
    if (triggerPrice === undefined || split === undefined) return triggerPrice?.eq(breakEvenPrice) === true;
    return isBeyond(triggerPrice.div(split.ratio), entryPrice, 'gain', side);
  });
  const targetPrice = breakEvenTrigger(breakEven, entryPrice, side);
  return remembered || (facts.close !== undefined && isBeyond(facts.close, targetPrice, 'gain', side));
}

function targetLevel(
  { entryPrice, basis, facts }: OpenBracket,
  target: NonNullable<BracketSpec['exits']['target']>,
): Price {
  return levelOf(target, 'gain', { side: basis.side, entryPrice, toTick: facts.toTick });
}

/** Returns why the position must be closed at the market now; otherwise undefined. */
function reasonToClose(held: OpenBracket, stop: Price | undefined): string | undefined {
  const { children, facts, algorithm } = held;
  if (children.newest('close') !== undefined) return 'it is being closed';
  const due = closeTimesOf(held).find(({ at }) => facts.now >= at);
  if (due !== undefined) return due.why;
  const stops = STOPS.flatMap(children.of);
  const expired = new Set(STOPS.flatMap((slot) => [...expiredOf(children.of(slot))]));
  const own = stops.filter(
    (order) => !wasCancelled(order, algorithm) && !expired.has(order) && !failedTemporarily(order),
  );
  const lost = own.find((order) => failureOf(order) !== undefined && !isRequestedAgain(order, children));
  if (lost !== undefined)
    return `its ${lost.link?.slot ?? 'stop'} does not work at the venue: ${failureOf(lost)}`;
  if (stops.some(isOpen)) return undefined;
  const spent = own.findLast((order) => !wasDenied(order));
  if (spent !== undefined) return `its ${spent.link?.slot ?? 'stop'} was for less than is held`;
  return stop !== undefined && isBeyondStop(held, stop)
    ? `the price is beyond the stop at ${stop} already`
    : undefined;
}

/** True for a denied protective order that the algorithm replaced: others work, or it is not the newest. */
function isRequestedAgain(order: TrackedOrder, children: Children): boolean {
  const alike = children.of(order.link?.slot ?? '');
  return wasDenied(order) && (alike.some(isOpen) || alike.at(-1) !== order);
}

/** Returns the times at which the position is closed regardless of its price. */
function closeTimesOf({
  algorithm,
  spec,
  facts,
}: OpenBracket): readonly { readonly at: Millis; readonly why: string }[] {
  const { afterMs, beforeCloseMs } = spec.exits;
  const { firstFillAt } = algorithm;
  const end = beforeCloseMs === undefined ? undefined : facts.sessionEnd();
  return [
    ...(afterMs === undefined || firstFillAt === undefined
      ? []
      : [{ at: millis(firstFillAt + afterMs), why: 'its time is over' }]),
    ...(end === undefined || beforeCloseMs === undefined
      ? []
      : [{ at: millis(end - beforeCloseMs), why: 'the session is about to end' }]),
  ];
}

function wakeActions(held: OpenBracket): readonly AlgorithmAction[] {
  const { facts, spec, children } = held;
  const awaitsBreakEven = spec.exits.breakEven !== undefined && !isBreakEvenReached(held);
  const awaitsRetreat = !facts.checksAtFill && children.of('target').some(isWorkingTarget);
  const next = awaitsBreakEven || awaitsRetreat ? facts.nextClose() : undefined;
  const times = [...closeTimesOf(held).map(({ at }) => at), ...(next === undefined ? [] : [next])];
  return times.filter((at) => at > facts.now).map((at) => ({ kind: 'wake', at }));
}

function closeNow({ children, basis, facts }: OpenBracket, why: string): readonly AlgorithmAction[] {
  const closes = children.of('close');
  const last = closes.at(-1);
  if (last !== undefined && isOpen(last)) return [];
  const again = last === undefined ? facts.now : nextCloseAt(closes, last);
  if (again > facts.now) return [{ kind: 'wake', at: again }];
  // A denial by a halted gate is no attempt: all algorithms run when an operator resumes, and request the order
  // again.
  if (facts.halted) return [];
  if (last !== undefined && closeRetryAt(closes) === undefined)
    return [endAction('failed', `could not be closed: ${failureOf(last) ?? ''}`)];
  return [{ kind: 'submit', slot: 'close', terms: closeTerms(basis), reason: why, exit: true }];
}

function endAction(outcome: 'done' | 'canceled' | 'failed', why: string): AlgorithmAction {
  return { kind: 'end', outcome, why };
}
