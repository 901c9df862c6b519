import { decimal } from '#src/model/decimal.ts';
import { executionId, orderId, type ReadStatus } from '#src/model/order.ts';
import type { OrderEffect, OrderFacets } from '#src/model/order-facets.ts';
import { draftOrder, moveOrder, type OrderMove, stepOrder } from '#src/model/order-state.ts';
import { millis } from '#src/model/time.ts';

export const DRAFTED = draftOrder(decimal('100'));

export const whenMoved = (...moves: readonly OrderMove[]): OrderFacets => moves.reduce(moveOrder, DRAFTED);
export const armed: OrderMove = { kind: 'armed' };
export const sending: OrderMove = { kind: 'sending', attempt: 1 };
export const acked: OrderMove = { kind: 'acked', orderId: orderId('700') };
export const unknown: OrderMove = { kind: 'unknown' };
export const pulled = (
  said: ReadStatus,
  change: { readonly at?: number; readonly done?: string } = {},
): OrderMove => ({
  kind: 'status',
  status: said,
  by: 'pull',
  executedQuantity: decimal(change.done ?? '0'),
  at: millis(change.at ?? 0),
});
export const status = pulled;
export const executed = (id: string, quantity: string): OrderMove => ({
  kind: 'executed',
  executionId: executionId(id),
  quantity: decimal(quantity),
  price: decimal('10'),
});
export const working = [armed, sending, acked, status('NewStatus')] as const;

export const wishesOf = (order: OrderFacets, move: OrderMove): readonly string[] =>
  stepOrder(order, move).effects.map(summaryOf);
export const summaryOf = (effect: OrderEffect): string => {
  if (effect.kind === 'alarm')
    return effect.halt === undefined ? effect.code : `${effect.code}, halt ${effect.halt}`;
  return effect.kind === 'pull' && effect.afterMs > 0 ? `pull in ${effect.afterMs}` : effect.kind;
};
export const pushed = (said: ReadStatus): OrderMove => ({
  kind: 'status',
  status: said,
  by: 'push',
  executedQuantity: decimal('0'),
  at: millis(0),
});
