import type { MarketReplay, SymbolMarket } from '../market/market-replay.ts';
import { NO_PRINT, type PrintIndex } from '../market/tape.ts';
import type { VenueOrder } from '../orders/venue-order.ts';

/** Orders that wait for prints, by symbol, in order of arrival; schedules the next step of the market replay. */
export class WaitingOrders {
  readonly #replay: MarketReplay;
  readonly #everyPrint: boolean;
  readonly #symbolMarkets: readonly Set<VenueOrder>[];
  /** True for symbols of which every print is currently a step, whatever orders wait for. */
  #isWatched: (symbolMarket: SymbolMarket) => boolean = () => false;

  /** With `everyPrint`, each print is a separate step; otherwise only prints that touch an order. */
  constructor(replay: MarketReplay, everyPrint: boolean) {
    this.#replay = replay;
    this.#everyPrint = everyPrint;
    this.#symbolMarkets = replay.symbolMarkets.map(() => new Set());
    for (const symbolMarket of replay.symbolMarkets) this.reschedule(symbolMarket);
  }

  /** Sets which symbols another process watches print by print. */
  setWatched(watched: (symbolMarket: SymbolMarket) => boolean): void {
    this.#isWatched = watched;
  }

  /** Queues an order for a print; with NO_PRINT it waits only for its end. */
  waitFor(order: VenueOrder, symbolMarket: SymbolMarket, touch: PrintIndex): void {
    order.touch = touch;
    this.#ordersOf(symbolMarket).add(order);
    this.reschedule(symbolMarket);
  }

  /**
   * Moves the waiting ones of these orders to another print and reschedules the symbol once. Rescheduling per order
   * would take hours with ten thousand long-lived orders.
   */
  moveTo(symbolMarket: SymbolMarket, orders: readonly VenueOrder[], touch: PrintIndex): void {
    const waiting = this.#ordersOf(symbolMarket);
    for (const order of orders) if (waiting.has(order)) order.touch = touch;
    this.reschedule(symbolMarket);
  }

  remove(order: VenueOrder): void {
    order.touch = NO_PRINT;
    const symbolMarket = this.#replay.symbolMarket(order.terms.symbol);
    if (symbolMarket !== undefined && this.#ordersOf(symbolMarket).delete(order))
      this.reschedule(symbolMarket);
  }

  touchedBy(symbolMarket: SymbolMarket, index: PrintIndex): readonly VenueOrder[] {
    return [...this.#ordersOf(symbolMarket)].filter((order) => order.touch === index);
  }

  waiting(symbolMarket: SymbolMarket): readonly VenueOrder[] {
    return [...this.#ordersOf(symbolMarket)];
  }

  /** Returns orders whose next print is not known yet. */
  withUnknownPrint(symbolMarket: SymbolMarket): readonly VenueOrder[] {
    return this.waiting(symbolMarket).filter((order) => order.touch === NO_PRINT);
  }

  reschedule(symbolMarket: SymbolMarket): void {
    this.#replay.schedule(
      symbolMarket,
      this.#everyPrint || this.#isWatched(symbolMarket)
        ? this.#replay.upcoming(symbolMarket)
        : this.#firstTouch(symbolMarket),
    );
  }

  #firstTouch(symbolMarket: SymbolMarket): PrintIndex {
    let first = NO_PRINT;
    for (const order of this.#ordersOf(symbolMarket)) first = Math.min(first, order.touch);
    return first;
  }

  #ordersOf(symbolMarket: SymbolMarket): Set<VenueOrder> {
    const orders = this.#symbolMarkets[symbolMarket.place];
    if (orders === undefined) throw new Error(`No book of orders for "${symbolMarket.symbol}"`);
    return orders;
  }
}
