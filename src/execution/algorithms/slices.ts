import type { TrackedOrder } from '../../events/bot-state.ts';
import type { TrackedAlgorithm } from '../../events/records/algorithm-record.ts';
import { executedOf, type OrderLookup } from '../../events/records/bracket-shares.ts';
import { isWaiting } from '../../events/records/open-orders.ts';
import { otherSide, SLICE_SLOT, type SlicesSpec } from '../../model/algorithm.ts';
import { Decimal, type Quantity, ZERO } from '../../model/decimal.ts';
import { openRest } from '../../model/order-state.ts';
import { MINUTE_MS, type Millis, millis, SECOND_MS } from '../../model/time.ts';
import {
  type Children,
  cancelActions,
  childrenOf,
  failedTemporarily,
  failureOf,
  isOpen,
  LATE_MS,
  mayRetry,
  NOTHING_LEFT,
  POSITION_REDUCED,
  temporaryRetryAt,
  wasCancelled,
  wasLessHeld,
} from './children.ts';
import { isCancelPending } from './exit-maintenance.ts';
import type { AlgorithmAction, AlgorithmFacts } from './plan.ts';

/** Fields of an order in slices that its plan reads. */
type SlicesRecord = Pick<
  TrackedAlgorithm,
  'id' | 'startedAt' | 'reason' | 'children' | 'overruled' | 'lastFillAt' | 'withdrawn'
>;
type SlicesFacts = OrderLookup &
  Pick<AlgorithmFacts, 'now' | 'hasCalls' | 'killed' | 'wholeLots' | 'position' | 'closable'>;

/**
 * Plans an order slice by slice: each at its time, or when the previous one was filled.
 *
 * - The unexecuted part of a slice is not added to later ones, so the last slice keeps its size.
 * - A slice with a temporary denial, such as no free calls, is retried within its time.
 * - A missed slice is never sent late; the config decides whether its quantity is spread over the rest.
 * - An order that closes sends no more than the remaining position. If its open slices are for more, they are cancelled,
 *   and the remaining quantity is sent after the last slice. It waits while older orders may close the whole position.
 */
