import { hoursAt } from '../../markets/day-hours.ts';
import { regularClose, regularPieceAt, tradingDayOf } from '../../markets/sessions.ts';
import type { Market } from '../../model/symbol.ts';
import type { CalendarDay, Millis } from '../../model/time.ts';
import { bailOut } from './bail-out.ts';

/** The trading day of a day order. */
export interface OrderDay {
  /** The trading day that it is valid for. */
  readonly day: CalendarDay;
  /** The exchange's calendar day on which it is sent. */
  readonly sentOn: CalendarDay;
  /** When it expires. */
  readonly expires: Millis;
}

const NO_SPAN = { from: Number.POSITIVE_INFINITY, until: Number.NEGATIVE_INFINITY };

/** A market's calendar for mostly ascending times; caches the current session and day. */
export class TradingHours {
  readonly market: Market;
  #session: { readonly open: number; readonly close: number } = { open: NO_SPAN.from, close: NO_SPAN.until };
  #order: (OrderDay & typeof NO_SPAN) | undefined;

  constructor(market: Market) {
    this.market = market;
  }

  /** Returns whether regular trading is open. */
  isOpen(at: Millis): boolean {
    return (at >= this.#session.open && at < this.#session.close) || this.#findSession(at);
  }

  #findSession(at: Millis): boolean {
    const piece = regularPieceAt(this.market, at);
    if (piece !== undefined) this.#session = piece;
    return piece !== undefined;
  }

  /** Returns the day of an order sent at a time; bails out if that day has no session. */
  orderDay(at: Millis): OrderDay {
    const known = this.#order;
    if (known !== undefined && at >= known.from && at < known.until) return known;
    const { date, midnight, nextMidnight, regular } = hoursAt(this.market, at);
    const day = tradingDayOf(this.market, at);
    const expires = regularClose(this.market, day) ?? bailOut('a day without a session');
    const close = regular.at(-1)?.close ?? midnight;
    const span = at < close ? { from: midnight, until: close } : { from: close, until: nextMidnight };
    this.#order = { day, sentOn: date, expires, ...span };
    return this.#order;
  }
}
