import { nextOpenOf } from '../../markets/held-sessions.ts';
import { isOpen, sessionAt } from '../../markets/sessions.ts';
import { marketOf } from '../../model/symbol.ts';
import { type Millis, millis, NEVER } from '../../model/time.ts';
import type { Floor, Lane } from '../market/floor.ts';
import { barOf, type PrintIndex } from '../market/tape.ts';
import type { FillModel } from '../models.ts';
import { sessionsFor } from './order-sessions.ts';
import type { VenueOrder } from './venue-order.ts';

const ALWAYS = millis(Number.NEGATIVE_INFINITY);

/** When the market of an order is open for it, by the sessions that it trades in. */
export class OrderHours {
  readonly #floor: Floor;
  readonly #fills: FillModel;

  constructor(floor: Floor, fills: FillModel) {
    this.#floor = floor;
    this.#fills = fills;
  }

  /** Whether the exchange takes the order now. */
  isOpen(order: VenueOrder): boolean {
    if (this.#fills.hours === 'bars') return true;
    return isOpen(marketOf(order.terms.symbol), this.#floor.now(), this.#taken(order));
  }

  /** When the exchange takes it, where it does not do so now. */
  opensAt(order: VenueOrder): Millis {
    return nextOpenOf(marketOf(order.terms.symbol), this.#floor.now(), this.#taken(order));
  }

  /** Since when the market has been open for it: this morning, or since lunch. Always where it is open at every bar, NEVER while it is closed. */
  openSince(order: VenueOrder): Millis {
    if (this.#fills.hours === 'bars') return ALWAYS;
    return sessionAt(marketOf(order.terms.symbol), this.#floor.now(), this.#taken(order))?.open ?? NEVER;
  }

  /** Whether the order could trade in a lane at this very instant. */
  trades(order: VenueOrder, lane: Lane): boolean {
    return lane.status === 'normal' && this.isOpen(order);
  }

  /** The print that stands while the order's market is open; what arrives outside its hours meets nothing. */
  standing(order: VenueOrder, lane: Lane): PrintIndex | undefined {
    const standing = this.trades(order, lane) ? this.#floor.standing(lane) : undefined;
    if (standing === undefined || lane.tape.isLive) return standing;
    return lane.tape.trades(barOf(standing), this.#taken(order)) ? standing : undefined;
  }

  #taken({ terms }: VenueOrder) {
    return sessionsFor(terms, this.#fills.sessions).taken;
  }
}