export function planSlices(
  algorithm: SlicesRecord,
  spec: SlicesSpec,
  facts: SlicesFacts,
): readonly AlgorithmAction[] {
  const { order, slices, pace } = spec;
  const children = childrenOf(algorithm, facts);
  const lastSent = lastSentOf(slices, children);
  const open = children.all.filter(isOpen);
  const missed = slices.filter((_, at) => at < lastSent && !isSent(at, children)).length;
  const end = (endReason: string | undefined, unsent = 0): AlgorithmAction =>
    endAction({ spec, children, endReason, missed: missed + unsent });
  const closable = remainingToClose(spec, open, facts);
  const exceedsPosition = open.length > 0 && closable?.isNegative() === true;
  // An order that waits for exits is denied afterwards if the exits closed too much.
  const excess = exceedsPosition ? open.filter((order) => !isWaiting(order)) : [];
  // The overruling command cancels the open orders, or keeps them.
  if (algorithm.overruled !== undefined)
    return open.length > 0 ? cancelActions(excess, POSITION_REDUCED) : [end(algorithm.overruled)];
  const endReason = reasonToEnd(algorithm, spec, facts, children);
  if (endReason !== undefined) return open.length > 0 ? cancelActions(open, endReason) : [end(endReason)];
  if (exceedsPosition) return cancelActions(excess, POSITION_REDUCED);
  if (lastSent === slices.length - 1)
    return (
      planRest(algorithm, spec, facts, { children, closable }) ?? (open.length > 0 ? [] : [end(undefined)])
    );
  const due = pace === 'fill' ? lastSent + 1 : dueSlice(algorithm, slices, lastSent, facts.now);
  const newest = children.newest(slotOf(lastSent));
  if (pace === 'fill' && newest !== undefined) {
    if (isOpen(newest)) return [];
    const failure = failureOf(newest);
    if (failure !== undefined && !wasCancelled(newest, algorithm))
      return [{ kind: 'end', outcome: 'failed', why: `slice ${lastSent + 1} was ${failure}` }];
  }
  if (due === slices.length)
    return (
      planRest(algorithm, spec, facts, { children, closable }) ??
      (open.length > 0 ? [] : [end(undefined, due - lastSent - 1)])
    );
  const next = slices[due];
  if (next === undefined) return [];
  const denied = children.of(slotOf(due));
  const lateFrom = pace === 'fill' ? lateAt(algorithm) : undefined;
  if (lateFrom !== undefined && facts.now >= lateFrom) return [tooLate(spec, children, { due, denied })];
  const at = millis(Math.min(requestAt(algorithm, spec, due, denied), lateFrom ?? Number.POSITIVE_INFINITY));
  if (at > facts.now) return [{ kind: 'wake', at }];
  const isOutOfCalls = denied.length > 0 && isDeniedForCalls(denied) && !facts.hasCalls();
  if (isOutOfCalls) return [{ kind: 'wake', at: millis(facts.now + CALLS_RETRY_MS) }];
  const planned = quantityOf(spec, due, children, facts);
  const quantity = closable === undefined ? planned : Decimal.min(planned, facts.wholeLots(closable));
  if (quantity.lte(0)) {
    if (open.length === 0 && !isHeld(spec, facts)) return [end(NOTHING_LEFT)];
    // Its own orders, or older ones, may close all that is held; if they end, this slice is sent within its time.
    const until = lateFrom ?? timeOf(algorithm, next) + sliceDurationMs(slices, due);
    return [{ kind: 'wake', at: millis(Math.max(until, facts.now + RETRY_MS)) }];
  }
  const skipped = newlyMissed(slices, { due, lastSent }, children);
  const later = slices[due + 1];
  const submit: AlgorithmAction = {
    kind: 'submit',
    slot: slotOf(due),
    terms: { ...order, quantity },
    reason: `${algorithm.reason}, slice ${due + 1} of ${slices.length}${skippedText(skipped, spec)}`,
    ...(skipped === 0 ? {} : { missed: { slices: skipped, of: slices.length, how: spec.missed ?? 'drop' } }),
  };
  const wake: readonly AlgorithmAction[] =
    later === undefined || pace === 'fill' ? [] : [{ kind: 'wake', at: timeOf(algorithm, later) }];
  return [submit, ...wake];
}

function isSent(at: number, children: Children): boolean {
  const newest = children.newest(slotOf(at));
  return newest !== undefined && !mayRetry(newest);
}

/** Returns the newest slice that is not requested again; -1 if there is none. */
function lastSentOf(slices: SlicesSpec['slices'], children: Children): number {
  return slices.findLastIndex((_, at) => isSent(at, children));
}

/** Returns what its open orders leave to close; negative if they are for more. Undefined if it may also open. */
function remainingToClose(
  { order, closes }: SlicesSpec,
  open: readonly TrackedOrder[],
  facts: SlicesFacts,
): Quantity | undefined {
  if (closes !== true) return undefined;
  const waiting = open.reduce((sum, { facets }) => sum.plus(openRest(facets)), ZERO);
  return facts.closable(otherSide(order.side)).minus(waiting);
}

/** True while at least a lot of the position that an order closes is held. */
function isHeld({ order }: SlicesSpec, { position, wholeLots }: SlicesFacts): boolean {
  return wholeLots(Decimal.max(position(otherSide(order.side)), ZERO)).gt(0);
}

/** Returns until when cancelled slices wait for shares that older orders may close. */
function restLateFrom(algorithm: SlicesRecord, { slices, pace }: SlicesSpec): Millis {
  const last = slices.length - 1;
  if (pace === 'fill') return lateAt(algorithm);
  return millis(timeOf(algorithm, slices[last] ?? { afterMs: 0 }) + sliceDurationMs(slices, last) + LATE_MS);
}

/** Returns the slot of the order that replaces slices that were cancelled because the position became smaller. */
function restSlotOf({ slices }: SlicesSpec): string {
  return slotOf(slices.length);
}

/**
 * Plans an order for the quantity of slices that were cancelled because the position became smaller, as far as it is
 * still held; undefined if nothing is left to send.
 */
