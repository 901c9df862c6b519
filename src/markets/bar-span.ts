import { intradayMs, type Period } from '../model/period.ts';
import type { Market } from '../model/symbol.ts';
import { type Millis, millis } from '../model/time.ts';
import { type DayHours, dayHours, hoursAt, type Span } from './day-hours.ts';
import { type DayNumber, dateOf, numberOf, weekdayOf } from './day-number.ts';
import { hasTable } from './market-records.ts';
import { regularPieceAt } from './sessions.ts';
import { utcBarClose, utcBarSpan } from './utc-bars.ts';

/**
 * Anchor of intraday bars.
 * - `session` (default): the open of each regular session piece, as brokers do. Hours in New York begin at 9:30, 10:30,
 *   ...; in Hong Kong at 9:30, 10:30, 11:30 (until noon), 13:00, ...
 * - `clock`: the exchange's midnight, as some data vendors do. The first hour in New York is stamped 9:00.
 */
export type BarGrid = 'session' | 'clock';

/**
 * Returns the bar that contains an instant of regular trading, as stamp and close; undefined outside regular sessions
 * (lunch, evening, holiday) and exactly at the close.
 * - Intraday bars end at the latest with their session piece.
 * - Daily bars run from the exchange's midnight to the end of the regular session.
 * - Longer bars run from midnight of their first calendar day (weeks begin on Monday) to their last regular close.
 *
 * A market without a table has clock-aligned UTC bars around the clock.
 */
export function barSpan(
  market: Market,
  period: Period,
  at: Millis,
  grid: BarGrid = 'session',
): Span | undefined {
  if (!hasTable(market)) return utcBarSpan(period, at);
  const today = hoursAt(market, at);
  const piece = pieceAt(today.regular, at);
  if (piece === undefined) return undefined;
  const length = intradayMs(period);
  if (length !== undefined) {
    const anchor = grid === 'session' ? piece.open : today.midnight;
    const open = millis(anchor + Math.floor((at - anchor) / length) * length);
    return { open, close: millis(Math.min(open + length, piece.close)) };
  }
  const { first, last } = daysOfPeriod(period, today.day);
  return { open: dayHours(market, first).midnight, close: lastClose(market, first, last) };
}

/**
 * Returns when a bar stamped at its open is complete, on either grid:
 * - intraday: its length after the stamp, at the latest at the end of its session piece or extended session;
 * - daily: at the end of the regular session;
 * - longer: at its last regular close.
 *
 * A stamp at or after the last close of its day (week, ...) belongs to the next one. Bars on days that the calendar has
 * as closed end as on a full day. Without a table, the length is added to the stamp; months and years follow the
 * calendar.
 */
export function barClose(market: Market, period: Period, barOpen: Millis): Millis {
  if (!hasTable(market)) return utcBarClose(period, barOpen);
  const length = intradayMs(period);
  if (length === undefined) return longBar(market, period, barOpen).close;
  const today = hoursAt(market, barOpen);
  const end = barOpen + length;
  const piece = pieceAt(today.nominal, barOpen);
  if (piece !== undefined && (barOpen - piece.open) % length === 0) return millis(Math.min(end, piece.close));
  for (let index = today.nominal.length - 1; index >= 0; index -= 1) {
    const part = today.nominal[index];
    if (part !== undefined && part.open < end && part.close > barOpen)
      return millis(Math.min(end, part.close));
  }
  return extendedClose(market, today, { open: barOpen, close: millis(end) });
}

