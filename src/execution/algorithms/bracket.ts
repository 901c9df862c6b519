import type { TrackedOrder } from '../../events/bot-state.ts';
import { isFlattened, type TrackedAlgorithm } from '../../events/records/algorithm-record.ts';
import { BACK_SLOT, EXIT_SLOTS, executedOf, openedBy } from '../../events/records/bracket-shares.ts';
import { type BracketSpec, otherSide } from '../../model/algorithm.ts';
import { Decimal, type Price, type Quantity, ZERO } from '../../model/decimal.ts';
import { type Millis, millis } from '../../model/time.ts';
import { type Held, isPassed, stopExits, targetExits, trailExits, worksAtTarget } from './bracket-exits.ts';
import {
  averagePrice,
  type Children,
  cancelActions,
  childrenOf,
  expiredOf,
  failedInPassing,
  failureOf,
  isOfOldShares,
  isOpen,
  passingAgainAt,
  SPLIT,
  wasCancelled,
  wasDenied,
} from './children.ts';
import { exitAgainAt, maintainExits, type TargetExits } from './exit-maintenance.ts';
import { breakEvenGoal, closeTerms, type ExitBasis, evenStop, isBeyond, levelOf } from './levels.ts';
import type { AlgorithmAction, AlgorithmFacts } from './plan.ts';

/** Exits that wait at the venue, of which one executes. */
const RESTING = ['stop', 'trail', 'target'] as const;
/** Exits that protect. */
const GUARDS = ['stop', 'trail'] as const;

/** Attempts to close a position at the market before an alarm, and the delay between them. */
const CLOSES_MAX = 3;
const CLOSE_AGAIN_MS = 60_000;

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
      takenTwice({ symbol, side: otherSide(side), quantity: beyond }, exits, {
        algorithm,
        children,
        facts,
      }) ?? nothingHeld(entry, exits, children)
    );
  }
  const quantity = facts.wholeLots(open);
  if (quantity.isZero()) return belowLot(open, entry, exits);
  const ended = endedByOthers(algorithm, children, facts);
  if (ended !== undefined) {
    // Later fills of the entry would have no exits.
    const orders = [...exits, ...children.of('entry').filter(isOpen)];
    return orders.length > 0 ? cancelActions(orders, ended) : [over('canceled', ended)];
  }
  if (isTakenBack(spec, facts, children))
    return cancelActions(exits, 'the strategy takes the position back itself');
  const entryPrice = averagePrice(children.of('entry')) ?? ZERO;
  return maintain({ algorithm, spec, facts, children, entryPrice, basis: { symbol, side, quantity } });
}

/**
 * True while the strategy's own orders close the position, unless the bracket is closing it. A halted gate blocks
 * those orders.
 */
function isTakenBack({ entry }: BracketSpec, facts: AlgorithmFacts, children: Children): boolean {
  if (facts.halted && EXIT_SLOTS.some((slot) => children.of(slot).some(isOpen))) return false;
  return facts.isTaken(otherSide(entry.side)) && children.newest('close') === undefined;
}

/**
 * Returns when an exit that failed is requested again for the same position, in the same slot; undefined: never. A
 * failed stop is not, if its position is closed at the market instead.
 */
export function bracketAgainAt(
  algorithm: TrackedAlgorithm,
  spec: BracketSpec,
  facts: AlgorithmFacts,
  order: TrackedOrder,
): Millis | undefined {
  const slot = order.link?.slot;
  const children = childrenOf(algorithm, facts);
  if (slot === BACK_SLOT) return closesAgainAt(children.of(BACK_SLOT));
  const { side, symbol } = spec.entry;
  const quantity = facts.wholeLots(Decimal.min(openedBy(algorithm, facts), facts.held(side)));
  if (quantity.lte(0) || endedByOthers(algorithm, children, facts) !== undefined) return undefined;
  if (isTakenBack(spec, facts, children)) return undefined;
  if (slot === 'close') return closesAgainAt(children.of('close'));
  const entryPrice = averagePrice(children.of('entry')) ?? ZERO;
  const held = { algorithm, spec, facts, children, entryPrice, basis: { symbol, side, quantity } };
  const isLeft = !executedOf(GUARDS.flatMap(children.of)).isZero();
  const isKept = RESTING.some((each) => each === slot) && !(slot === 'target' && isLeft);
  if (!isKept || reasonToLeave(held, stopLevel(held)) !== undefined) return undefined;
  const orders = children.of(slot ?? '');
  return orders.at(-1)?.intentId === order.intentId ? exitAgainAt(orders) : undefined;
}

/**
 * Returns when a failed close is requested again; undefined after the last attempt. Temporary failures do not count
 * as attempts.
 */
function closesAgainAt(closes: readonly TrackedOrder[]): Millis | undefined {
  const last = closes.at(-1);
  const attempts = closes.filter((close) => !failedInPassing(close));
  return last === undefined || attempts.length >= CLOSES_MAX ? undefined : nextCloseAt(closes, last);
}

