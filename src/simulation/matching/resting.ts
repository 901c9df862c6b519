import { decimalOfDouble } from '../../model/amount.ts';
import { Decimal, type Price, ZERO } from '../../model/decimal.ts';
import type { Side } from '../../model/order.ts';
import type { MarketReplay, SymbolMarket } from '../market/market-replay.ts';
import { NO_PRINT, type PrintIndex, type Tape } from '../market/tape.ts';
import { firstReaching, type Level, reaches } from '../market/watch.ts';
import type { FillModel, TouchChance } from '../models.ts';
import { sessionsFor } from '../orders/order-sessions.ts';
import { limitOf, type VenueOrder } from '../orders/venue-order.ts';
import { auctionPrint } from './auctions.ts';

const ANY_PRICE: Level = { direction: 'any', price: ZERO };

/** Returns the level at which an order can trade; any for a market order. */
function tradableLevel(order: VenueOrder): Level {
  const limit = limitOf(order);
  if (isMarket(order) || limit === undefined) return ANY_PRICE;
  return { direction: order.terms.side === 'buy' ? 'down' : 'up', price: limit };
}

/** Returns the level for an order last in its queue: the price must trade through the limit. */
function beyondLimit(order: VenueOrder): Level {
  return { ...tradableLevel(order), through: true };
}

/** Returns the queue model of an order; orders other than limits fill at a touch. */
function queueOf(
  { behaviour }: VenueOrder,
  { limitFills = 'touch' }: Pick<FillModel, 'limitFills'>,
): NonNullable<FillModel['limitFills']> {
  return behaviour === 'limit' ? limitFills : 'touch';
}

function isMarket(order: VenueOrder): boolean {
  return order.behaviour === 'market' || order.behaviour === 'auction-market';
}

export function isMarketable(order: VenueOrder, price: number): boolean {
  return reaches(price, tradableLevel(order));
}

/** True if the working order can trade at that print under its queue model. */
export function canTradeAtPrint(
  order: VenueOrder,
  tape: Tape,
  index: PrintIndex,
  fills: Pick<FillModel, 'limitFills'>,
): boolean {
  const price = tape.price(index);
  const queue = queueOf(order, fills);
  if (queue === 'touch') return isMarketable(order, price);
  if (reaches(price, beyondLimit(order))) return true;
  return queue !== 'through' && isMarketable(order, price) && fillsOnTouch(queue, order, tape.time(index));
}

/** Like `isMarketable`, for an exact price. */
export function isWithinLimit(order: VenueOrder, price: Price): boolean {
  const level = tradableLevel(order);
  if (level.direction === 'any') return true;
  return level.direction === 'down' ? price.lte(level.price) : price.gte(level.price);
}

/** Returns the next print that can touch a working order; NO_PRINT if none does before it expires. */
export function nextTouch(
  order: VenueOrder,
  symbolMarket: SymbolMarket,
  replay: MarketReplay,
  fills: Pick<FillModel, 'limitFills' | 'sessions'>,
): PrintIndex {
  const from = replay.upcoming(symbolMarket);
  const { traded } = sessionsFor(order.terms, fills.sessions);
  switch (order.behaviour) {
    case 'auction-market':
    case 'auction-limit':
      return auctionPrint(order, symbolMarket.tape, from);
    case 'limit-or-cancel':
      return firstReaching(
        symbolMarket.tape,
        firstMatchable(order, from),
        order.expiresAt,
        ANY_PRICE,
        traded,
      );
    case 'market':
    case 'limit':
      return firstTrading(order, symbolMarket.tape, firstMatchable(order, from), fills);
  }
}

/** Returns the first print from `from` on that the order may match. */
export function firstMatchable({ insideFrom }: VenueOrder, from: PrintIndex): PrintIndex {
  return insideFrom === undefined ? from : Math.max(insideFrom, from);
}

function firstTrading(
  order: VenueOrder,
  tape: Tape,
  from: PrintIndex,
  fills: Pick<FillModel, 'limitFills' | 'sessions'>,
): PrintIndex {
  const { traded } = sessionsFor(order.terms, fills.sessions);
  const level = queueOf(order, fills) === 'through' ? beyondLimit(order) : tradableLevel(order);
  let index = firstReaching(tape, from, order.expiresAt, level, traded);
  while (index !== NO_PRINT && !canTradeAtPrint(order, tape, index, fills))
    index = firstReaching(tape, tape.next(index), order.expiresAt, level, traded);
  return index;
}

/**
 * Returns the price at which a working order fills at a print. The print's own price: market orders, the first print of
 * a bar (a gap), and the close tick of the bar inside which the order was sent. Otherwise its limit, which the price
 * passed. The rest of an order that is already behind the market, because earlier prints lacked volume, gets the worse
 * end of the move to the print, never a price without a trade.
 */
export function restingPrice(order: VenueOrder, tape: Tape, index: PrintIndex): Price {
  const limit = limitOf(order);
  const printed = decimalOfDouble(tape.price(index));
  if (order.behaviour !== 'limit' || limit === undefined || tape.isGap(index)) return printed;
  if (index === order.insideFrom) return printed;
  if (tape.isLive) return limit;
  const before = decimalOfDouble(tape.price(index - 1));
  return limitWithinMove(order.terms.side, { limit, before, printed }, Decimal);
}

/**
 * Returns the limit of a working order, or the worse end of the move to a print if the market was already beyond the
 * limit.
 */
export function limitWithinMove<P>(
  side: Side,
  { limit, before, printed }: { readonly limit: P; readonly before: P; readonly printed: P },
  order: { min(one: NoInfer<P>, other: NoInfer<P>): P; max(one: NoInfer<P>, other: NoInfer<P>): P },
): P {
  return side === 'buy'
    ? order.min(limit, order.max(before, printed))
    : order.max(limit, order.min(before, printed));
}

/**
 * True if a print that just touches the limit fills the order. The draw depends only on the order and the print, so
 * reading more prints, or in another order, changes nothing. Orders of one instant, symbol, side and price share a
 * queue position and fill alike.
 */
function fillsOnTouch({ chance, seed }: TouchChance, order: VenueOrder, printAt: number): boolean {
  const { symbol, side } = order.terms;
  return fraction(`${seed}|${symbol}|${side}|${limitOf(order)}|${order.submittedAt}|${printAt}`) < chance;
}

/**
 * Hashes a text to a uniform fraction in [0, 1).
 * @see FNV-1a (public domain); murmur3's finalizer (public domain)
 */
function fraction(text: string): number {
  let hash = 0x811c9dc5;
  for (let place = 0; place < text.length; place += 1)
    hash = Math.imul(hash ^ text.charCodeAt(place), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}
