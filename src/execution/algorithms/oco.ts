import type { TrackedOrder } from '../../events/bot-state.ts';
import type { TrackedAlgorithm } from '../../events/records/algorithm-record.ts';
import { executedOf, type OrderLookup } from '../../events/records/bracket-shares.ts';
import type { OcoSpec } from '../../model/algorithm.ts';
import { otherSide } from '../../model/algorithm.ts';
import { Decimal, type Quantity, ZERO } from '../../model/decimal.ts';
import type { OrderTerms } from '../../model/order.ts';
import type { Submission } from '../../model/order-facets.ts';
import { openRest } from '../../model/order-state.ts';
import { MINUTE_MS, type Millis, millis } from '../../model/time.ts';
import {
  type Children,
  cancelActions,
  childrenOf,
  failedTemporarily,
  failureOf,
  isOpen,
  NOTHING_LEFT,
  wasDenied,
  wasDroppedByRestart,
} from './children.ts';
import { exitRetryAt, isCancelPending, MOVED, reducedTo, refusesAmends } from './exit-maintenance.ts';
import { isBeyond } from './levels.ts';
import type { AlgorithmAction, AlgorithmFacts } from './plan.ts';

/**
 * Plans all legs until one of them trades, then cancels the others.
 *
 * - A leg that was not sent because of a restart is sent while the position that it closes is held; if it would open a
 *   position, the other legs are cancelled.
 * - A leg that was denied or rejected also cancels the others, unless they close a position: then they stay, and an
 *   alarm reports that they protect it alone.
 * - A closing leg with a temporary failure is retried. While no leg works, it waits if other orders of the strategy may
 *   close too much of the position.
 */
export function planOco(
  algorithm: TrackedAlgorithm,
  spec: OcoSpec,
  facts: AlgorithmFacts,
): readonly AlgorithmAction[] {
  const { legs } = spec;
  const children = childrenOf(algorithm, facts);
  const submit = (at: number): readonly AlgorithmAction[] => {
    const leg = legs[at];
    if (leg === undefined) return [];
    const quantity = children.all.length === 0 ? leg.quantity : remainingOf(at, spec, children, facts);
    if (quantity.lte(0)) return [];
    const reason = `${algorithm.reason}, one of ${legs.length}`;
    const terms = asConditional({ ...leg, quantity }, facts);
    return [{ kind: 'submit', slot: slotOf(at), terms, reason, exclusive: true }];
  };
  const retry = (at: number): readonly AlgorithmAction[] => {
    const again = legDueAt(algorithm, children.of(slotOf(at)));
    if (again === undefined) return [];
    return again > facts.now ? [{ kind: 'wake', at: again }] : submit(at);
  };
  if (children.all.length === 0) return legs.flatMap((_, at) => submit(at));
  const open = children.all.filter(isOpen);
  const retryable = retryableLegs(algorithm, spec, facts);
  const traded = children.all.find(({ facets }) => !facets.executed.isZero());
  if (traded !== undefined) {
    const isOther = ({ link }: TrackedOrder): boolean => link?.slot !== traded.link?.slot;
    const rest = open.filter((order) => !isOther(order));
    const actions = [
      ...cancelActions(open.filter(isOther), 'the other leg traded'),
      ...followPosition(algorithm, spec, rest, facts),
    ];
    const left = rest.length > 0 || facts.killed ? [] : retryable;
    if (open.length === 0 && left.length === 0) return [endActionOfTraded(algorithm, traded, facts)];
    const waits = facts.halted
      ? left.flatMap((at) => children.newest(slotOf(at)) ?? []).map(legWaitsAlarm)
      : [];
    return [...actions, ...waits, ...(facts.halted ? [] : left.flatMap(retry))];
  }
  const smaller = followPosition(algorithm, spec, open, facts);
  if (smaller.some(({ kind }) => kind !== 'wake')) return smaller;
  const missing = missingLegs(spec, children);
  if (open.length === 0 && (retryable.length === 0 || facts.killed))
    return [endAction(algorithm, spec, facts)];
  if (missing.some((at) => opens(at, spec, facts))) return cancelActions(open, MISSING);
  const failed = failedLeg(algorithm, spec, facts);
  if (failed !== undefined && !open.every(({ terms }) => protects(terms, facts)))
    return cancelActions(open, otherFailedText(failed));
  if (facts.killed || (algorithm.overruled !== undefined && open.every(isCancelPending))) return smaller;
  const sentLater = [...missing, ...retryable];
  const blocked = open.length > 0 ? [] : sentLater.filter((at) => isReserved(at, spec, children, facts));
  const waits = retryable
    .map((at) => children.of(slotOf(at)))
    .find((orders) => facts.halted || failedTwice(orders))
    ?.at(-1);
  const alarms = [
    ...smaller,
    ...(failed === undefined ? [] : [legFailedAlarm(failed)]),
    ...(waits === undefined ? [] : [legWaitsAlarm(waits)]),
    ...blocked.flatMap((at) => legs[at] ?? []).map(legReservedAlarm),
  ];
  if (facts.halted || algorithm.overruled !== undefined) return alarms;
  const wakes = blocked.length === 0 ? [] : [{ kind: 'wake' as const, at: millis(facts.now + RESERVED_MS) }];
  const sent = sentLater.filter((at) => !blocked.includes(at)).flatMap(retry);
  return [...alarms, ...wakes, ...sent];
}

