import { dayOf } from '../../markets/sessions.ts';
import { tickOf } from '../../markets/ticks.ts';
import { Decimal, type Price } from '../../model/decimal.ts';
import type { Quote } from '../../model/quote.ts';
import type { Security } from '../../model/security.ts';
import { marketOf } from '../../model/symbol.ts';
import { type Millis, SECOND_MS } from '../../model/time.ts';
import type { BookModel, Offer } from '../../simulation/matching/quoted-book.ts';
import { uniformFrom } from '../synthetic/seeded-random.ts';
import { brokerIdsAt } from './participants.ts';

export interface WireLevel {
  readonly position: number;
  readonly price: string;
  readonly volume: bigint;
  readonly orderNum: bigint;
}

export interface WireBrokers {
  readonly position: number;
  readonly brokerIds: number[];
}

/** Best level first. */
export interface Depth {
  readonly ask: WireLevel[];
  readonly bid: WireLevel[];
}

/** Best level first. */
export interface BrokerQueue {
  readonly askBrokers: WireBrokers[];
  readonly bidBrokers: WireBrokers[];
}

/**
 * Style of the invented order book around the last price; bars contain none.
 * - `thin`: one level per side, a tick away, with one order of one lot.
 * - `deep`: ten levels whose sizes change every second, and broker queues in Hong Kong.
 * Orders of a synthetic market fill against the deep book (`deepBook`). There are no bids at or below 0.
 */
export type BookStyle = 'thin' | 'deep';

const DEEP_LEVELS = 10;

/** Maximum number of lots is this on the best level and larger further out. */
const LOTS_MAX = 40;
const ORDERS_MAX = 12;

/** Returns the book around a quote at an instant of market time; deterministic. */
export function depthOf(security: Security, quote: Quote, style: BookStyle, at: Millis): Depth {
  const count = style === 'thin' ? 1 : DEEP_LEVELS;
  const level = (side: string, price: Price, index: number): WireLevel =>
    style === 'thin'
      ? { position: 1, price: price.toFixed(), volume: BigInt(Math.ceil(security.lotSize)), orderNum: 1n }
      : deepLevel({ security, side, price, position: index + 1, at });
  const { asks, bids } = pricesAround(security, quote.last, quote.time, count);
  return {
    ask: asks.map((price, index) => level('ask', price, index)),
    bid: bids.map((price, index) => level('bid', price, index)),
  };
}

/** Returns the deep book that simulated orders match against; identical to the depth shown. */
export const deepBook: BookModel = (security, last, at) => {
  const { asks, bids } = pricesAround(security, last, at, DEEP_LEVELS);
  const offers = (side: string, prices: readonly Price[]): readonly Offer[] =>
    prices.map((price, index) => {
      const { volume } = deepLevel({ security, side, price, position: index + 1, at });
      return { price, quantity: new Decimal(volume.toString()) };
    });
  return { asks: offers('ask', asks), bids: offers('bid', bids) };
};

/** Returns the broker queues of a deep book in Hong Kong; empty for other markets and the thin book. */
export function brokersOf(security: Security, quote: Quote, style: BookStyle, at: Millis): BrokerQueue {
  if (style === 'thin' || marketOf(security.symbol) !== 'HK') return { askBrokers: [], bidBrokers: [] };
  const { ask, bid } = depthOf(security, quote, style, at);
  const seats = (side: string) => (level: WireLevel) => ({
    position: level.position,
    brokerIds: [...brokerIdsAt(`${security.symbol}|${side}|${level.price}`, Number(level.orderNum))],
  });
  return { askBrokers: ask.map(seats('ask')), bidBrokers: bid.map(seats('bid')) };
}

function pricesAround(
  security: Security,
  last: Price,
  time: Millis,
  count: number,
): { readonly asks: readonly Price[]; readonly bids: readonly Price[] } {
  const day = dayOf(marketOf(security.symbol), time);
  const asks: Price[] = [];
  const bids: Price[] = [];
  let above = last;
  let below = last;
  for (let level = 0; level < count; level += 1) {
    above = above.plus(tickOf(security, above, day));
    asks.push(above);
    const probe = Decimal.max(0, below.minus(tickOf(security, below, day)));
    below = below.minus(tickOf(security, probe, day));
    if (below.gt(0)) bids.push(below);
  }
  return { asks, bids };
}

function deepLevel(of: {
  readonly security: Security;
  readonly side: string;
  readonly price: Price;
  readonly position: number;
  readonly at: Millis;
}): WireLevel {
  const { security, side, price, position, at } = of;
  const second = Math.floor(at / SECOND_MS);
  const chance = uniformFrom(`${security.symbol}|${side}|${price}|${second}`);
  const lots = 1 + Math.floor(chance * LOTS_MAX * (1 + position / 4));
  const orders = Math.min(lots, 1 + Math.floor(chance * ORDERS_MAX));
  return {
    position,
    price: price.toFixed(),
    volume: BigInt(Math.ceil(lots * Math.max(security.lotSize, 1))),
    orderNum: BigInt(orders),
  };
}
