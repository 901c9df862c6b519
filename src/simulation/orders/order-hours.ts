import { nextOpenOf } from '../../markets/held-sessions.ts';
import { isOpen, sessionAt } from '../../markets/sessions.ts';
import { marketOf } from '../../model/symbol.ts';
import { type Millis, millis, NEVER } from '../../model/time.ts';
import type { MarketReplay, SymbolMarket } from '../market/market-replay.ts';
import { barOf, type PrintIndex } from '../market/tape.ts';
import type { FillModel } from '../models.ts';
import { sessionsFor } from './order-sessions.ts';
import type { VenueOrder } from './venue-order.ts';

const ALWAYS = millis(Number.NEGATIVE_INFINITY);

/** When the market of an order is open for it, by the sessions that it trades in. */
export class OrderHours {
  readonly #replay: MarketReplay;
  readonly #fills: FillModel;

  constructor(replay: MarketReplay, fills: FillModel) {
    this.#replay = replay;
    this.#fills = fills;
  }

  /** Whether the exchange takes the order now. */
  isOpen(order: VenueOrder): boolean {
    if (this.#fills.hours === 'bars') return true;
    return isOpen(marketOf(order.terms.symbol), this.#replay.now(), this.#taken(order));
  }

  /** When the exchange takes it, where it does not do so now. */
  opensAt(order: VenueOrder): Millis {
    return nextOpenOf(marketOf(order.terms.symbol), this.#replay.now(), this.#taken(order));
  }

  /** Since when the market has been open for it: this morning, or since lunch. Always where it is open at every bar, NEVER while it is closed. */
  openSince(order: VenueOrder): Millis {
    if (this.#fills.hours === 'bars') return ALWAYS;
    return sessionAt(marketOf(order.terms.symbol), this.#replay.now(), this.#taken(order))?.open ?? NEVER;
  }

  /** Whether the order could trade at this instant. */
  trades(order: VenueOrder, symbolMarket: SymbolMarket): boolean {
    return symbolMarket.status === 'normal' && this.isOpen(order);
  }

  /** The current print while the order's market is open; an order that arrives outside its hours meets nothing. */
  standing(order: VenueOrder, symbolMarket: SymbolMarket): PrintIndex | undefined {
    const standing = this.trades(order, symbolMarket) ? this.#replay.standing(symbolMarket) : undefined;
    if (standing === undefined || symbolMarket.tape.isLive) return standing;
    return symbolMarket.tape.trades(barOf(standing), this.#taken(order)) ? standing : undefined;
  }

  #taken({ terms }: VenueOrder) {
    return sessionsFor(terms, this.#fills.sessions).taken;
  }
}
