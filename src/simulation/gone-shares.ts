import { insufficientShares, type Means } from './funds-check.ts';
import { restOf, type VenueOrder } from './venue-order.ts';

/**
 * Why a sale cannot go on once its condition is met; undefined when it can. Until then it kept no shares for itself, so
 * another order may have sold them.
 */
export function goneShares(order: VenueOrder, means: Means): string | undefined {
  const { symbol, side } = order.terms;
  if (side !== 'sell' || means.short || means.model.cover !== 'reserved') return undefined;
  const free = means.view.freeToSell(symbol, order);
  const rest = restOf(order);
  return rest.lte(free) ? undefined : insufficientShares(symbol, rest, free);
}
