import type { TrackedOrder } from '../../events/bot-state.ts';
import type { TrackedAlgorithm } from '../../events/records/algorithm-record.ts';
import { Decimal, type Quantity, ZERO } from '../../model/decimal.ts';
import type { OrderTerms, ReadStatus } from '../../model/order.ts';
import { isLive, openRest } from '../../model/order-state.ts';
import { MINUTE_MS, type Millis, millis } from '../../model/time.ts';
import {
  cancelActions,
  expiredOf,
  failedTemporarily,
  failureOf,
  isFromBeforeSplit,
  isOpen,
  SPLIT,
  temporaryRetryAt,
  wasCancelled,
  wasDenied,
  wasDroppedByRestart,
} from './children.ts';
import type { AlgorithmAction } from './plan.ts';

/** The protective orders that one leg of a bracket (stop or target) must have at the venue. */
export interface TargetExits {
  readonly slot: string;
  /** Total quantity to protect, in shares. */
  readonly quantity: Quantity;
  termsFor(quantity: Quantity): OrderTerms;
  /** Amended terms for a working exit; undefined if the venue cannot amend it and it must be replaced. */
  amend(order: TrackedOrder, quantity: Quantity): OrderTerms | undefined;
  /** True if a working exit has the wrong price or trigger. */
  isMispriced(order: TrackedOrder): boolean;
  /** Minimum time between two size increases; 0 protects every new share immediately. */
  readonly growthIntervalMs: number;
  readonly reason: string;
}

interface SlotFacts {
  readonly algorithm: TrackedAlgorithm;
  /** All orders of the slot, oldest first. */
  readonly orders: readonly TrackedOrder[];
  readonly now: Millis;
  /**
   * True while the gate is halted: a cancelled exit could not be sent again. All algorithms run when the halt ends.
   */
  readonly halted: boolean;
}

/** Maximum working exits in one slot, if the venue does not increase quantities by amends. */
const WORKING_EXITS_MAX = 4;
/** Delay before an amend that was not sent, or was lost, is repeated. */
const AMEND_RETRY_MS = 2_000;
/** Delay before an amend that the gate denied is tried again; the limits of the gate count minutes. */
const DENIED_RETRY_MS = 10_000;
/** Maximum delay between two tries of a denied exit. */
const DENIED_RETRY_MAX_MS = 10 * MINUTE_MS;
/** Consecutive unconfirmed amends after which the amend counts as rejected. */
const UNCONFIRMED_AMENDS_MAX = 3;

export const MOVED = 'the position or its stop moved';

/**
 * Statuses in which an amend is sent. The broker documents amends of orders at the exchange; since it also documents the
 * fields of conditional orders, those are amended while they wait for their trigger, and not afterwards.
 * @see docs/wire-protocol.md, "Calls"
 */
const AMENDABLE_STATUSES: ReadonlySet<ReadStatus | 'none'> = new Set([
  'NewStatus',
  'PartialFilledStatus',
  'ReplacedStatus',
  'VarietiesNotReported',
]);

/**
 * Returns the actions that bring the exits of a slot to the target quantity and price.
 *
 * - A working exit is amended, so that the position stays protected while the exit grows.
 * - If the venue refuses amends, a second exit for the missing quantity is added.
 * - Excess or mispriced exits that cannot be amended are cancelled and sent again.
 * - An additional exit that the gate denied is retried; the working ones stay.
 * - Exits sent before a split are cancelled first, then sent again in new shares.
 */
export function maintainExits(target: TargetExits, slot: SlotFacts): readonly AlgorithmAction[] {
  const { now, halted } = slot;
  const old = slot.orders.filter((order) => isFromBeforeSplit(order) && isOpen(order));
  if (old.length > 0) return halted ? [] : cancelActions(old, SPLIT);
  const expired = expiredOf(slot.orders);
  const orders = slot.orders.filter(
    (order) => !isFromBeforeSplit(order) && !expired.has(order) && !wasDroppedByRestart(order),
  );
  const working = orders.filter(isOpen);
  const isRefused = orders.some(refusesAmends);
  const mayAmend = (order: TrackedOrder, quantity: Quantity): boolean =>
    !isRefused && isAmendable(order) && target.amend(order, quantity) !== undefined;

  let missing = target.quantity;
  const shares = new Map<TrackedOrder, Quantity>();
  for (const order of working) {
    const share = Decimal.min(openRest(order.facets), missing);
    shares.set(order, share);
    missing = missing.minus(share);
  }
  const grows = missing.gt(0)
    ? working.findLast((order) => mayAmend(order, missing.plus(shares.get(order) ?? ZERO)))
    : undefined;

  const actions = working.flatMap((order): readonly AlgorithmAction[] => {
    const share = shares.get(order) ?? openRest(order.facets);
    const quantity = order === grows ? share.plus(missing) : share;
    const isRight = quantity.eq(openRest(order.facets)) && !target.isMispriced(order);
    if (isRight || isAmendPending(order)) return [];
    if (quantity.isZero() || !mayAmend(order, quantity)) return cancelActions([order], MOVED);
    const reducesQuantity = quantity.lt(openRest(order.facets)) && !target.isMispriced(order);
    if (halted && !reducesQuantity) return [];
    const due = amendDueAt(order, order === grows ? target.growthIntervalMs : 0);
    if (due > now) return [{ kind: 'wake', at: due }];
    const terms = target.amend(order, quantity);
    return terms === undefined ? [] : [{ kind: 'replace', intentId: order.intentId, terms }];
  });
  const isMissing = missing.gt(0) && grows === undefined && !actions.some(({ kind }) => kind === 'cancel');
  const newest = slot.orders.at(-1);
  const isRenewal = newest !== undefined && expired.has(newest);
  return isMissing ? [...actions, ...addExit(target, missing, { ...slot, orders }, isRenewal)] : actions;
}