function planRest(
  algorithm: SlicesRecord,
  spec: SlicesSpec,
  facts: SlicesFacts,
  { children, closable }: { readonly children: Children; readonly closable: Quantity | undefined },
): readonly AlgorithmAction[] | undefined {
  if (closable === undefined) return undefined;
  const open = children.all.filter(isOpen);
  if (open.some(isCancelPending) || (spec.pace === 'fill' && open.length > 0)) return undefined;
  const rest = restOf(algorithm, spec, children);
  const quantity = facts.wholeLots(Decimal.min(rest, closable));
  if (quantity.lte(0)) {
    const isReserved = open.length === 0 && facts.wholeLots(rest).gt(0) && isHeld(spec, facts);
    if (!isReserved) return undefined;
    const until = restLateFrom(algorithm, spec);
    if (until > facts.now) return [{ kind: 'wake', at: until }];
    const why = `older orders left nothing of ${rest} that were cancelled as the position became smaller; ${executedOf(children.all)} of ${spec.order.quantity} traded`;
    return [{ kind: 'end', outcome: 'failed', why, alarm: 'slices-missed' }];
  }
  const slot = restSlotOf(spec);
  const tries = children.of(slot);
  const again = restRetryAt(tries);
  if (again === undefined) {
    const why = `${quantity} of ${spec.order.quantity} could not be sent again within ${LATE_MS / MINUTE_MS} minutes after the position became smaller; ${executedOf(children.all)} of ${spec.order.quantity} traded`;
    return [{ kind: 'end', outcome: 'failed', why, alarm: 'slices-missed' }];
  }
  if (again > facts.now) return [{ kind: 'wake', at: again }];
  const reason = `${algorithm.reason}, the rest after the position became smaller`;
  return [{ kind: 'submit', slot, terms: { ...spec.order, quantity }, reason }];
}

/** Returns the quantity of slices that the algorithm cancelled and did not send again. */
function restOf(algorithm: SlicesRecord, spec: SlicesSpec, children: Children): Quantity {
  const isCancelled = (order: TrackedOrder): boolean => !isOpen(order) && wasCancelled(order, algorithm);
  const rest = children.all
    .filter(isCancelled)
    .reduce((sum, { facets }) => sum.plus(facets.ordered).minus(facets.executed), ZERO);
  return children
    .of(restSlotOf(spec))
    .reduce((left, order) => (failedTemporarily(order) ? left : left.minus(order.facets.ordered)), rest);
}

/**
 * Returns when the rest is sent: at once, or after a delay if that failed temporarily. Undefined: never, because it
 * failed for good, or for too long.
 */
function restRetryAt(tries: readonly TrackedOrder[]): Millis | undefined {
  const newest = tries.at(-1);
  if (newest === undefined || !failedTemporarily(newest)) return millis(0);
  const first = tries[tries.findLastIndex((order) => !failedTemporarily(order)) + 1] ?? newest;
  const again = temporaryRetryAt(tries, newest);
  return again < first.decidedAt + LATE_MS ? again : undefined;
}

/** Returns why the algorithm sends no further orders; undefined while slices may follow. */
function reasonToEnd(
  algorithm: SlicesRecord,
  { pace, order, closes }: SlicesSpec,
  { killed, position }: SlicesFacts,
  { all }: Children,
): string | undefined {
  const isClosed = closes === true && position(otherSide(order.side)).lte(0);
  if (isClosed && executedOf(all).lt(order.quantity)) return NOTHING_LEFT;
  if (killed && all.length > 0) return 'the account was killed';
  const isCancelled = (child: TrackedOrder): boolean =>
    child.facets.venue === 'CanceledStatus' && !wasCancelled(child, algorithm);
  if (pace === 'fill' && all.some(isCancelled)) return 'one of its orders was cancelled from outside';
  return all.some(wasLessHeld) ? 'exits left less than its orders were for' : undefined;
}

/**
 * Returns when the quantity of a slice that was denied or not sent is requested again: by the same slice in its time,
 * or by a later one if missed slices are spread; undefined: never. A slice that still lacks calls then may be missed.
 */