/** Returns a `barClose` for one market and period, optimised for consecutive bars of a session and repeated bars. */
export function barCloser(market: Market, period: Period): (barOpen: Millis) => Millis {
  if (!hasTable(market)) return (barOpen) => barClose(market, period, barOpen);
  const length = intradayMs(period);
  if (length === undefined) return longCloser(market, period);
  // Two pieces are cached because a look-ahead alternates between today and the next day. V8 compiles
  // `Number.isInteger` of the quotient inline, but a float remainder to a call; both are equivalent within one day.
  let [from, until, fromBefore, untilBefore] = [0, 0, 0, 0];
  return (barOpen) => {
    if (barOpen >= from && barOpen < until && Number.isInteger((barOpen - from) / length))
      return millis(Math.min(barOpen + length, until));
    if (barOpen >= fromBefore && barOpen < untilBefore && Number.isInteger((barOpen - fromBefore) / length))
      return millis(Math.min(barOpen + length, untilBefore));
    const piece = pieceAt(hoursAt(market, barOpen).nominal, barOpen);
    if (piece !== undefined) [from, until, fromBefore, untilBefore] = [piece.open, piece.close, from, until];
    return barClose(market, period, barOpen);
  };
}

/**
 * Like `barCloser`, for daily and longer bars. The two latest are cached because a look-ahead alternates between this
 * bar and the next.
 */
function longCloser(market: Market, period: Period): (barOpen: Millis) => Millis {
  let [stamp, close, stampBefore, closeBefore] = [Number.NaN, 0, Number.NaN, 0];
  return (barOpen) => {
    if (barOpen === stamp) return close as Millis;
    if (barOpen === stampBefore) return closeBefore as Millis;
    [stamp, close, stampBefore, closeBefore] = [barOpen, barClose(market, period, barOpen), stamp, close];
    return close as Millis;
  };
}

/** Returns `barClose` of many bars, ascending by stamp, from index `first` on. */
export function barCloses(market: Market, period: Period, stamps: Float64Array, first = 0): Float64Array {
  const known = first === 0 ? stamps : stamps.subarray(first);
  const closes = new Float64Array(known.length);
  closesInto(closes, { market, period, stamps: known });
  return closes;
}

export interface Stamps {
  readonly market: Market;
  readonly period: Period;
  readonly stamps: Float64Array;
}

/** Writes the close of each bar into `closes`, whose length is the number of bars. */
export function closesInto(closes: Float64Array, { market, period, stamps: known }: Stamps): void {
  const length = intradayMs(period);
  if (length === undefined) {
    longClosesInto(closes, { market, period, stamps: known });
    return;
  }
  const closer = barCloser(market, period);
  for (let row = 0; row < closes.length; ) {
    const stamp = millis(known[row] as number);
    const piece = hasTable(market) ? regularPieceAt(market, stamp) : undefined;
    if (piece !== undefined && Number.isInteger((stamp - piece.open) / length)) {
      closes[row] = Math.min(stamp + length, piece.close);
      row = closeByPattern(known, closes, { row: row + 1, length, until: piece.close });
    } else {
      closes[row] = closer(stamp);
      row += 1;
    }
  }
}

/** Closes of the latest series of daily or longer bars; symbols of one market mostly have bars of the same days. */
let latest: (Stamps & { readonly closes: Float64Array }) | undefined;

function longClosesInto(closes: Float64Array, { market, period, stamps }: Stamps): void {
  const known = latest?.market === market && latest.period === period ? latest : undefined;
  const closer = barCloser(market, period);
  let next = 0;
  for (let row = 0; row < closes.length; row += 1) {
    const stamp = stamps[row] as number;
    while (known !== undefined && (known.stamps[next] as number) < stamp) next += 1;
    closes[row] =
      known !== undefined && known.stamps[next] === stamp
        ? (known.closes[next] as number)
        : closer(millis(stamp));
  }
  latest = { market, period, stamps: stamps.slice(0, closes.length), closes: closes.slice() };
}

/** Fills in the closes of consecutive bars of one session piece. A separate tight loop, as it handles most bars. */
function closeByPattern(
  stamps: Float64Array,
  closes: Float64Array,
  from: { readonly row: number; readonly length: number; readonly until: number },
): number {
  const { length, until } = from;
  let { row } = from;
  let close = closes[row - 1] as number;
  const end = Math.min(closes.length, row + Math.floor((until - close) / length));
  for (; row < end; row += 1) {
    const stamp = stamps[row] as number;
    if (stamp !== close) return row;
    close = stamp + length;
    closes[row] = close;
  }
  return row;
}

