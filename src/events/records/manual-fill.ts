import { ZERO } from '../../model/decimal.ts';
import type { Fill } from '../../model/fill.ts';
import { executionId, type OrderTerms, orderId } from '../../model/order.ts';
import type { OrderSettled } from '../event.ts';

/**
 * Returns the fill that an operator confirmed, with an execution id that no venue uses; undefined if nothing was
 * filled.
 */
export function manualFill(event: OrderSettled, { symbol, side }: OrderTerms): Fill | undefined {
  const { intentId, outcome, quantity, price, currency, at } = event;
  if (outcome === 'dead' || price === undefined || quantity.isZero()) return undefined;
  const ids = { executionId: executionId(`settled-${intentId}`), orderId: orderId('settled'), intentId };
  return { ...ids, symbol, side, quantity, price, currency, fee: ZERO, charges: [], time: at };
}
