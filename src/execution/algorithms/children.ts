import type { TrackedOrder } from '../../events/bot-state.ts';
import type { TrackedAlgorithm } from '../../events/records/algorithm-record.ts';
import type { OrderLookup } from '../../events/records/bracket-shares.ts';
import { isWaiting } from '../../events/records/open-orders.ts';
import { executionsNow } from '../../events/records/split-record.ts';
import { type Decimal, ZERO } from '../../model/decimal.ts';
import type { IntentId } from '../../model/order.ts';
import { isLive, isTooManyCalls, openRest } from '../../model/order-state.ts';
import { HOUR_MS, MINUTE_MS, type Millis, millis, SECOND_MS } from '../../model/time.ts';
import type { AlgorithmAction } from './plan.ts';

/** An algorithm's orders, as plans read them. */
export interface Children {
  readonly all: readonly TrackedOrder[];
  newest(slot: string): TrackedOrder | undefined;
  of(slot: string): readonly TrackedOrder[];
}

export function childrenOf(
  { id, children }: Pick<TrackedAlgorithm, 'id' | 'children'>,
  facts: OrderLookup,
): Children {
  const lists = facts.relevantChildren?.(id) ?? children;
  const bySlot = new Map<string, readonly TrackedOrder[]>();
  let all: readonly TrackedOrder[] | undefined;
  function of(slot: string): readonly TrackedOrder[] {
    let orders = bySlot.get(slot);
    if (orders === undefined) {
      orders = ordersOf(lists.get(slot), facts);
      bySlot.set(slot, orders);
    }
    return orders;
  }
  return {
    get all() {
      all ??= [...lists.keys()].flatMap(of);
      return all;
    },
    of,
    newest(slot) {
      const newest = lists.get(slot)?.at(-1);
      return newest === undefined ? undefined : facts.order(newest);
    },
  };
}

function ordersOf(ids: readonly IntentId[] | undefined, facts: OrderLookup): readonly TrackedOrder[] {
  const orders: TrackedOrder[] = [];
  for (const id of ids ?? []) {
    const order = facts.order(id);
    if (order !== undefined) orders.push(order);
  }
  return orders;
}

/** True while the order may still execute, or is about to be checked. */
export function isOpen({ facets }: TrackedOrder): boolean {
  return facets.submission.kind === 'drafted' || isLive(facets);
}

/** Returns how an order ended that was not filled; undefined while it is open, and if it was filled. */
export function failureOf(order: TrackedOrder): string | undefined {
  const { submission, venue, executed, ordered } = order.facets;
  if (isOpen(order) || executed.gte(ordered)) return undefined;
  switch (submission.kind) {
    case 'denied':
      return `denied by ${submission.rule}`;
    case 'acked':
      return `${venue}`;
    default:
      return submission.kind;
  }
}

/** If two exits expire within this time, the venue expires them at once, and another would not last longer. */
const REPEATED_EXPIRY_MS = HOUR_MS;

/**
 * Returns the exits of one slot that the venue expired before any execution: at the end of a good-till-cancelled
 * order's life (90 days), at the end of a day, or when ticks change. They are sent again while the position is held.
 */
export function expiredOf(orders: readonly TrackedOrder[]): ReadonlySet<TrackedOrder> {
  const expired = new Set<TrackedOrder>();
  let before: TrackedOrder | undefined;
  for (const order of orders) {
    const { venue, executed } = order.facets;
    if (venue !== 'ExpiredStatus' || !executed.isZero() || isOpen(order)) continue;
    if (before === undefined || order.decidedAt - before.decidedAt >= REPEATED_EXPIRY_MS) expired.add(order);
    before = order;
  }
  return expired;
}

/**
 * How long the next order of an algorithm may still be sent after its time, if it waited for calls, a confirmation,
 * or a bot that was down. After that the market has moved on.
 */
export const LATE_MS = 10 * MINUTE_MS;

export function wasDenied({ facets }: TrackedOrder): boolean {
  return facets.submission.kind === 'denied';
}

/**
 * Denial of a closing order whose exits filled before they were cancelled: the strategy holds less than its quantity.
 */
export const LESS_HELD = 'less-held';

/** Denial of an order that was decided but not sent before the bot ended. */
export const RESTARTED = {
  rule: 'restart',
  reason: 'The bot ended before this order was sent, and what it was decided on is old now',
} as const;

/** True for an order that the bot did not send before it ended; it may be requested again at once. */
export function wasDroppedByRestart({ facets: { submission } }: TrackedOrder): boolean {
  return submission.kind === 'denied' && submission.rule === RESTARTED.rule;
}

