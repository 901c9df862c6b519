import { intradayMs, type Period } from '../model/period.ts';
import type { Market } from '../model/symbol.ts';
import { addDays, type CalendarDay, MINUTE_MS, type Millis, millis } from '../model/time.ts';
import type { OtherSession, TradingSessions } from '../model/trading-sessions.ts';
import { barSpan, openTime } from './bar-span.ts';
import { nextTradingDay } from './calendar.ts';
import { dayHours, hoursAt, type SessionKind, type Span } from './day-hours.ts';
import { type DayNumber, dayNumber, dayOfNumber } from './day-number.ts';
import { hasTable } from './market-records.ts';
import { nextOpen, sessionAt, tradingDayOf } from './sessions.ts';

/** Regular trading alone. */
export const REGULAR_KINDS: readonly SessionKind[] = ['regular'];
const EXTENDED: readonly SessionKind[] = [
  ...REGULAR_KINDS,
  'pre',
  'post',
  'opening-auction',
  'closing-auction',
];
const KINDS: Readonly<Record<TradingSessions, readonly SessionKind[]>> = {
  regular: REGULAR_KINDS,
  extended: EXTENDED,
  all: [...EXTENDED, 'overnight'],
};

/** The kinds of sessions that those words mean. */
export function kindsHeld(held: TradingSessions): readonly SessionKind[] {
  return KINDS[held];
}

/** Bars that do not add up to this straddle the opening of New York, and belong to no one session. */
const LONGEST_MS = 30 * MINUTE_MS;

/** Whether every session of every market consists of whole bars of a period: 1, 2, 3, 5, 10, 15 and 30 minutes. */
export function fitsSessions(period: Period): boolean {
  const length = intradayMs(period);
  return length !== undefined && LONGEST_MS % length === 0;
}

/** `barSpan` where other sessions than regular ones have bars, too: each begins with its session, and ends with it at the latest. */
export function heldSpan(
  market: Market,
  period: Period,
  at: Millis,
  held: TradingSessions,
): Span | undefined {
  const regular = barSpan(market, period, at);
  const length = intradayMs(period);
  if (regular !== undefined || held === 'regular' || length === undefined || !hasTable(market))
    return regular;
  const session = sessionAt(market, at, KINDS[held]);
  if (session === undefined) return undefined;
  const open = millis(session.open + Math.floor((at - session.open) / length) * length);
  return { open, close: millis(Math.min(open + length, session.close)) };
}

/** When the bar of that period closes that runs at an instant, or the first one of the next session that has bars; undefined: never. */
export function nextBarClose(
  market: Market,
  period: Period,
  at: Millis,
  held: TradingSessions,
): Millis | undefined {
  const running = heldSpan(market, period, at, held);
  if (running !== undefined) return running.close;
  return heldSpan(market, period, nextOpenOf(market, at, KINDS[held]), held)?.close;
}

/** The earliest opening of a session of those kinds at or after an instant; a market without a table is open at once. */
export function nextOpenOf(market: Market, at: Millis, kinds: readonly SessionKind[]): Millis {
  if (kinds === REGULAR_KINDS || !hasTable(market)) return nextOpen(market, at);
  for (let { day } = hoursAt(market, at), tries = 0; tries < CLOSED_DAYS_MAX; day += 1, tries += 1) {
    const opens = dayHours(market, day).sessions.find(({ kind, open }) => open >= at && kinds.includes(kind));
    const next = dayHours(market, day + 1).sessions.find(
      ({ kind, open }) => open >= at && kinds.includes(kind),
    );
    const first = Math.min(opens?.open ?? Number.POSITIVE_INFINITY, next?.open ?? Number.POSITIVE_INFINITY);
    if (Number.isFinite(first)) return millis(first);
  }
  throw new Error(
    `No session of ${kinds.join(', ')} within ${CLOSED_DAYS_MAX} days after ${at} at "${market}"`,
  );
}

/** No market known to us stays closed longer than this many days in a row. */
const CLOSED_DAYS_MAX = 31;

/** When the last session of those kinds ends on a trading day; undefined when none is held. */
export function lastCloseOf(
  market: Market,
  day: DayNumber,
  kinds: readonly SessionKind[],
): Millis | undefined {
  return dayHours(market, day).sessions.findLast(({ kind }) => kinds.includes(kind))?.close;
}

/**
 * The trading day that an order belongs to which is sent at an instant and trades in sessions of those kinds: today until the last of
 * them is over, from then on (and on closed days) the next one. The evening of New York belongs to the overnight session of the day after.
 */
export function tradingDayIn(market: Market, at: Millis, kinds: readonly SessionKind[]): CalendarDay {
  if (kinds === REGULAR_KINDS) return tradingDayOf(market, at);
  const { day, date } = hoursAt(market, at);
  const close = lastCloseOf(market, day, kinds);
  return close !== undefined && at < close ? date : dayHoldingAfter(market, date, kinds);
}

function dayHoldingAfter(market: Market, day: CalendarDay, kinds: readonly SessionKind[]): CalendarDay {
  for (
    let next = nextTradingDay(market, day);
    next < addDays(day, CLOSED_DAYS_MAX);
    next = nextTradingDay(market, next)
  )
    if (lastCloseOf(market, dayNumber(next), kinds) !== undefined) return next;
  throw new Error(
    `No session of ${kinds.join(', ')} within ${CLOSED_DAYS_MAX} days after ${day} at "${market}"`,
  );
}

/** A day of the exchange and the stretch of time that belongs to it. */
export interface SessionDay extends Span {
  readonly date: CalendarDay;
}

/**
 * The day that an instant belongs to: the exchange's own, from midnight on; the evening part of an overnight session belongs to the trading
 * day that it leads into.
 */
export function sessionDay(market: Market, at: Millis): SessionDay {
  const today = hoursAt(market, at);
  const evening = dayHours(market, today.day + 1).sessions[0]?.open ?? today.nextMidnight;
  const until = millis(Math.min(evening, today.nextMidnight));
  if (at < until) return { date: today.date, open: today.midnight, close: until };
  return { date: dayOfNumber(today.day + 1), open: until, close: today.nextMidnight };
}

/**
 * Returns a function that names the session of a bar by its stamp; undefined for regular trading, for daily and longer bars, and where a market
 * has no table. It asks the calendar once a piece of regular trading.
 */
export function barSessions(market: Market, period: Period): (barOpen: Millis) => OtherSession | undefined {
  if (intradayMs(period) === undefined || !hasTable(market)) return () => undefined;
  let [from, until] = [0, 0];
  return (barOpen) => {
    if (barOpen >= from && barOpen < until) return undefined;
    const session = sessionAt(market, openTime(market, period, barOpen));
    if (session === undefined) return undefined;
    const { kind } = session;
    if (kind !== 'regular') return kind;
    [from, until] = [session.open, session.close];
    return undefined;
  };
}