/**
 * Reduces working legs to what is left of the position that they close, whatever other orders may close of it: those may
 * end without a trade, and the position would be without an exit. A leg that the venue does not amend is cancelled and
 * sent again, one after another, so that another leg works at that time. It stays while it could not be sent again.
 */
function followPosition(
  algorithm: TrackedAlgorithm,
  spec: OcoSpec,
  open: readonly TrackedOrder[],
  facts: AlgorithmFacts,
): readonly AlgorithmAction[] {
  const [leg] = spec.legs;
  if (leg === undefined || spec.closes !== true) return [];
  const held = facts.position(otherSide(leg.side));
  if (held.lte(0)) return cancelActions(open, NOTHING_LEFT);
  const quantity = facts.wholeLots(held);
  const isStuck =
    facts.halted ||
    algorithm.overruled !== undefined ||
    failedLeg(algorithm, spec, facts) !== undefined ||
    open.some((order) => order.facets.submission.kind !== 'acked' || isCancelPending(order)) ||
    retryableLegs(algorithm, spec, facts).length > 0;
  const replaced = isStuck
    ? undefined
    : open.find((order) => refusesAmends(order) && openRest(order.facets).gt(quantity));
  return open.flatMap((order) =>
    order === replaced ? cancelActions([order], MOVED) : reducedTo(order, quantity, facts.now),
  );
}

/** True for a leg that the OCO cancelled to send it again with a smaller quantity. */
function wasReplaced(order: TrackedOrder, algorithm: TrackedAlgorithm): boolean {
  return !isOpen(order) && refusesAmends(order) && algorithm.withdrawn.has(order.intentId);
}

/** Returns the quantity of a leg that is sent again. */
function remainingOf(
  at: number,
  { legs, closes }: OcoSpec,
  children: Children,
  facts: AlgorithmFacts,
): Quantity {
  const leg = legs[at];
  if (leg === undefined) return ZERO;
  const left = leg.quantity.minus(executedOf(children.of(slotOf(at))));
  return closes === true ? facts.wholeLots(Decimal.min(left, facts.held(otherSide(leg.side)))) : left;
}

/** True if a leg may be sent after those before it: after a failure, only if it closes a position. */
export function isLegWanted(
  algorithm: TrackedAlgorithm,
  spec: OcoSpec,
  facts: AlgorithmFacts,
  leg: OrderTerms,
): boolean {
  return protects(leg, facts) || failedLeg(algorithm, spec, facts) === undefined;
}