/** Denials with a temporary cause. */
export const TRANSIENT_DENIALS: ReadonlySet<string> = new Set([
  ...[
    'books-agree',
    'call-budget',
    'close-rate',
    'crossed-book',
    'known-facts',
    LESS_HELD,
    'opening-stopped',
  ],
  ...['quote-jump', 'stale-balance', 'stale-estimate', 'stale-margin', 'stale-positions', 'stale-quote'],
  ...[RESTARTED.rule, 'stale-verdict', 'unheard-quote', 'unknown-order'],
]);

/** True for an order that was not sent for a temporary reason, so that it may be requested again. */
export function mayRetry({ facets: { submission } }: TrackedOrder): boolean {
  if (submission.kind === 'not-sent') return true;
  return (
    submission.kind === 'denied' && submission.rule !== LESS_HELD && TRANSIENT_DENIALS.has(submission.rule)
  );
}

/** Further denials of an exit that end with the state of the gate or of its symbol. */
const DENIED_BY_STATE: ReadonlySet<string> = new Set(['gate-state', 'symbol-halt']);

/**
 * True for an exit that failed for a temporary reason: it was not sent, the venue counted too many calls, or the gate
 * denied it temporarily. It is sent again until its position is closed.
 */
export function failedTemporarily(order: TrackedOrder): boolean {
  const { submission } = order.facets;
  if (submission.kind === 'refused') return isTooManyCalls(submission.code);
  const isDeniedByState = submission.kind === 'denied' && DENIED_BY_STATE.has(submission.rule);
  return isDeniedByState || mayRetry(order);
}

/** First and maximum delay before an exit with a temporary failure is sent again; doubled each time. */
const TEMPORARY_RETRY_MS = 2 * SECOND_MS;
const TEMPORARY_RETRY_MAX_MS = MINUTE_MS;

/** Returns when the exits of a slot are tried again after a temporary failure of the newest. */
export function temporaryRetryAt(orders: readonly TrackedOrder[], newest: TrackedOrder): Millis {
  if (wasDroppedByRestart(newest)) return millis(0);
  const inRow = orders.length - 1 - orders.findLastIndex((order) => !failedTemporarily(order));
  return millis(newest.decidedAt + Math.min(TEMPORARY_RETRY_MS * 2 ** (inRow - 1), TEMPORARY_RETRY_MAX_MS));
}

export function wasLessHeld({ facets: { submission } }: TrackedOrder): boolean {
  return submission.kind === 'denied' && submission.rule === LESS_HELD;
}

/** Returns the average price of all executions of orders, in current shares; undefined without any. */
export function averagePrice(orders: readonly TrackedOrder[]): Decimal | undefined {
  let [quantity, paid] = [ZERO, ZERO];
  for (const order of orders) {
    for (const booked of executionsNow(order)) {
      quantity = quantity.plus(booked.quantity);
      paid = paid.plus(booked.quantity.times(booked.price));
    }
  }
  return quantity.isZero() ? undefined : paid.div(quantity);
}

export const SPLIT = 'its shares were split';
/** Why an algorithm ends whose position others have closed. */
export const NOTHING_LEFT = 'nothing is left to close';

/** Why a closing order is cancelled, before it is sent again for the remaining position. */
export const POSITION_REDUCED = 'the position became smaller';

/** True for an order sent before a split: its open quantity is void, or refers to old shares. */
export function isFromBeforeSplit({ split }: TrackedOrder): boolean {
  return split !== undefined;
}

/** Cancels the orders that wait or can still be cancelled, and have no pending cancel. */
export function cancelActions(orders: readonly TrackedOrder[], why: string): readonly AlgorithmAction[] {
  return orders.flatMap((order): readonly AlgorithmAction[] => {
    if (isWaiting(order)) return [{ kind: 'cancel', intentId: order.intentId, why }];
    const { pending, cancelWanted } = order.facets;
    const isCancelRequested = cancelWanted || pending.startsWith('cancel-');
    if (!isLive(order.facets) || openRest(order.facets).isZero() || isCancelRequested) return [];
    return [{ kind: 'cancel', intentId: order.intentId, why }];
  });
}

/** True for an order that the algorithm cancelled, or that a split voided. */
export function wasCancelled(order: TrackedOrder, algorithm: Pick<TrackedAlgorithm, 'withdrawn'>): boolean {
  return isFromBeforeSplit(order) || algorithm.withdrawn.has(order.intentId);
}
