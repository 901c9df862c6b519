import type { Market } from '../model/symbol.ts';
import type { CalendarDay, Millis } from '../model/time.ts';
import { tradingDayAfter } from './calendar.ts';
import { dayHours, hoursAt, type SessionKind, type Span, type TradingSession } from './day-hours.ts';
import { dayNumber, dayOfNumber } from './day-number.ts';
import { hasTable } from './market-records.ts';
import { instantOf } from './zones.ts';

/** The day of the exchange's own calendar at an instant. */
export function dayOf(market: Market, at: Millis): CalendarDay {
  return hoursAt(market, at).date;
}

/** When the exchange's day began that contains an instant, as epoch milliseconds. */
export function dayBegan(market: Market, at: Millis): Millis {
  return hoursAt(market, at).midnight;
}

/** When the exchange's day ends that contains an instant: its next midnight, as epoch milliseconds. */
export function dayEnds(market: Market, at: Millis): Millis {
  return hoursAt(market, at).nextMidnight;
}

/** Midnight at the beginning of the exchange's day, as epoch milliseconds. */
export function midnightOf(market: Market, day: CalendarDay): Millis {
  return instantOf(market, dayNumber(day), 0);
}

/**
 * All sessions of a trading day, ascending, in epoch milliseconds; empty when the market is closed that day. Hong
 * Kong has two regular pieces around lunch. The US overnight session begins on the evening before. A market without a
 * table has one regular piece: the whole UTC day.
 * @see docs/venue.md, "The market"
 */
export function sessionsOf(market: Market, day: CalendarDay): readonly TradingSession[] {
  return dayHours(market, dayNumber(day)).sessions;
}

/** Opening of the day's regular session; undefined when the market is closed that day. */
export function regularOpen(market: Market, day: CalendarDay): Millis | undefined {
  return dayHours(market, dayNumber(day)).regular[0]?.open;
}

/** End of the day's regular session (after lunch, if there is one); undefined when closed that day. */
export function regularClose(market: Market, day: CalendarDay): Millis | undefined {
  return dayHours(market, dayNumber(day)).regular.at(-1)?.close;
}

const REGULAR: readonly SessionKind[] = ['regular'];

/** True while one of the named sessions is held; its opening instant counts, its close does not. */
export function isOpen(market: Market, at: Millis, kinds: readonly SessionKind[] = REGULAR): boolean {
  return sessionAt(market, at, kinds) !== undefined;
}

/** The regular piece that is held at an instant; undefined while there is none. */
export function regularPieceAt(market: Market, at: Millis): Span | undefined {
  return hoursAt(market, at).regular.find(({ open, close }) => at >= open && at < close);
}

/**
 * The session that is held at an instant, among those of the named kinds (any kind when absent); undefined while
 * there is none. The evening part of a US overnight session belongs to the next day's sessions and is found too.
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
 * The earliest opening of a regular session at or after an instant; the return from lunch is an opening too. A market
 * without a table is open at once.
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
 * The trading day that an order sent at this instant belongs to: today until the regular session is over, from then
 * on (and on closed days) the next trading day.
 */
export function tradingDayOf(market: Market, at: Millis): CalendarDay {
  const today = hoursAt(market, at);
  const close = today.regular.at(-1)?.close;
  const open = close !== undefined && at < close;
  return open ? today.date : dayOfNumber(tradingDayAfter(market, today.day));
}
