import { Decimal, type Price } from '../../model/decimal.ts';
import type { MarketReplay, SymbolMarket } from '../market/market-replay.ts';
import { barOf, NO_PRINT, type PrintIndex } from '../market/tape.ts';
import { firstTrigger, followTrail, type Level, reaches, type Trail } from '../market/watch.ts';
import type { FillModel } from '../models.ts';
import { distanceOf, watchOf } from '../orders/conditions.ts';
import { sessionsFor } from '../orders/order-sessions.ts';
import type { VenueOrder } from '../orders/venue-order.ts';
import { firstMatchable } from './resting.ts';

/**
 * Starts watching the condition of an order. Returns the current print's price if it meets the condition at once,
 * otherwise undefined.
 */
export function startWatch(
  order: VenueOrder,
  symbolMarket: SymbolMarket,
  replay: MarketReplay,
  standing: PrintIndex | undefined,
): number | undefined {
  const { tape } = symbolMarket;
  const last = replay.lastPrice(symbolMarket.symbol)?.toNumber();
  const watch = watchOf(order.terms, last);
  order.watched = {
    from: replay.nextPrintIndex(symbolMarket),
    watch,
    side: last === undefined ? 'open' : 'known',
  };
  if (standing === undefined || watch.kind !== 'level' || watch.hits !== 1) return undefined;
  const price = tape.price(standing);
  return reaches(price, watch.level) ? price : undefined;
}

type Sessions = Pick<FillModel, 'sessions'>;

/** Returns a function that applies the prints since the order's last update, up to but excluding `end`, to a trail. */
function trailFollower(
  { terms, watched, expiresAt: until }: VenueOrder,
  { tape }: SymbolMarket,
  end: PrintIndex,
  { sessions }: Sessions,
): (trail: Trail) => Trail {
  const { traded: kinds } = sessionsFor(terms, sessions);
  const from = watched?.from ?? end;
  return (trail) => followTrail(tape, { from, end, until, kinds }, trail);
}

/** Updates a trailing order with the prints since its last update; it then watches from the next print. */
export function catchUp(
  order: VenueOrder,
  symbolMarket: SymbolMarket,
  replay: MarketReplay,
  fills: Sessions,
): void {
  if (order.watched === undefined) return;
  const { watch } = order.watched;
  const end = replay.nextPrintIndex(symbolMarket);
  const updated = watch.kind === 'level' ? watch : trailFollower(order, symbolMarket, end, fills)(watch);
  order.watched = { ...order.watched, from: end, watch: updated };
}

/** Makes an order watch from the next print, ignoring prints since its last update. */
export function skipToNow(order: VenueOrder, symbolMarket: SymbolMarket, replay: MarketReplay): void {
  if (order.watched !== undefined)
    order.watched = { ...order.watched, from: replay.nextPrintIndex(symbolMarket) };
}

/**
 * Adjusts the watch of an order whose terms now count new shares, `ratio` for one. Direction and best price are kept.
 */
export function splitWatch(
  order: VenueOrder,
  ratio: Decimal,
  symbolMarket: SymbolMarket,
  replay: MarketReplay,
  fills: Sessions,
): void {
  if (order.watched === undefined) return;
  const { watch } = order.watched;
  const { terms } = order;
  const end = replay.nextPrintIndex(symbolMarket);
  if (watch.kind === 'level') {
    const moved = { ...watch, level: levelAt(watch.level, terms.triggerPrice) };
    order.watched = { ...order.watched, from: end, watch: moved };
    return;
  }
  const follow = trailFollower(order, symbolMarket, end, fills);
  const inNewShares = (trail: Trail): Trail => ({
    ...trail,
    distance: distanceOf(terms),
    anchor: trail.anchor === undefined ? undefined : new Decimal(trail.anchor).div(ratio).toNumber(),
    monitor: trail.monitor && levelAt(trail.monitor, terms.monitorPrice),
  });
  // Earlier prints are in old shares, unless all prices were adjusted for the split.
  const trail = replay.isSplit(symbolMarket) ? inNewShares(follow(watch)) : follow(inNewShares(watch));
  order.watched = { ...order.watched, from: end, watch: trail };
}

function levelAt(level: Level, price: Price | undefined): Level {
  return price === undefined ? level : { ...level, price };
}

/** Sets the trigger direction of an order that arrived before any print, from the first visible print. */
function setTriggerDirection(order: VenueOrder, first: number): void {
  if (order.watched?.side !== 'open') return;
  order.watched = { ...order.watched, watch: watchOf(order.terms, first), side: 'known' };
}

/** Returns the known print that meets a watched condition; NO_PRINT if none does yet. */
export function nextTrigger(
  order: VenueOrder,
  symbolMarket: SymbolMarket,
  { sessions, insideBars }: Pick<FillModel, 'sessions' | 'insideBars'>,
): PrintIndex {
  if (order.watched === undefined) return NO_PRINT;
  const { tape } = symbolMarket;
  const from = firstMatchable(order, order.watched.from);
  const isAhead = barOf(from) < tape.columns.length;
  if (isAhead && symbolMarket.status === 'normal') setTriggerDirection(order, tape.price(from));
  const { watch } = order.watched;
  const { traded } = sessionsFor(order.terms, sessions);
  const firing = isAhead
    ? firstTrigger(tape, from, order.expiresAt, watch, traded, insideBars ?? 'close')
    : undefined;
  order.conditionPrice = firing?.index === order.insideFrom ? undefined : firing?.price;
  return firing?.index ?? NO_PRINT;
}