function nextCloseAt(closes: readonly TrackedOrder[], last: TrackedOrder): Millis {
  return failedInPassing(last) ? passingAgainAt(closes, last) : millis(last.decidedAt + CLOSE_AGAIN_MS);
}

/**
 * Returns the order that reverses what exits closed twice, once no exit is working; a failed one is repeated.
 * None is sent after a kill. Undefined if none is needed.
 */
function takenTwice(
  beyond: ExitBasis,
  exits: readonly TrackedOrder[],
  { algorithm, children, facts }: Pick<Held, 'algorithm' | 'children' | 'facts'>,
): readonly AlgorithmAction[] | undefined {
  const backs = children.of(BACK_SLOT);
  const last = backs.at(-1);
  if (last !== undefined && isOpen(last)) return [];
  if (beyond.quantity.lte(0) || exits.length > 0) return undefined;
  if (facts.killed)
    return isFlattened(algorithm.overruled) ? [] : [givenUp(beyond, 'the account was killed')];
  const again = last === undefined ? facts.now : nextCloseAt(backs, last);
  if (again > facts.now) return [{ kind: 'wake', at: again }];
  if (facts.halted) return [];
  if (last !== undefined && closesAgainAt(backs) === undefined)
    return [givenUp(beyond, failureOf(last) ?? '')];
  const reason = 'two exits were executed before one could be taken back';
  return [{ kind: 'submit', slot: BACK_SLOT, terms: closeTerms(beyond), reason, exit: true }];
}

function givenUp({ quantity, symbol }: ExitBasis, failure: string): AlgorithmAction {
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
  return isOpen(entry) ? [] : [{ kind: 'end', outcome: 'done', why, keeps }];
}

function nothingHeld(
  entry: TrackedOrder,
  exits: readonly TrackedOrder[],
  children: Children,
): readonly AlgorithmAction[] {
  const opened = !entry.facets.executed.isZero();
  // Without an exit so far, the entry is only closing the opposite position that it reverses.
  const hadExits = EXIT_SLOTS.some((slot) => children.of(slot).length > 0);
  const open = opened && hadExits && isOpen(entry) ? [...exits, entry] : exits;
  if (open.length > 0) return cancelActions(open, 'nothing is left to close');
  if (isOpen(entry)) return cancelActions([entry].filter(isOfOldShares), SPLIT);
  if (!opened) return [over('canceled', `nothing was opened: ${failureOf(entry) ?? 'not sent'}`)];
  const out = EXIT_SLOTS.find((slot) => !executedOf(children.of(slot)).isZero());
  return [over('done', out === undefined ? 'the strategy took the position back' : `left by its ${out}`)];
}

/** Returns why exits are no longer maintained: a kill, or an exit cancelled by another party. */
function endedByOthers(
  algorithm: TrackedAlgorithm,
  children: Children,
  { killed }: AlgorithmFacts,
): string | undefined {
  if (killed) return 'the account was killed';
  // Needed for an exit that the algorithm had already cancelled: it would otherwise be sent again.
  if (algorithm.overruled !== undefined) return algorithm.overruled;
  const gone = RESTING.flatMap(children.of).find(
    (order) =>
      !isOpen(order) &&
      (order.facets.venue === 'CanceledStatus' || order.facets.venue === 'PartialWithdrawal') &&
      !wasCancelled(order, algorithm),
  );
  return gone === undefined ? undefined : `its ${gone.link?.slot ?? 'exit'} was cancelled from outside`;
}

function maintain(held: Held): readonly AlgorithmAction[] {
  const { children, spec, facts } = held;
  const resting = RESTING.flatMap(children.of).filter(isOpen);
  const entry = children.of('entry').filter(isOpen);
  const stop = stopLevel(held);
  const why = reasonToLeave(held, stop);
  // While halted, the position could not be closed after its exits are cancelled; all algorithms run when the halt
  // ends.
  if (why !== undefined && !(facts.halted && resting.length > 0)) {
    const rest = cancelActions(entry, why);
    return resting.length > 0 ? [...cancelActions(resting, why), ...rest] : [...rest, ...closeNow(held, why)];
  }
  const { trail, target } = spec.exits;
  const goal = target === undefined ? undefined : gainLevel(held, target);
  const isLeft = !executedOf(GUARDS.flatMap(children.of)).isZero();
  const exits = [
    ...(stop === undefined ? [] : keep(held, stopExits(held, stop))),
    ...(trail === undefined ? [] : keep(held, trailExits(held, trail))),
    ...(goal === undefined || isLeft ? [] : keep(held, targetExits(held, goal))),
  ];
  // A stopped position gets no further entry and no target.
  const given = isLeft
    ? cancelActions([...entry, ...children.of('target')], 'its stop was met')
    : cancelActions(entry.filter(isOfOldShares), SPLIT);
  return [...given, ...exits, ...wakes(held)];
}

function keep({ algorithm, children, facts }: Held, wanted: TargetExits): readonly AlgorithmAction[] {
  return maintainExits(wanted, { algorithm, orders: children.of(wanted.slot), ...facts });
}

