import { watchOf } from './conditions.ts';
import type { Floor, Lane } from './floor.ts';
import type { FillModel } from './models.ts';
import { sessionsFor } from './order-sessions.ts';
import { PRINTS_PER_BAR } from './prints.ts';
import { barOf, NO_PRINT, type PrintIndex } from './tape.ts';
import type { VenueOrder } from './venue-order.ts';
import { firstFiring, reaches } from './watch.ts';

/**
 * Has a conditional order watch from now on. Returns the price of the standing print where that meets the condition already;
 * undefined when the order is to wait.
 */
export function beginWatch(
  order: VenueOrder,
  lane: Lane,
  floor: Floor,
  standing: PrintIndex | undefined,
): number | undefined {
  const { tape } = lane;
  const from = floor.upcoming(lane);
  const seen = floor.last(lane) ?? from;
  const watch = watchOf(order.terms, seen === NO_PRINT ? undefined : tape.price(seen));
  order.watched = { from: from === NO_PRINT ? tape.columns.length * PRINTS_PER_BAR : from, watch };
  if (standing === undefined || watch.kind !== 'level' || watch.hits !== 1) return undefined;
  const price = tape.price(standing);
  return reaches(price, watch.level) ? price : undefined;
}

/** The print that meets the condition of an order that watches, as far as prints are known; NO_PRINT when none does yet. */
export function nextFiring(
  order: VenueOrder,
  { tape }: Lane,
  { sessions }: Pick<FillModel, 'sessions'>,
): PrintIndex {
  if (order.watched === undefined) return NO_PRINT;
  const { from, watch } = order.watched;
  const isAhead = barOf(from) < tape.columns.length;
  const { traded } = sessionsFor(order.terms, sessions);
  const firing = isAhead ? firstFiring(tape, from, order.expiresAt, watch, traded) : undefined;
  order.firePrice = firing?.price;
  return firing?.index ?? NO_PRINT;
}