const MISSING = 'the bot ended before its other leg was sent';

/**
 * Returns the legs without an order because the bot ended: not decided yet, or denied by a restart and on all later
 * tries.
 */
function missingLegs({ legs }: OcoSpec, children: Children): readonly number[] {
  return [...legs.keys()].filter((at) => {
    const [first, ...others] = children.of(slotOf(at));
    return first === undefined || (wasDroppedByRestart(first) && others.every(wasDenied));
  });
}

/**
 * Returns closing legs that are sent again: after a temporary failure, or with a smaller quantity. Once a leg has
 * traded, only that one.
 */
function retryableLegs(algorithm: TrackedAlgorithm, spec: OcoSpec, facts: AlgorithmFacts): readonly number[] {
  if (algorithm.overruled !== undefined) return [];
  const children = childrenOf(algorithm, facts);
  const missing = missingLegs(spec, children);
  const traded = children.all.find(({ facets }) => !facets.executed.isZero())?.link?.slot;
  return [...spec.legs.keys()].filter((at) => {
    const newest = children.newest(slotOf(at));
    if (newest === undefined || missing.includes(at)) return false;
    if (traded !== undefined && traded !== slotOf(at)) return false;
    if (wasReplaced(newest, algorithm)) return remainingOf(at, spec, children, facts).gt(0);
    return isRetryable(newest, spec, facts);
  });
}

/** True for an OCO of which a leg works, or has worked. */
export function hasWorked({ children }: TrackedAlgorithm, { order }: OrderLookup): boolean {
  return [...children.values()].flat().some((id) => {
    const leg = order(id);
    if (leg === undefined) return false;
    const { submission, venue } = leg.facets;
    return isOpen(leg) || (submission.kind === 'acked' && venue !== 'RejectedStatus');
  });
}

function isRetryable(newest: TrackedOrder, spec: OcoSpec, facts: AlgorithmFacts): boolean {
  if (!failedTemporarily(newest) || !newest.facets.executed.isZero()) return false;
  return spec.closes === true ? protects(newest.terms, facts) : closes(newest.terms, facts);
}

/** True for a leg whose first repetition failed as well. */
function failedTwice(orders: readonly TrackedOrder[]): boolean {
  return orders.length > 1 && orders.slice(-2).every(failedTemporarily);
}

/** True while the whole quantity that a leg closes is held. */
function closes(leg: OrderTerms | undefined, facts: AlgorithmFacts): boolean {
  return leg !== undefined && facts.held(otherSide(leg.side)).gte(leg.quantity);
}

/** True if a leg would open a position now; one of an OCO that closes is sent for what is held. */
function opens(at: number, { legs, closes: isClosing }: OcoSpec, facts: AlgorithmFacts): boolean {
  return isClosing !== true && !closes(legs[at], facts);
}

/**
 * Returns when a leg is sent: at once if it was not decided yet or was cancelled for it, otherwise like a denied exit.
 */
function legDueAt(algorithm: TrackedAlgorithm, orders: readonly TrackedOrder[]): Millis | undefined {
  const newest = orders.at(-1);
  return newest === undefined || wasReplaced(newest, algorithm) ? millis(0) : exitRetryAt(orders);
}

/**
 * Returns the first leg that the gate denied or the venue rejected for good; cancelled or expired legs did not fail.
 */
function failedLeg(
  algorithm: TrackedAlgorithm,
  spec: OcoSpec,
  facts: AlgorithmFacts,
): TrackedOrder | undefined {
  const { overruled } = algorithm;
  const children = childrenOf(algorithm, facts);
  for (const at of spec.legs.keys()) {
    const newest = children.newest(slotOf(at));
    if (newest === undefined || wasDroppedByRestart(newest) || failureOf(newest) === undefined) continue;
    if (overruled === undefined && isRetryable(newest, spec, facts)) continue;
    const [first] = children.of(slotOf(at));
    const { submission, venue } = newest.facets;
    // Denied tries of a leg that a restart dropped are repeated.
    if (submission.kind === 'denied' && first !== undefined && wasDroppedByRestart(first)) continue;
    if (FAILED.has(submission.kind) || venue === 'RejectedStatus') return newest;
  }
  return undefined;
}

