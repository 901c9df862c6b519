import type { MarketReplay, SymbolMarket } from '../market/market-replay.ts';
import { NO_PRINT, type PrintIndex } from '../market/tape.ts';
import type { VenueOrder } from '../orders/venue-order.ts';

/** Orders that wait for prints, by symbol, in the order in which they began to wait; reports the next step to the market replay. */
export class WaitingOrders {
  readonly #replay: MarketReplay;
  readonly #everyPrint: boolean;
  readonly #symbolMarkets: readonly Set<VenueOrder>[];
  /** True for symbols of which every print counts at the moment, whatever orders wait for. */
  #watched: (symbolMarket: SymbolMarket) => boolean = () => false;

  /** With `everyPrint` each print is a separate step, otherwise only those that touch an order. */
  constructor(replay: MarketReplay, everyPrint: boolean) {
    this.#replay = replay;
    this.#everyPrint = everyPrint;
    this.#symbolMarkets = replay.symbolMarkets.map(() => new Set());
    for (const symbolMarket of replay.symbolMarkets) this.reschedule(symbolMarket);
  }

  /** Sets which symbols another process watches print by print. */
  watch(watched: (symbolMarket: SymbolMarket) => boolean): void {
    this.#watched = watched;
  }

  /** Lets an order wait for a print; NO_PRINT waits for nothing but its end. */
  rest(order: VenueOrder, symbolMarket: SymbolMarket, touch: PrintIndex): void {
    order.touch = touch;
    this.#ordersOf(symbolMarket).add(order);
    this.reschedule(symbolMarket);
  }

  /**
   * Lets those of the orders that wait for a symbol move on to another print. Its next step is looked for once, however many they
   * are: looked for after each, ten thousand orders that rest for years would take hours.
   */
  restOn(symbolMarket: SymbolMarket, orders: readonly VenueOrder[], touch: PrintIndex): void {
    const waiting = this.#ordersOf(symbolMarket);
    for (const order of orders) if (waiting.has(order)) order.touch = touch;
    this.reschedule(symbolMarket);
  }

  /** Takes an order out, if it is in. */
  remove(order: VenueOrder): void {
    order.touch = NO_PRINT;
    const symbolMarket = this.#replay.symbolMarket(order.terms.symbol);
    if (symbolMarket !== undefined && this.#ordersOf(symbolMarket).delete(order))
      this.reschedule(symbolMarket);
  }

  /** The orders that a print touches; orders that ended in the meantime are left out. */
  touchedBy(symbolMarket: SymbolMarket, index: PrintIndex): readonly VenueOrder[] {
    return [...this.#ordersOf(symbolMarket)].filter((order) => order.touch === index);
  }

  /** All orders that wait for a symbol. */
  waiting(symbolMarket: SymbolMarket): readonly VenueOrder[] {
    return [...this.#ordersOf(symbolMarket)];
  }

  /** Orders that wait for a print that is not known yet. */
  unforeseen(symbolMarket: SymbolMarket): readonly VenueOrder[] {
    return this.waiting(symbolMarket).filter((order) => order.touch === NO_PRINT);
  }

  /** Reports to the market replay which print of the symbol is its next step. */
  reschedule(symbolMarket: SymbolMarket): void {
    this.#replay.schedule(
      symbolMarket,
      this.#everyPrint || this.#watched(symbolMarket)
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
