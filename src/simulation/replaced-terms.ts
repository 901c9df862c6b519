import type { OrderTerms } from '../model/order.ts';
import type { Replacement } from './simulation.ts';
import type { VenueOrder } from './venue-order.ts';

/** Terms after a replacement: fields that it does not name stay. */
export function replacedTerms(order: VenueOrder, replacement: Replacement): OrderTerms {
  const { remark: _remark, ...changed } = replacement;
  return { ...order.terms, ...changed };
}