const FAILED: ReadonlySet<Submission['kind']> = new Set(['denied', 'refused', 'not-sent']);

/** True while part of the position that a leg closes is held. */
function protects({ side }: OrderTerms, facts: AlgorithmFacts): boolean {
  return facts.held(otherSide(side)).gt(0);
}

/** Interval of checks while other orders of the strategy may close what a leg closes, which order events also end. */
const RESERVED_MS = MINUTE_MS;

/** True while other orders of the strategy leave less of the position than a leg closes. */
function isReserved(at: number, spec: OcoSpec, children: Children, facts: AlgorithmFacts): boolean {
  const leg = spec.legs[at];
  return (
    leg !== undefined && facts.unreserved(otherSide(leg.side)).lt(remainingOf(at, spec, children, facts))
  );
}

function otherFailedText(failed: TrackedOrder): string {
  return `the other leg failed: ${failureOf(failed)}`;
}

function legFailedAlarm(failed: TrackedOrder): AlgorithmAction {
  const { side, type, quantity, symbol } = failed.terms;
  const message = `A leg of an OCO failed: ${side} ${quantity} "${symbol}" (${type}), ${failureOf(failed)}. The rest of it protects the position alone: place the missing order by hand, or close the position`;
  return { kind: 'alarm', code: 'oco-leg-failed', message, symbol };
}

function legWaitsAlarm(leg: TrackedOrder): AlgorithmAction {
  const { side, type, quantity, symbol } = leg.terms;
  const message = `A leg of an OCO does not work yet: ${side} ${quantity} "${symbol}" (${type}), ${failureOf(leg)}. It is sent again until it does`;
  return { kind: 'alarm', code: 'protection-waits', message, symbol };
}

function legReservedAlarm({ side, type, quantity, symbol }: OrderTerms): AlgorithmAction {
  const message = `A leg of an OCO does not work yet: ${side} ${quantity} "${symbol}" (${type}), as other orders of the strategy may close the position. It is sent once they leave enough of it`;
  return { kind: 'alarm', code: 'protection-waits', message, symbol };
}

function endAction(algorithm: TrackedAlgorithm, spec: OcoSpec, facts: AlgorithmFacts): AlgorithmAction {
  const children = childrenOf(algorithm, facts);
  const { all } = children;
  const missing = missingLegs(spec, children);
  const leg = failedLeg(algorithm, spec, facts);
  const why = leg === undefined ? all.map(failureOf).find((each) => each !== undefined) : failureOf(leg);
  const failed = why ?? 'nothing traded';
  const isCancelled = all.some(({ facets }) => facets.venue === 'CanceledStatus');
  const isCalledOff = !all.every(wasDenied) && missing.some((at) => opens(at, spec, facts));
  const isUnprotected =
    !endedAsOrdered(algorithm, spec, facts) &&
    spec.legs.some((terms) => isLeftUnprotected(terms, algorithm, facts));
  return {
    kind: 'end',
    outcome: isCancelled ? 'canceled' : 'failed',
    why: `no leg is left: ${isCalledOff ? MISSING : failed}${isUnprotected ? WITHOUT_EXIT : ''}`,
    ...(isCalledOff ? { alarm: 'oco-called-off' } : isUnprotected ? { alarm: 'oco-leg-failed' } : {}),
  };
}

const WITHOUT_EXIT = '; the position is held without an exit';