export function sliceRetryAt(
  algorithm: SlicesRecord,
  spec: SlicesSpec,
  facts: SlicesFacts,
  order: TrackedOrder,
): Millis | undefined {
  const { slices, pace, missed } = spec;
  const children = childrenOf(algorithm, facts);
  if (!mayRetry(order) || algorithm.overruled !== undefined) return undefined;
  if (reasonToEnd(algorithm, spec, facts, children) !== undefined) return undefined;
  if (order.link?.slot === restSlotOf(spec)) return restRetryAt(children.of(restSlotOf(spec)));
  const at = slices.findIndex((_, index) => slotOf(index) === order.link?.slot);
  const lastSent = lastSentOf(slices, children);
  if (pace === 'fill') {
    const again = requestAt(algorithm, spec, at, children.of(slotOf(at)));
    return at === lastSent + 1 && again < lateAt(algorithm) ? again : undefined;
  }
  const isSpread = missed === 'spread';
  // A later slice that was sent already includes its part of this quantity.
  if (lastSent > at) return isSpread ? facts.now : undefined;
  const due = dueSlice(algorithm, slices, lastSent, facts.now);
  const asked = requestAt(algorithm, spec, due, children.of(slotOf(due)));
  const again = millis(Math.max(asked, facts.now));
  const next = dueSlice(algorithm, slices, lastSent, again);
  const isSame = isSpread ? next < slices.length : next === at;
  return isSame ? again : undefined;
}

/** First and maximum delay before a slice with a temporary denial is requested again; doubled each time. */
const RETRY_MS = 5 * SECOND_MS;
const RETRY_MS_MAX = MINUTE_MS;
/**
 * A slice that was denied for lack of calls is retried soon after some are free; otherwise another symbol uses them first.
 */
const CALLS_RETRY_MS = SECOND_MS;

/** Returns when the next part of an iceberg is too late, after denials or downtime: the market has moved on. */
function lateAt({ startedAt, lastFillAt }: SlicesRecord): Millis {
  return millis(Math.max(startedAt, lastFillAt ?? 0) + LATE_MS);
}

function tooLate(
  { slices, order }: SlicesSpec,
  { all }: Children,
  { due, denied }: { readonly due: number; readonly denied: readonly TrackedOrder[] },
): AlgorithmAction {
  const submission = denied.at(-1)?.facets.submission;
  const last = submission?.kind === 'denied' ? `, last denied by ${submission.rule}` : '';
  const since = due === 0 ? 'it was ordered' : 'the part before it was filled';
  const part = `part ${due + 1} of ${slices.length} could not be sent within ${LATE_MS / MINUTE_MS} minutes after ${since}${last}`;
  const why = `${part}; ${executedOf(all)} of ${order.quantity} ${order.symbol} traded`;
  return { kind: 'end', outcome: 'failed', why, alarm: 'slices-missed' };
}

function isDeniedForCalls(denied: readonly TrackedOrder[]): boolean {
  const submission = denied.at(-1)?.facets.submission;
  return submission?.kind === 'denied' && submission.rule === 'call-budget';
}

/** Returns when to request a slice: at its time or, after a denial, after a delay or when its time ends. */
function requestAt(
  algorithm: SlicesRecord,
  { slices, pace }: SlicesSpec,
  at: number,
  denied: readonly TrackedOrder[],
): Millis {
  const slice = slices[at];
  const newest = denied.at(-1);
  if (slice === undefined || newest === undefined) return timeOf(algorithm, slice ?? { afterMs: 0 });
  const waitMs = isDeniedForCalls(denied) ? 3 * CALLS_RETRY_MS : RETRY_MS * 2 ** (denied.length - 1);
  const again = newest.decidedAt + Math.min(waitMs, RETRY_MS_MAX);
  const durationMs = pace === 'fill' ? 0 : sliceDurationMs(slices, at);
  return millis(durationMs > 0 ? Math.min(again, timeOf(algorithm, slice) + durationMs) : again);
}

