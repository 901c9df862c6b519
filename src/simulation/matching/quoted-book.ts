import { toWholeLots } from '../../markets/lots.ts';
import {
  type Amount,
  add,
  amountOfDouble,
  decimalOfDouble,
  isPositive,
  min,
  subtract,
  toAmount,
} from '../../model/amount.ts';
import type { Price, Quantity } from '../../model/decimal.ts';
import type { Security } from '../../model/security.ts';
import { type Millis, SECOND_MS } from '../../model/time.ts';
import type { MarketReplay, SymbolMarket } from '../market/market-replay.ts';
import { isOpenOrder, limitOf, restOf, type VenueOrder } from '../orders/venue-order.ts';
import type { OrderLifecycle } from './order-lifecycle.ts';
import { isMarketable, isWithinLimit } from './resting.ts';

export interface Offer {
  readonly price: Price;
  readonly quantity: Quantity;
}

/** Best first. */
export interface Book {
  readonly asks: readonly Offer[];
  readonly bids: readonly Offer[];
}

/**
 * Returns the order book of a security around its last price; a pure function whose quantities may change every second.
 * If present, arriving orders match it instead of the last price.
 */
export type BookModel = (security: Security, last: Price, at: Millis) => Book;

/** Matches orders against the quoted book; each quantity can be taken once per second. */
export class QuotedBook {
  readonly #bookOf: BookModel;
  readonly #replay: MarketReplay;
  readonly #lifecycle: OrderLifecycle;
  #second = 0;
  #taken = new Map<string, Amount>();

  constructor(parts: {
    readonly bookOf: BookModel;
    readonly replay: MarketReplay;
    readonly lifecycle: OrderLifecycle;
  }) {
    this.#bookOf = parts.bookOf;
    this.#replay = parts.replay;
    this.#lifecycle = parts.lifecycle;
  }

  /** Takes level after level of the opposite side up to the order's limit; each level is one execution. */
  take(order: VenueOrder, symbolMarket: SymbolMarket): void {
    const now = this.#replay.now();
    const last = this.#replay.lastPrice(symbolMarket.symbol);
    if (last === undefined) return;
    const { side, symbol } = order.terms;
    const book = this.#bookOf(order.security, last, now);
    for (const { price, quantity } of side === 'buy' ? book.asks : book.bids) {
      if (!isOpenOrder(order) || !isWithinLimit(order, price)) return;
      const left = this.#leftOf(`${symbol}|${side}|${price}`, quantity, now);
      const wanted = min(left, restOf(order));
      if (!isPositive(wanted)) continue;
      this.#recordTaken(`${symbol}|${side}|${price}`, wanted);
      this.#lifecycle.execute(order, wanted, price);
    }
  }

  /** Matches working orders against the book of a new second, then against a trade that passes their limit. */
  matchTrade(
    orders: readonly VenueOrder[],
    symbolMarket: SymbolMarket,
    trade: { readonly price: number; readonly volume: number },
  ): void {
    let left = amountOfDouble(trade.volume);
    for (const order of orders) {
      const { behaviour, security } = order;
      if (order.stage !== 'working' || (behaviour !== 'market' && behaviour !== 'limit')) continue;
      this.take(order, symbolMarket);
      if (!isOpenOrder(order) || !isMarketable(order, trade.price)) continue;
      const quantity = toWholeLots(min(left, restOf(order)), security.lotSize);
      if (!isPositive(quantity)) continue;
      left = subtract(left, quantity);
      this.#lifecycle.execute(order, quantity, limitOf(order) ?? decimalOfDouble(trade.price));
    }
  }

  #leftOf(level: string, shown: Quantity, now: Millis): Amount {
    const second = Math.floor(now / SECOND_MS);
    if (second !== this.#second) this.#taken = new Map();
    this.#second = second;
    return subtract(toAmount(shown), this.#taken.get(level) ?? 0);
  }

  #recordTaken(level: string, quantity: Amount): void {
    this.#taken.set(level, add(this.#taken.get(level) ?? 0, quantity));
  }
}
