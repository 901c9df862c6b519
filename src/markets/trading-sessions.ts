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

export function sessionKinds(held: TradingSessions): readonly SessionKind[] {
  return KINDS[held];
}

/** Longer bars cross the 9:30 open of New York and belong to no single session. */
const LONGEST_MS = 30 * MINUTE_MS;

/** True if all sessions of all markets consist of whole bars of the period: 1, 2, 3, 5, 10, 15 and 30 minutes. */
export function fitsSessions(period: Period): boolean {
  const length = intradayMs(period);
  return length !== undefined && LONGEST_MS % length === 0;
}

/** Like `barSpan`, with bars in other sessions too: they begin with their session and end at the latest with it. */
export function sessionBarSpan(
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

/**
 * Returns the close of the bar that contains an instant, otherwise of the first bar of the next session with bars;
 * undefined if there is none.
 */
export function nextBarClose(
  market: Market,
  period: Period,
  at: Millis,
  held: TradingSessions,
): Millis | undefined {
  const running = sessionBarSpan(market, period, at, held);
  if (running !== undefined) return running.close;
  return sessionBarSpan(market, period, nextOpenOf(market, at, KINDS[held]), held)?.close;
}

/**
 * Returns the earliest open of a session of these kinds at or after an instant; a market without a table opens at once.
 */
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

/** Longest run of closed days of any market with a record. */
const CLOSED_DAYS_MAX = 31;

/** Returns the close of a day's last session of these kinds; undefined if there is none. */
export function lastCloseOf(
  market: Market,
  day: DayNumber,
  kinds: readonly SessionKind[],
): Millis | undefined {
  return dayHours(market, day).sessions.findLast(({ kind }) => kinds.includes(kind))?.close;
}

/**
 * Returns the trading day of an order sent at an instant that trades in sessions of these kinds: today until the last
 * of them closes, then (and on closed days) the next. New York's evening belongs to the next day's overnight session.
 */
export function tradingDayIn(market: Market, at: Millis, kinds: readonly SessionKind[]): CalendarDay {
  if (kinds === REGULAR_KINDS) return tradingDayOf(market, at);
  const { day, date } = hoursAt(market, at);
  const close = lastCloseOf(market, day, kinds);
  return close !== undefined && at < close ? date : nextDayWithSession(market, date, kinds);
}

function nextDayWithSession(market: Market, day: CalendarDay, kinds: readonly SessionKind[]): CalendarDay {
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

export interface SessionDay extends Span {
  readonly date: CalendarDay;
}

/**
 * Returns the exchange day of an instant, from midnight on; the evening part of an overnight session belongs to the
 * next trading day.
 */
export function sessionDay(market: Market, at: Millis): SessionDay {
  const today = hoursAt(market, at);
  const evening = dayHours(market, today.day + 1).sessions[0]?.open ?? today.nextMidnight;
  const until = millis(Math.min(evening, today.nextMidnight));
  if (at < until) return { date: today.date, open: today.midnight, close: until };
  return { date: dayOfNumber(today.day + 1), open: until, close: today.nextMidnight };
}

/**
 * Returns a function from a bar's stamp to its session; undefined for regular trading, daily and longer bars, and
 * markets without a table. It reads the calendar once per regular piece.
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
