import type { Market } from '../model/symbol.ts';
import type { CalendarDay, Millis } from '../model/time.ts';
import { tradingDayAfter } from './calendar.ts';
import { dayHours, hoursAt, type SessionKind, type Span, type TradingSession } from './day-hours.ts';
import { dayNumber, dayOfNumber } from './day-number.ts';
import { hasTable } from './market-records.ts';
import { instantOf } from './zones.ts';

/** Returns the exchange's local day at an instant. */
export function dayOf(market: Market, at: Millis): CalendarDay {
  return hoursAt(market, at).date;
}

/** Returns the midnight at which the exchange's day began. */
export function dayBegan(market: Market, at: Millis): Millis {
  return hoursAt(market, at).midnight;
}

/** Returns the midnight at which the exchange's day ends. */
export function dayEnds(market: Market, at: Millis): Millis {
  return hoursAt(market, at).nextMidnight;
}

/** Returns the midnight at which a day of the exchange begins. */
export function midnightOf(market: Market, day: CalendarDay): Millis {
  return instantOf(market, dayNumber(day), 0);
}

/**
 * Returns all sessions of a trading day, ascending; empty if closed. Hong Kong has two regular pieces around lunch. The
 * US overnight session begins on the evening before. A market without a table has one regular piece: the whole UTC day.
 * @see docs/venue.md, "The market"
 */
export function sessionsOf(market: Market, day: CalendarDay): readonly TradingSession[] {
  return dayHours(market, dayNumber(day)).sessions;
}

/** Returns the open of the day's regular session; undefined if closed. */
export function regularOpen(market: Market, day: CalendarDay): Millis | undefined {
  return dayHours(market, dayNumber(day)).regular[0]?.open;
}

/** Returns the end of the day's regular session, after lunch; undefined if closed. */
export function regularClose(market: Market, day: CalendarDay): Millis | undefined {
  return dayHours(market, dayNumber(day)).regular.at(-1)?.close;
}

const REGULAR: readonly SessionKind[] = ['regular'];

/** True during one of these sessions: from the open, inclusive, to the close, exclusive. */
export function isOpen(market: Market, at: Millis, kinds: readonly SessionKind[] = REGULAR): boolean {
  return sessionAt(market, at, kinds) !== undefined;
}

export function regularPieceAt(market: Market, at: Millis): Span | undefined {
  return hoursAt(market, at).regular.find(({ open, close }) => at >= open && at < close);
}

/**
 * Returns the session at an instant among these kinds (any if absent); undefined if there is none. The evening part of
 * a US overnight session belongs to the next day's sessions and is included.
 */
export function sessionAt(
  market: Market,
  at: Millis,
  kinds?: readonly SessionKind[],
): TradingSession | undefined {
  const today = hoursAt(market, at);
  const held = (session: TradingSession): boolean =>
    at >= session.open && at < session.close && (kinds === undefined || kinds.includes(session.kind));
  return today.sessions.find(held) ?? dayHours(market, today.day + 1).sessions.find(held);
}

/**
 * Returns the earliest open of a regular piece at or after an instant, the end of lunch included; a market without a
 * table opens at once.
 */
export function nextOpen(market: Market, at: Millis): Millis {
  if (!hasTable(market)) return at;
  const today = hoursAt(market, at);
  for (const piece of today.regular) if (piece.open >= at) return piece.open;
  const next = dayHours(market, tradingDayAfter(market, today.day));
  const opening = next.regular[0];
  if (opening === undefined) throw new Error(`Trading day ${next.date} of "${market}" has no session`);
  return opening.open;
}

/**
 * Returns the trading day of an order sent at an instant: today until the regular close, then (and on closed days) the
 * next trading day.
 */
export function tradingDayOf(market: Market, at: Millis): CalendarDay {
  const today = hoursAt(market, at);
  const close = today.regular.at(-1)?.close;
  const open = close !== undefined && at < close;
  return open ? today.date : dayOfNumber(tradingDayAfter(market, today.day));
}
