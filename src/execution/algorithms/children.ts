import type { TrackedOrder } from '../../events/bot-state.ts';
import type { TrackedAlgorithm } from '../../events/records/algorithm-record.ts';
import type { OrderLookup } from '../../events/records/bracket-shares.ts';
import { isWaiting } from '../../events/records/open-orders.ts';
import { executionsNow } from '../../events/records/split-record.ts';
import { type Decimal, type Quantity, ZERO } from '../../model/decimal.ts';
import type { IntentId } from '../../model/order.ts';
import { isLive, openRest } from '../../model/order-state.ts';
import { HOUR_MS, MINUTE_MS, type Millis, millis, SECOND_MS } from '../../model/time.ts';
import { isTooManyCalls } from '../call-budget/retried-reads.ts';
import type { AlgorithmAction } from './plan.ts';

/** An algorithm's orders as a plan reads them. */
export interface Children {
  readonly all: readonly TrackedOrder[];
  /** The newest order of a slot. */
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

/** True while the order may still execute, or is about to be judged. */
export function isOpen({ facets }: TrackedOrder): boolean {
  return facets.submission.kind === 'drafted' || isLive(facets);
}

/** How an order ended that executed less than it was for; undefined while it is open, and when it was filled. */
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

/** Two exits that expire within so long are expired by the venue at once: then the next would not live longer. */
const EXPIRES_AGAIN_MS = HOUR_MS;

/**
 * Exits of one slot that the venue expired before anything of them was executed: at the end of a good-till-cancelled order's life (90
 * days), at a day's end, or with a change of ticks. They say nothing about the position, and are sent again while it lives.
 */
export function expiredOf(orders: readonly TrackedOrder[]): ReadonlySet<TrackedOrder> {
  const expired = new Set<TrackedOrder>();
  let before: TrackedOrder | undefined;
  for (const order of orders) {
    const { venue, executed } = order.facets;
    if (venue !== 'ExpiredStatus' || !executed.isZero() || isOpen(order)) continue;
    if (before === undefined || order.decidedAt - before.decidedAt >= EXPIRES_AGAIN_MS) expired.add(order);
    before = order;
  }
  return expired;
}

/**
 * How long the next order of an algorithm may still be sent after its time, where it waited for calls, for a confirmation, or for a bot
 * that was down. After that the market has moved on.
 */
export const LATE_MS = 10 * MINUTE_MS;

/** True for an order that our gate did not let pass. */
export function wasDenied({ facets }: TrackedOrder): boolean {
  return facets.submission.kind === 'denied';
}

/** The denial of an order to close whose exits were filled before they were gone: the strategy holds less than it. */
export const LESS_HELD = 'less-held';

/** The denial of an order that was decided and not sent before the bot ended. */
export const RESTARTED = {
  rule: 'restart',
  reason: 'The bot ended before this order was sent, and what it was decided on is old now',
} as const;

/** True for an order that the bot did not send before it ended: nothing kept it from the venue, so that it may be requested again at once. */
export function isOfRestart({ facets: { submission } }: TrackedOrder): boolean {
  return submission.kind === 'denied' && submission.rule === RESTARTED.rule;
}

/** Denials that say that something must be waited for. */
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

/** True for an order of which no byte was sent, for a reason that passes: the same order may be requested again. */
export function mayBeAskedAgain({ facets: { submission } }: TrackedOrder): boolean {
  if (submission.kind === 'not-sent') return true;
  return (
    submission.kind === 'denied' && submission.rule !== LESS_HELD && TRANSIENT_DENIALS.has(submission.rule)
  );
}

/** Denials of an exit that end with the state of the gate or of its symbol, in addition to those that pass by themselves. */
const DENIED_BY_STATE: ReadonlySet<string> = new Set(['gate-state', 'symbol-halt']);

/**
 * True for an exit that failed for a reason that passes: no byte of it was sent, the venue counted too many calls, or the gate had to wait
 * for something. It is sent again until its position is closed.
 */
export function failedInPassing(order: TrackedOrder): boolean {
  const { submission } = order.facets;
  if (submission.kind === 'refused') return isTooManyCalls(submission.code);
  const isOfState = submission.kind === 'denied' && DENIED_BY_STATE.has(submission.rule);
  return isOfState || mayBeAskedAgain(order);
}

/** First wait before an exit that failed in passing is sent again, which doubles each time, and the longest. */
const PASSING_RETRY_MS = 2 * SECOND_MS;
const PASSING_RETRY_MAX_MS = MINUTE_MS;

/** When exits of a slot of which the newest failed in passing are tried again. */
export function passingAgainAt(orders: readonly TrackedOrder[], newest: TrackedOrder): Millis {
  if (isOfRestart(newest)) return millis(0);
  const inRow = orders.length - 1 - orders.findLastIndex((order) => !failedInPassing(order));
  return millis(newest.decidedAt + Math.min(PASSING_RETRY_MS * 2 ** (inRow - 1), PASSING_RETRY_MAX_MS));
}

/** True for an order that was denied because its strategy held less. */
export function wasLessHeld({ facets: { submission } }: TrackedOrder): boolean {
  return submission.kind === 'denied' && submission.rule === LESS_HELD;
}

export function openOf(orders: readonly TrackedOrder[]): Quantity {
  return orders.reduce((sum, order) => (isLive(order.facets) ? sum.plus(openRest(order.facets)) : sum), ZERO);
}

/** Average price of everything that orders executed, in the shares of now; undefined before anything was. */
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

/** Why orders of before a split are taken back. */
export const SPLIT = 'its shares were split';

/** True for an order that was sent before a split: its open quantity is void, or means other shares at another price. */
export function isOfOldShares({ split }: TrackedOrder): boolean {
  return split !== undefined;
}

/** Cancels those of these orders that wait or can still be cancelled, and have no pending cancel. */
export function cancelActions(orders: readonly TrackedOrder[], why: string): readonly AlgorithmAction[] {
  return orders.flatMap((order): readonly AlgorithmAction[] => {
    if (isWaiting(order)) return [{ kind: 'cancel', intentId: order.intentId, why }];
    const { pending, cancelWanted } = order.facets;
    const asked = cancelWanted || pending.startsWith('cancel-');
    if (!isLive(order.facets) || openRest(order.facets).isZero() || asked) return [];
    return [{ kind: 'cancel', intentId: order.intentId, why }];
  });
}

/** True when the algorithm itself took an order back, and for one that a split made void. */
export function wasCancelled(order: TrackedOrder, algorithm: Pick<TrackedAlgorithm, 'withdrawn'>): boolean {
  return isOfOldShares(order) || algorithm.withdrawn.has(order.intentId);
}