/** Counts slices that were missed since the last request; their alarm is still to be raised. */
function newlyMissed(
  slices: SlicesSpec['slices'],
  { due, lastSent }: { readonly due: number; readonly lastSent: number },
  children: Children,
): number {
  const lastAsked = slices.findLastIndex((_, at) => children.newest(slotOf(at)) !== undefined);
  if (lastAsked >= due) return 0;
  return due - lastAsked - (lastAsked > lastSent ? 0 : 1);
}

function timeOf(
  { startedAt }: SlicesRecord,
  { afterMs }: Pick<SlicesSpec['slices'][number], 'afterMs'>,
): Millis {
  return millis(startedAt + afterMs);
}

/**
 * Returns the next slice to send: the newest whose time has come, otherwise the next one. A slice is missed when it
 * is later than the interval to the next one. Returns the number of slices if all were missed.
 */
function dueSlice(
  algorithm: SlicesRecord,
  slices: SlicesSpec['slices'],
  lastSent: number,
  now: Millis,
): number {
  for (let at = lastSent + 1; at < slices.length; at += 1) {
    const slice = slices[at];
    if (slice === undefined) continue;
    const durationMs = sliceDurationMs(slices, at);
    if (timeOf(algorithm, slice) + durationMs > now || durationMs <= 0) return at;
  }
  return slices.length;
}

/**
 * Returns how long a slice may still be sent after its time: until the next one; the last one as long as the
 * previous.
 */
function sliceDurationMs(slices: SlicesSpec['slices'], at: number): number {
  const [before, slice, until] = [slices[at - 1], slices[at], slices[at + 1]];
  if (slice === undefined) return 0;
  if (until !== undefined) return until.afterMs - slice.afterMs;
  return before === undefined ? MINUTE_MS : slice.afterMs - before.afterMs;
}

/** Returns the slice's quantity or, if missed slices are spread, its part of all that was not sent yet. */
function quantityOf(
  { order, slices, missed }: SlicesSpec,
  at: number,
  children: Children,
  facts: SlicesFacts,
): Quantity {
  const own = slices[at]?.quantity ?? ZERO;
  if (missed !== 'spread') return own;
  const sent = children.all.reduce(
    (sum, child) => (mayRetry(child) ? sum : sum.plus(child.facets.ordered)),
    ZERO,
  );
  const left = order.quantity.minus(sent);
  if (at === slices.length - 1) return left;
  const planned = slices.slice(at).reduce((sum, { quantity }) => sum.plus(quantity), ZERO);
  return Decimal.max(own, facts.wholeLots(left.times(own).div(planned)));
}

const SLOTS: string[] = [];

/** Returns the name of a slot; names are cached, because a plan looks up each slot. */
export function slotOf(at: number): string {
  for (let next = SLOTS.length; next <= at; next += 1) SLOTS.push(`${SLICE_SLOT}${next + 1}`);
  return SLOTS[at] ?? `${SLICE_SLOT}${at + 1}`;
}

function skippedText(skipped: number, { missed = 'drop' }: SlicesSpec): string {
  if (skipped === 0) return '';
  const what = skipped === 1 ? '1 missed slice' : `${skipped} missed slices`;
  return missed === 'drop' ? `, after ${what} that were dropped` : `, with its part of ${what}`;
}

function endAction({
  spec,
  children: { all },
  endReason,
  missed,
}: {
  readonly spec: SlicesSpec;
  readonly children: { readonly all: readonly TrackedOrder[] };
  readonly endReason: string | undefined;
  readonly missed: number;
}): AlgorithmAction {
  const executed = executedOf(all);
  const slices = missed === 1 ? '1 slice' : `${missed} slices`;
  const left = missed === 0 ? '' : `, ${slices} missed`;
  const why = `${executed} of ${spec.order.quantity} traded${left}`;
  if (endReason !== undefined) return { kind: 'end', outcome: 'canceled', why: `${endReason}; ${why}` };
  const isWhole =
    all.every((child) => mayRetry(child) || failureOf(child) === undefined) &&
    (missed === 0 || executed.gte(spec.order.quantity));
  const alarm = missed > 0 && executed.lt(spec.order.quantity) ? { alarm: 'slices-missed' } : {};
  return { kind: 'end', outcome: isWhole && executed.gt(ZERO) ? 'done' : 'failed', why, ...alarm };
}