/** Returns the current stop: as requested, or at the entry price once the gain was reached; it never moves back. */
function stopLevel(held: Held): Price | undefined {
  const { spec, entryPrice, basis, facts } = held;
  const { toTick } = facts;
  const { side } = basis;
  const asked = spec.exits.stop;
  const first = asked === undefined ? undefined : levelOf(asked, 'loss', { side, entryPrice, toTick });
  if (spec.exits.breakEven === undefined || !hasBrokenEven(held)) return first;
  const even = evenStop(entryPrice, side, toTick);
  return first !== undefined && isBeyond(even, first, 'loss', side) ? first : even;
}

/** True once a bar closed beyond the gain that moves the stop to the entry price; a stop at that price implies it. */
function hasBrokenEven({ spec, entryPrice, basis, facts, children }: Held): boolean {
  const { breakEven } = spec.exits;
  if (breakEven === undefined) return false;
  const { side } = basis;
  const even = evenStop(entryPrice, side, facts.toTick);
  const remembered = children.of('stop').some(({ terms: { triggerPrice }, split }) => {
    if (triggerPrice === undefined || split === undefined) return triggerPrice?.eq(even) === true;
    return isBeyond(triggerPrice.div(split.ratio), entryPrice, 'gain', side);
  });
  const goal = breakEvenGoal(breakEven, entryPrice, side);
  return remembered || (facts.close !== undefined && isBeyond(facts.close, goal, 'gain', side));
}

function gainLevel(
  { entryPrice, basis, facts }: Held,
  target: NonNullable<BracketSpec['exits']['target']>,
): Price {
  return levelOf(target, 'gain', { side: basis.side, entryPrice, toTick: facts.toTick });
}

/** Returns why the position must be closed at the market now; otherwise undefined. */
function reasonToLeave(held: Held, stop: Price | undefined): string | undefined {
  const { children, facts, algorithm } = held;
  if (children.newest('close') !== undefined) return 'it is being closed';
  const due = timesOf(held).find(({ at }) => facts.now >= at);
  if (due !== undefined) return due.why;
  const guards = GUARDS.flatMap(children.of);
  const expired = new Set(GUARDS.flatMap((slot) => [...expiredOf(children.of(slot))]));
  const own = guards.filter(
    (order) => !wasCancelled(order, algorithm) && !expired.has(order) && !failedInPassing(order),
  );
  const lost = own.find((order) => failureOf(order) !== undefined && !isMadeUp(order, children));
  if (lost !== undefined)
    return `its ${lost.link?.slot ?? 'stop'} does not work at the venue: ${failureOf(lost)}`;
  if (guards.some(isOpen)) return undefined;
  const spent = own.findLast((order) => !wasDenied(order));
  if (spent !== undefined) return `its ${spent.link?.slot ?? 'stop'} was for less than is held`;
  return stop !== undefined && isPassed(held, stop)
    ? `the price is beyond the stop at ${stop} already`
    : undefined;
}

/** True for a denied protective order that is requested again: others work, or it is not the newest. */
function isMadeUp(order: TrackedOrder, children: Children): boolean {
  const alike = children.of(order.link?.slot ?? '');
  return wasDenied(order) && (alike.some(isOpen) || alike.at(-1) !== order);
}

/** Returns the times at which the position is closed regardless of its price. */
function timesOf({ algorithm, spec, facts }: Held): readonly { readonly at: Millis; readonly why: string }[] {
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

function wakes(held: Held): readonly AlgorithmAction[] {
  const { facts, spec, children } = held;
  const awaitsGain = spec.exits.breakEven !== undefined && !hasBrokenEven(held);
  const awaitsFall = !facts.judgesAtFill && children.of('target').some(worksAtTarget);
  const next = awaitsGain || awaitsFall ? facts.nextClose() : undefined;
  const times = [...timesOf(held).map(({ at }) => at), ...(next === undefined ? [] : [next])];
  return times.filter((at) => at > facts.now).map((at) => ({ kind: 'wake', at }));
}

function closeNow({ children, basis, facts }: Held, why: string): readonly AlgorithmAction[] {
  const closes = children.of('close');
  const last = closes.at(-1);
  if (last !== undefined && isOpen(last)) return [];
  const again = last === undefined ? facts.now : nextCloseAt(closes, last);
  if (again > facts.now) return [{ kind: 'wake', at: again }];
  // A denial by a halted gate is no attempt: all algorithms run when an operator resumes, and request the order
  // again.
  if (facts.halted) return [];
  if (last !== undefined && closesAgainAt(closes) === undefined)
    return [over('failed', `could not be closed: ${failureOf(last) ?? ''}`)];
  return [{ kind: 'submit', slot: 'close', terms: closeTerms(basis), reason: why, exit: true }];
}

function over(outcome: 'done' | 'canceled' | 'failed', why: string): AlgorithmAction {
  return { kind: 'end', outcome, why };
}