/**
 * Returns the first instant of regular trading in a bar: the open of its first session. For bars of extended hours and
 * markets without a table, returns the stamp.
 */
export function openTime(market: Market, period: Period, barOpen: Millis): Millis {
  return sessionPieces(market, period, barOpen)[0]?.open ?? barOpen;
}

/**
 * Returns the pieces of regular trading inside a bar, ascending and never empty. A daily bar in Hong Kong has two, a
 * weekly one those of all its days.
 */
export function sessionPieces(market: Market, period: Period, barOpen: Millis): readonly Span[] {
  if (!hasTable(market)) return [{ open: barOpen, close: utcBarClose(period, barOpen) }];
  if (intradayMs(period) !== undefined) return intradayPieces(market, period, barOpen);
  const { first, last } = longBar(market, period, barOpen);
  const pieces: Span[] = [];
  for (let day = first; day <= last; day += 1) pieces.push(...dayHours(market, day).regular);
  return pieces.length > 0 ? pieces : dayHours(market, last).nominal;
}

function intradayPieces(market: Market, period: Period, barOpen: Millis): readonly Span[] {
  const close = barClose(market, period, barOpen);
  const pieces: Span[] = [];
  for (const piece of hoursAt(market, barOpen).nominal) {
    if (piece.open >= close || piece.close <= barOpen) continue;
    pieces.push({
      open: millis(Math.max(piece.open, barOpen)),
      close: millis(Math.min(piece.close, close)),
    });
  }
  return pieces.length > 0 ? pieces : [{ open: barOpen, close }];
}

/** Returns when a bar without regular trading ends: at the latest with its extended session, if it is in one. */
function extendedClose(market: Market, today: DayHours, bar: Span): Millis {
  const holds = (session: Span): boolean => bar.open >= session.open && bar.open < session.close;
  const session = today.sessions.find(holds) ?? dayHours(market, today.day + 1).sessions.find(holds);
  return millis(Math.min(bar.close, session?.close ?? bar.close));
}

interface LongBar {
  readonly first: DayNumber;
  readonly last: DayNumber;
  readonly close: Millis;
}

function longBar(market: Market, period: Period, barOpen: Millis): LongBar {
  const { first, last } = daysOfPeriod(period, hoursAt(market, barOpen).day);
  const close = lastClose(market, first, last);
  if (close > barOpen) return { first, last, close };
  const next = daysOfPeriod(period, last + 1);
  return { ...next, close: lastClose(market, next.first, next.last) };
}

/** Returns the last regular close between two days; if all are closed, that of a full last day. */
function lastClose(market: Market, first: DayNumber, last: DayNumber): Millis {
  for (let day = last; day >= first; day -= 1) {
    const piece = dayHours(market, day).regular.at(-1);
    if (piece !== undefined) return piece.close;
  }
  const hours = dayHours(market, last);
  return hours.nominal.at(-1)?.close ?? hours.nextMidnight;
}

function pieceAt(pieces: readonly Span[], at: number): Span | undefined {
  for (const piece of pieces) if (at >= piece.open && at < piece.close) return piece;
  return undefined;
}

/** Returns the first and last calendar day of the daily or longer period that contains a day. */
function daysOfPeriod(
  period: Period,
  day: DayNumber,
): { readonly first: DayNumber; readonly last: DayNumber } {
  if (period === '1w') {
    const monday = day - ((weekdayOf(day) + 6) % 7);
    return { first: monday, last: monday + 6 };
  }
  const months = MONTHS[period];
  if (months === undefined) return { first: day, last: day };
  const { year, month } = dateOf(day);
  const start = month - ((month - 1) % months);
  return { first: numberOf(year, start, 1), last: numberOf(year, start + months, 0) };
}

const MONTHS: Partial<Record<Period, number>> = { '1M': 1, '1Q': 3, '1Y': 12 };
