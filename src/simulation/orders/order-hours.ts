import { isOpen, sessionAt } from '../../markets/sessions.ts';
import { nextOpenOf } from '../../markets/trading-sessions.ts';
import { marketOf } from '../../model/symbol.ts';
import { type Millis, millis, NEVER } from '../../model/time.ts';
import type { MarketReplay, SymbolMarket } from '../market/market-replay.ts';
import { barOf, type PrintIndex } from '../market/tape.ts';
import type { FillModel } from '../models.ts';
import { sessionsFor } from './order-sessions.ts';
import type { VenueOrder } from './venue-order.ts';

const ALWAYS = millis(Number.NEGATIVE_INFINITY);

export class OrderHours {
  readonly #replay: MarketReplay;
  readonly #fills: FillModel;

  constructor(replay: MarketReplay, fills: FillModel) {
    this.#replay = replay;
    this.#fills = fills;
  }

  /** True if the exchange accepts the order now. */
  isOpen(order: VenueOrder): boolean {
    if (this.#fills.hours === 'bars') return true;
    return isOpen(marketOf(order.terms.symbol), this.#replay.now(), this.#acceptedSessions(order));
  }

  opensAt(order: VenueOrder): Millis {
    return nextOpenOf(marketOf(order.terms.symbol), this.#replay.now(), this.#acceptedSessions(order));
  }

  /**
   * Returns since when the current session has been open for the order, such as since lunch. Always open with `bars`
   * hours; NEVER while closed.
   */
  openSince(order: VenueOrder): Millis {
    if (this.#fills.hours === 'bars') return ALWAYS;
    return (
      sessionAt(marketOf(order.terms.symbol), this.#replay.now(), this.#acceptedSessions(order))?.open ??
      NEVER
    );
  }

  /** True if the order could trade now. */
  trades(order: VenueOrder, symbolMarket: SymbolMarket): boolean {
    return symbolMarket.status === 'normal' && this.isOpen(order);
  }

  /** Returns the current print if it is in a session of the order; otherwise undefined. */
  currentPrint(order: VenueOrder, symbolMarket: SymbolMarket): PrintIndex | undefined {
    const standing = this.trades(order, symbolMarket) ? this.#replay.currentPrint(symbolMarket) : undefined;
    if (standing === undefined || symbolMarket.tape.isLive) return standing;
    return symbolMarket.tape.trades(barOf(standing), this.#acceptedSessions(order)) ? standing : undefined;
  }

  #acceptedSessions({ terms }: VenueOrder) {
    return sessionsFor(terms, this.#fills.sessions).accepted;
  }
}
