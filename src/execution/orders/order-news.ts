import type { Fill } from '../../model/fill.ts';
import type { IntentId, OrderTerms, ReadStatus } from '../../model/order.ts';
import type { Millis } from '../../model/time.ts';
import type { FillEvent, OrderEvent } from '../../strategy/strategy-event.ts';

/** Something that happened to an order and that the strategy may want to react to. */
export type OrderNews = FillEvent | OrderEvent;

/** The news of one booked execution. */
export function fillNews(fill: Fill, time: Millis): FillEvent {
  return { kind: 'fill', symbol: fill.symbol, time, fill };
}

/** The news of an order's current state. */
export function orderNews(
  order: { readonly intentId: IntentId; readonly terms: OrderTerms },
  news: { readonly outcome: OrderEvent['outcome']; readonly why: string; readonly time: Millis },
): OrderEvent {
  return { kind: 'order', symbol: order.terms.symbol, intentId: order.intentId, terms: order.terms, ...news };
}

const OUTCOMES: Partial<Record<ReadStatus, OrderEvent['outcome']>> = {
  VarietiesNotReported: 'working',
  NewStatus: 'working',
  FilledStatus: 'filled',
  CanceledStatus: 'canceled',
  PartialWithdrawal: 'canceled',
  ExpiredStatus: 'expired',
  RejectedStatus: 'rejected',
};

/** What a venue status means to a strategy; undefined for statuses on the way. */
export function outcomeOf(status: ReadStatus): OrderEvent['outcome'] | undefined {
  return OUTCOMES[status];
}
