import type { TrackedOrder } from '../../events/bot-state.ts';
import type { TrackedAlgorithm } from '../../events/records/algorithm-record.ts';
import { executedOf, type OrderLookup } from '../../events/records/bracket-shares.ts';
import type { OcoSpec } from '../../model/algorithm.ts';
import { otherSide } from '../../model/algorithm.ts';
import type { OrderTerms } from '../../model/order.ts';
import type { Submission } from '../../model/order-facets.ts';
import { type Millis, millis } from '../../model/time.ts';
import {
  type Children,
  cancelActions,
  childrenOf,
  failedInPassing,
  failureOf,
  isOfRestart,
  isOpen,
  NOTHING_LEFT,
  wasDenied,
} from './children.ts';
import { exitAgainAt, isLeaving, reducedTo } from './exit-maintenance.ts';
import { isBeyond } from './levels.ts';
import type { AlgorithmAction, AlgorithmFacts } from './plan.ts';

/**
 * Plans all legs until one of them trades, then cancels the others. A leg that was not sent because of a restart is
 * sent while the position that it closes is held; if it would open one, the other legs are cancelled. A leg that was
 * denied or rejected also cancels the others, unless they close a position: then an alarm reports that they protect
 * it alone. A closing leg with a temporary failure is sent again until others end the OCO; if no leg works, not while
 * another order of the strategy may close the position.
 */
export function planOco(
  algorithm: TrackedAlgorithm,
  spec: OcoSpec,
  facts: AlgorithmFacts,
): readonly AlgorithmAction[] {
  const { legs } = spec;
  const children = childrenOf(algorithm, facts);
  const submit = (at: number): readonly AlgorithmAction[] => {
    const terms = legs[at];
    if (terms === undefined) return [];
    const reason = `${algorithm.reason}, one of ${legs.length}`;
    return [{ kind: 'submit', slot: slotOf(at), terms: waiting(terms, facts), reason, exclusive: true }];
  };
  if (children.all.length === 0) return legs.flatMap((_, at) => submit(at));
  const open = children.all.filter(isOpen);
  const traded = children.all.find(({ facets }) => !facets.executed.isZero());
  if (traded !== undefined) {
    const others = open.filter((order) => order !== traded);
    if (open.length === 0)
      return [{ kind: 'end', outcome: 'done', why: `${executedOf(children.all)} traded on one leg` }];
    const working = isOpen(traded) ? [traded] : [];
    return [...cancelActions(others, 'the other leg traded'), ...followed(spec, working, facts)];
  }
  const smaller = followed(spec, open, facts);
  if (smaller.length > 0) return smaller;
  const missing = missingLegs(spec, children);
  const passing = passingLegs(algorithm, spec, facts);
  if (open.length === 0 && (passing.length === 0 || facts.killed)) return [ending(algorithm, spec, facts)];
  if (missing.some((at) => !closes(legs[at], facts))) return cancelActions(open, MISSING);
  const failed = failedLeg(algorithm, spec, facts);
  if (failed !== undefined && !open.every(({ terms }) => protects(terms, facts)))
    return cancelActions(open, otherFailed(failed));
  if (facts.killed || (algorithm.overruled !== undefined && open.every(isLeaving))) return [];
  const waits = passing
    .map((at) => children.of(slotOf(at)))
    .find((orders) => facts.halted || failedTwice(orders))
    ?.at(-1);
  const alarms = [
    ...(failed === undefined ? [] : [legFailed(failed)]),
    ...(waits === undefined ? [] : [legWaits(waits)]),
  ];
  if (facts.halted || algorithm.overruled !== undefined) return alarms;
  const sent = [...missing, ...passing].flatMap((at) => {
    if (open.length === 0 && isTaken(legs[at], facts)) return [];
    const again = sentAgainAt(children.of(slotOf(at)));
    if (again === undefined) return [];
    return again > facts.now ? [{ kind: 'wake' as const, at: again }] : submit(at);
  });
  return [...alarms, ...sent];
}

/** Reduces working legs to what is left of the position that they close. */
function followed(
  { legs: [leg], closes: isClosing }: OcoSpec,
  open: readonly TrackedOrder[],
  { position, now }: AlgorithmFacts,
): readonly AlgorithmAction[] {
  if (leg === undefined || isClosing !== true) return [];
  const held = position(otherSide(leg.side));
  if (held.lte(0)) return cancelActions(open, NOTHING_LEFT);
  return open.flatMap((order) => reducedTo(order, held, now));
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
    return first === undefined || (isOfRestart(first) && others.every(wasDenied));
  });
}

