import type { TouchChance } from '../models.ts';
import { limitOf, type VenueOrder } from '../orders/venue-order.ts';

/**
 * Whether a print that just touches the limit of a working order fills it. A draw depends on the order and the print alone, not
 * on other draws: reading more prints, or reading them in another order, changes nothing. Orders of one instant, side and price
 * share a place in the queue and fill alike.
 */
export function fillsOnTouch({ chance, seed }: TouchChance, order: VenueOrder, printAt: number): boolean {
  const { symbol, side } = order.terms;
  return fraction(`${seed}|${symbol}|${side}|${limitOf(order)}|${order.submittedAt}|${printAt}`) < chance;
}

/** A uniform fraction in [0, 1) of a text. @see FNV-1a (public domain); murmur3's finalizer (public domain) */
function fraction(text: string): number {
  let hash = 0x811c9dc5;
  for (let place = 0; place < text.length; place += 1)
    hash = Math.imul(hash ^ text.charCodeAt(place), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}
