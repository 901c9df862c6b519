import type { Price } from '../model/decimal.ts';
import type { Millis } from '../model/time.ts';
import { type Means, uncovered } from './funds-check.ts';
import { restOf, type VenueOrder } from './venue-order.ts';

/**
 * Why a sale cannot go on once its condition is met; undefined when it can. Until then it kept neither shares nor margin for itself where
 * shares were held, so another order may have sold them: what is left to be sold short must be covered now.
 */
export function uncoveredSale(
  order: VenueOrder,
  met: { readonly price: Price; readonly at: Millis },
  means: Means,
): string | undefined {
  const { security, terms } = order;
  if (terms.side !== 'sell' || means.model.cover !== 'reserved') return undefined;
  return uncovered({ security, terms, quantity: restOf(order), ...met, except: order }, means);
}