/** Returns closing legs with a temporary failure, which are sent again. */
function passingLegs(algorithm: TrackedAlgorithm, spec: OcoSpec, facts: AlgorithmFacts): readonly number[] {
  if (algorithm.overruled !== undefined) return [];
  const children = childrenOf(algorithm, facts);
  const missing = missingLegs(spec, children);
  return [...spec.legs.keys()].filter((at) => {
    const newest = children.newest(slotOf(at));
    return newest !== undefined && !missing.includes(at) && isPassing(newest, facts);
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

function isPassing(newest: TrackedOrder, facts: AlgorithmFacts): boolean {
  return failedInPassing(newest) && newest.facets.executed.isZero() && closes(newest.terms, facts);
}

/** True for a leg whose first repetition failed as well. */
function failedTwice(orders: readonly TrackedOrder[]): boolean {
  return orders.length > 1 && orders.slice(-2).every(failedInPassing);
}

/** True while the whole quantity that a leg closes is held. */
function closes(leg: OrderTerms | undefined, facts: AlgorithmFacts): boolean {
  return leg !== undefined && facts.held(otherSide(leg.side)).gte(leg.quantity);
}

/** Returns when a leg is sent: at once if it was not decided yet, otherwise like a denied exit. */
function sentAgainAt(orders: readonly TrackedOrder[]): Millis | undefined {
  const newest = orders.at(-1);
  return newest === undefined ? millis(0) : exitAgainAt(orders);
}

/**
 * Returns the first leg that the gate denied or the venue rejected for good; cancelled or expired legs did not fail.
 */
function failedLeg(
  algorithm: TrackedAlgorithm,
  { legs }: OcoSpec,
  facts: AlgorithmFacts,
): TrackedOrder | undefined {
  const { overruled } = algorithm;
  const children = childrenOf(algorithm, facts);
  for (const at of legs.keys()) {
    const newest = children.newest(slotOf(at));
    if (newest === undefined || isOfRestart(newest) || failureOf(newest) === undefined) continue;
    if (overruled === undefined && isPassing(newest, facts)) continue;
    const [first] = children.of(slotOf(at));
    const { submission, venue } = newest.facets;
    // Denied tries of a leg that a restart dropped are repeated.
    if (submission.kind === 'denied' && first !== undefined && isOfRestart(first)) continue;
    if (FAILED.has(submission.kind) || venue === 'RejectedStatus') return newest;
  }
  return undefined;
}

const FAILED: ReadonlySet<Submission['kind']> = new Set(['denied', 'refused', 'not-sent']);

/** True while part of the position that a leg closes is held. */
function protects({ side }: OrderTerms, facts: AlgorithmFacts): boolean {
  return facts.held(otherSide(side)).gt(0);
}

/** True while another order of the strategy may close what a leg closes. */
function isTaken(leg: OrderTerms | undefined, facts: AlgorithmFacts): boolean {
  return leg !== undefined && facts.isTaken(leg.side);
}

function otherFailed(failed: TrackedOrder): string {
  return `the other leg failed: ${failureOf(failed)}`;
}

function legFailed(failed: TrackedOrder): AlgorithmAction {
  const { side, type, quantity, symbol } = failed.terms;
  const message = `A leg of an OCO failed: ${side} ${quantity} "${symbol}" (${type}), ${failureOf(failed)}. The rest of it protects the position alone: place the missing order by hand, or close the position`;
  return { kind: 'alarm', code: 'oco-leg-failed', message, symbol };
}

function legWaits(leg: TrackedOrder): AlgorithmAction {
  const { side, type, quantity, symbol } = leg.terms;
  const message = `A leg of an OCO does not work yet: ${side} ${quantity} "${symbol}" (${type}), ${failureOf(leg)}. It is sent again until it does`;
  return { kind: 'alarm', code: 'protection-waits', message, symbol };
}

function ending(algorithm: TrackedAlgorithm, spec: OcoSpec, facts: AlgorithmFacts): AlgorithmAction {
  const children = childrenOf(algorithm, facts);
  const { all } = children;
  const missing = missingLegs(spec, children);
  const leg = failedLeg(algorithm, spec, facts);
  const why = leg === undefined ? all.map(failureOf).find((each) => each !== undefined) : failureOf(leg);
  const failed = why ?? 'nothing traded';
  const isCancelled = all.some(({ facets }) => facets.venue === 'CanceledStatus');
  const isCalledOff = missing.length > 0 && !all.every(wasDenied);
  const isBare =
    leg !== undefined &&
    algorithm.overruled === undefined &&
    !facts.killed &&
    spec.legs.some((terms) => protects(terms, facts) && !isTaken(terms, facts));
  return {
    kind: 'end',
    outcome: isCancelled ? 'canceled' : 'failed',
    why: `no leg is left: ${isCalledOff ? MISSING : failed}${isBare ? '; the position is held without an exit' : ''}`,
    ...(isCalledOff ? { alarm: 'oco-called-off' } : isBare ? { alarm: 'oco-leg-failed' } : {}),
  };
}

/**
 * Returns when a leg is sent again that was not sent because of a restart, or failed temporarily; undefined: never.
 */
export function ocoAgainAt(
  algorithm: TrackedAlgorithm,
  spec: OcoSpec,
  facts: AlgorithmFacts,
  { intentId, link, terms }: TrackedOrder,
): Millis | undefined {
  const children = childrenOf(algorithm, facts);
  const orders = children.of(link?.slot ?? '');
  // Another order replaced it.
  if (orders.at(-1)?.intentId !== intentId) return facts.now;
  if (!executedOf(children.all).isZero() || algorithm.overruled !== undefined) return undefined;
  const isOfSlot = (at: number): boolean => slotOf(at) === link?.slot;
  if (passingLegs(algorithm, spec, facts).some(isOfSlot)) return exitAgainAt(orders);
  const isMissing = missingLegs(spec, children).some(isOfSlot);
  const isLeft = children.all.some(isOpen);
  return isMissing && isLeft && closes(terms, facts) ? sentAgainAt(orders) : undefined;
}

function slotOf(at: number): string {
  return `leg-${at + 1}`;
}

/**
 * Turns a limit that the market has not reached into a limit-if-touched order, which reserves no shares that the
 * other leg needs.
 */
function waiting(terms: OrderTerms, { last, judgesAtFill }: AlgorithmFacts): OrderTerms {
  const { type, price, side } = terms;
  if (type !== 'LO' || price === undefined || last === undefined || judgesAtFill) return terms;
  return isBeyond(last, price, 'gain', otherSide(side))
    ? terms
    : { ...terms, type: 'LIT', triggerPrice: price };
}