/** Ends an OCO after a leg traded, with an alarm if that leg ended early and a part of the position is still held. */
function endActionOfTraded(
  algorithm: TrackedAlgorithm,
  { terms, link }: TrackedOrder,
  facts: AlgorithmFacts,
): AlgorithmAction {
  const children = childrenOf(algorithm, facts);
  const newest = children.newest(link?.slot ?? '');
  const isUnprotected =
    newest !== undefined &&
    failureOf(newest) !== undefined &&
    !isAsOrdered(newest, algorithm, facts) &&
    isLeftUnprotected(terms, algorithm, facts);
  const why = `${executedOf(children.all)} traded on one leg`;
  if (!isUnprotected) return { kind: 'end', outcome: 'done', why };
  return { kind: 'end', outcome: 'canceled', why: `${why}${WITHOUT_EXIT}`, alarm: 'oco-leg-failed' };
}

/** True if a part of the position that a leg closes is left without an order. */
function isLeftUnprotected(leg: OrderTerms, { overruled }: TrackedAlgorithm, facts: AlgorithmFacts): boolean {
  return overruled === undefined && !facts.killed && facts.unreserved(otherSide(leg.side)).gt(0);
}

/** True if all legs that worked ended as the strategy ordered; false if none worked. */
function endedAsOrdered(algorithm: TrackedAlgorithm, { legs }: OcoSpec, facts: AlgorithmFacts): boolean {
  const children = childrenOf(algorithm, facts);
  const worked = [...legs.keys()]
    .flatMap((at) => children.newest(slotOf(at)) ?? [])
    .filter(({ facets }) => facets.submission.kind === 'acked' && facets.venue !== 'RejectedStatus');
  return worked.length > 0 && worked.every((order) => isAsOrdered(order, algorithm, facts));
}

/** True for a leg that the strategy cancelled, or that expired at the end of its time in force. */
function isAsOrdered(order: TrackedOrder, algorithm: TrackedAlgorithm, facts: AlgorithmFacts): boolean {
  if (wasCancelledByStrategy(order, algorithm)) return true;
  const end = facts.expiryOf(order);
  return order.facets.venue === 'ExpiredStatus' && end !== undefined && facts.now >= end - MINUTE_MS;
}

/** True for a leg that the strategy cancelled itself. */
function wasCancelledByStrategy(
  { intentId, facets }: TrackedOrder,
  { withdrawn }: TrackedAlgorithm,
): boolean {
  return facets.venue === 'CanceledStatus' && facets.cancels > 0 && !withdrawn.has(intentId);
}

/**
 * Returns when a leg is sent again that was not sent because of a restart, or failed temporarily; undefined: never.
 */
export function ocoRetryAt(
  algorithm: TrackedAlgorithm,
  spec: OcoSpec,
  facts: AlgorithmFacts,
  { intentId, link, terms }: TrackedOrder,
): Millis | undefined {
  const children = childrenOf(algorithm, facts);
  const orders = children.of(link?.slot ?? '');
  // Another order replaced it.
  if (orders.at(-1)?.intentId !== intentId) return facts.now;
  if (algorithm.overruled !== undefined) return undefined;
  const isOfSlot = (at: number): boolean => slotOf(at) === link?.slot;
  if (retryableLegs(algorithm, spec, facts).some(isOfSlot)) return exitRetryAt(orders);
  if (!executedOf(children.all).isZero()) return undefined;
  const isMissing = missingLegs(spec, children).some(isOfSlot);
  const isLeft = children.all.some(isOpen);
  const isSent = spec.closes === true ? protects(terms, facts) : closes(terms, facts);
  return isMissing && isLeft && isSent ? legDueAt(algorithm, orders) : undefined;
}

function slotOf(at: number): string {
  return `leg-${at + 1}`;
}

/**
 * Turns a limit that the market has not reached into a limit-if-touched order, which reserves no shares that the
 * other leg needs.
 */
function asConditional(terms: OrderTerms, { last, checksAtFill }: AlgorithmFacts): OrderTerms {
  const { type, price, side } = terms;
  if (type !== 'LO' || price === undefined || last === undefined || checksAtFill) return terms;
  return isBeyond(last, price, 'gain', otherSide(side))
    ? terms
    : { ...terms, type: 'LIT', triggerPrice: price };
}