/** Adds an exit for the missing quantity, unless a working exit is being amended or cancelled. */
function addExit(
  { slot, termsFor, reason }: TargetExits,
  missing: Quantity,
  { algorithm, orders, now, halted }: SlotFacts,
  isRenewal: boolean,
): readonly AlgorithmAction[] {
  const newest = orders.at(-1);
  const working = orders.filter(isOpen);
  const isFailed =
    newest !== undefined && failureOf(newest) !== undefined && !wasCancelled(newest, algorithm);
  const again = isFailed ? exitRetryAt(orders) : millis(0);
  if (again === undefined) return [];
  if (working.some((order) => isAmendPending(order) || isCancelPending(order) || !isLive(order.facets)))
    return [];
  if (halted) return [];
  const due = Math.max(again, ...(orders.some(refusesAmends) ? [] : working.map(firstStatusBy)));
  if (due > now) return [{ kind: 'wake', at: millis(due) }];
  if (working.length >= WORKING_EXITS_MAX) return cancelActions(working, MOVED);
  const sent = { kind: 'submit', slot, terms: termsFor(missing), exclusive: true, exit: true } as const;
  if (!isRenewal) return [{ ...sent, reason }];
  return [{ ...sent, reason: `${reason}, sent again as the venue expired the one before`, again: 'expired' }];
}

/** Returns the actions that reduce a working order to a quantity; none if the venue does not amend it. */
export function reducedTo(order: TrackedOrder, quantity: Quantity, now: Millis): readonly AlgorithmAction[] {
  if (openRest(order.facets).lte(quantity) || isAmendPending(order)) return [];
  if (quantity.lte(0)) return cancelActions([order], MOVED);
  if (refusesAmends(order) || !isAmendable(order)) return [];
  const due = amendDueAt(order, 0);
  if (due > now) return [{ kind: 'wake', at: due }];
  const terms = { ...order.terms, quantity: quantity.plus(order.facets.executed) };
  return [{ kind: 'replace', intentId: order.intentId, terms }];
}

/** True if the venue can apply an amend now: the order is acknowledged and no other change is pending. */
function isAmendable(order: TrackedOrder): boolean {
  const { submission, pending, venue } = order.facets;
  return (
    submission.kind === 'acked' &&
    pending === 'none' &&
    !isCancelPending(order) &&
    AMENDABLE_STATUSES.has(venue)
  );
}

/** Returns until when to wait for the first status of an order; 0 if it has one. */
function firstStatusBy({ facets, decidedAt }: TrackedOrder): number {
  return AMENDABLE_STATUSES.has(facets.venue) ? 0 : decidedAt + AMEND_RETRY_MS;
}

function isAmendPending({ facets }: TrackedOrder): boolean {
  return facets.pending.startsWith('replace-');
}

/** True for an order whose cancel is pending. */
export function isCancelPending({ facets }: TrackedOrder): boolean {
  return facets.cancelWanted || facets.pending.startsWith('cancel-');
}

/** True if the venue does not amend such orders: it rejected an amend, or left several in a row unconfirmed. */
export function refusesAmends({ change }: TrackedOrder): boolean {
  return change?.outcome === 'refused' || (change?.losses ?? 0) >= UNCONFIRMED_AMENDS_MAX;
}

/**
 * Returns when an exit is requested again after the newest of its slot failed: the delay doubles with each
 * consecutive failure, and is shorter for temporary causes. Undefined: never, because the venue refused it for good.
 */
export function exitRetryAt(orders: readonly TrackedOrder[]): Millis | undefined {
  const newest = orders.at(-1);
  if (newest === undefined) return undefined;
  if (failedTemporarily(newest)) return temporaryRetryAt(orders, newest);
  if (!wasDenied(newest)) return undefined;
  const inRow = orders.length - 1 - orders.findLastIndex((order) => !wasDenied(order));
  return millis(newest.decidedAt + Math.min(DENIED_RETRY_MS * 2 ** (inRow - 1), DENIED_RETRY_MAX_MS));
}

function amendDueAt({ change, decidedAt }: TrackedOrder, growthIntervalMs: number): Millis {
  if (change === undefined) return millis(growthIntervalMs === 0 ? 0 : decidedAt + growthIntervalMs);
  switch (change.outcome) {
    case 'not-sent':
    case 'lost':
      return millis(change.at + AMEND_RETRY_MS);
    case 'denied':
      return millis(change.at + DENIED_RETRY_MS);
    default:
      return millis(change.at + growthIntervalMs);
  }
}
