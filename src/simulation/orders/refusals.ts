import type { OrderId } from '../../model/order.ts';
import type { Acceptance } from '../simulation.ts';
import type { VenueOrder } from './venue-order.ts';

export type Refusal = Extract<Acceptance, { kind: 'refused' }>;

/**
 * The venue's codes for trade requests.
 * @see docs/wire-protocol.md, "Codes"
 */
const REFUSAL_CODES = {
  cancelled: 601011,
  filled: 601012,
  rejected: 601013,
  parameters: 602001,
  typeNotReplaceable: 602012,
  statusNotReplaceable: 602013,
  notFound: 603001,
} as const;

export function refused(reason: keyof typeof REFUSAL_CODES, message: string): Refusal {
  return { kind: 'refused', code: REFUSAL_CODES[reason], message };
}

export function notFound(orderId: OrderId): Refusal {
  return refused('notFound', `Order not found: "${orderId}"`);
}

/** Returns why a finished order cannot be changed; undefined while it is open. */
export function endedRefusal(order: VenueOrder): Refusal | undefined {
  switch (order.status) {
    case 'FilledStatus':
      return refused('filled', 'Order has been filled');
    case 'RejectedStatus':
      return refused('rejected', 'Order has been rejected');
    case 'CanceledStatus':
    case 'PartialWithdrawal':
      return refused('cancelled', 'Order has been cancelled.');
    case 'ExpiredStatus':
      return refused('cancelled', 'Order has been cancelled. It has expired');
    default:
      return undefined;
  }
}
