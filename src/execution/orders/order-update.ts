import type { Fill } from '../../model/fill.ts';
import type { IntentId, OrderTerms, ReadStatus } from '../../model/order.ts';
import type { Millis } from '../../model/time.ts';
import type { FillEvent, OrderEvent } from '../../strategy/strategy-event.ts';

/** A fill or a change of an order, for its strategy. */
export type OrderUpdate = FillEvent | OrderEvent;

export function fillUpdate(fill: Fill, time: Millis): FillEvent {
  return { kind: 'fill', symbol: fill.symbol, time, fill };
}

export function orderUpdate(
  order: { readonly intentId: IntentId; readonly terms: OrderTerms },
  change: { readonly outcome: OrderEvent['outcome']; readonly why: string; readonly time: Millis },
): OrderEvent {
  return {
    kind: 'order',
    symbol: order.terms.symbol,
    intentId: order.intentId,
    terms: order.terms,
    ...change,
  };
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

/** Returns the outcome that a strategy receives for a venue status; undefined for transitional statuses. */
export function outcomeOf(status: ReadStatus): OrderEvent['outcome'] | undefined {
  return OUTCOMES[status];
}
