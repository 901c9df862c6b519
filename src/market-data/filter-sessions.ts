import { dayKindOf, holidaysKnown } from '../markets/calendar.ts';
import {
  type DayHours,
  dayHours,
  hoursAt,
  type SessionKind,
  type Span as Stretch,
} from '../markets/day-hours.ts';
import { type DayNumber, dayOfNumber } from '../markets/day-number.ts';
import { hasTable } from '../markets/market-records.ts';
import { sessionAt } from '../markets/sessions.ts';
import { sessionKinds } from '../markets/trading-sessions.ts';
import { localDay } from '../markets/zones.ts';
import { type BarColumns, lowerBound } from '../model/bar.ts';
import { barColumns } from '../model/bar-columns.ts';
import { rowsOf } from '../model/bar-rows.ts';
import { intradayMs } from '../model/period.ts';
import { type Market, marketOf } from '../model/symbol.ts';
import type { CalendarDay, Millis } from '../model/time.ts';
import type { TradingSessions } from '../model/trading-sessions.ts';

/**
 * Returns the bars that overlap regular trading, as a live bot builds them: none of extended hours or auctions, and
 * no daily or shorter bars on closed days. In years without a known holiday calendar, closed days count as full days.
 * Returns the same object if nothing is removed, and for weekly or longer bars and markets without a table.
 */
export function filterRegularBars(columns: BarColumns): BarColumns {
  const { symbol, period, length: count } = columns;
  const market = marketOf(symbol);
  const length = intradayMs(period);
  if (!hasTable(market)) return columns;
  if (length === undefined) return period === '1d' ? onTradingDays(columns, market) : columns;
  const rows = rowsOf(columns);
  const view = rows.open();
  const keptSpans: Span[] = [];
  for (let row = 0; row < count; row = rows.pieceEnd(row))
    for (const [from, to] of regularSpans(view(row, rows.pieceEnd(row)), market, length))
      keptSpans.push([row + from, row + to]);
  const total = keptSpans.reduce((sum, [from, to]) => sum + to - from, 0);
  return total === count ? columns : pick(columns, keptSpans, total);
}

/** Returns the regular sessions of a day; in a year without a known holiday calendar, those of a full day. */
function heldPieces(market: Market, { date, regular, nominal }: DayHours): readonly Stretch[] {
  return areHolidaysKnown(market, date) ? regular : nominal;
}

function areHolidaysKnown(market: Market, date: CalendarDay): boolean {
  const known = holidaysKnown(market);
  return known !== undefined && date >= known.from && date <= known.to;
}

/**
 * Returns whether a day has a regular session. Avoids computing the hours of most days, because daily series may span
 * decades.
 */
function isTradingDay(market: Market, day: DayNumber): boolean {
  const kind = dayKindOf(market, day);
  if (kind === 'half') return heldPieces(market, dayHours(market, day)).length > 0;
  return kind === 'full' || !areHolidaysKnown(market, dayOfNumber(day));
}

function onTradingDays(columns: BarColumns, market: Market): BarColumns {
  const { time, length: count } = columns;
  const ranges: [from: number, to: number][] = [];
  let total = 0;
  for (let bar = 0; bar < count; bar += 1) {
    if (!isTradingDay(market, localDay(market, time[bar] as number))) continue;
    const last = ranges.at(-1);
    if (last?.[1] === bar) last[1] = bar + 1;
    else ranges.push([bar, bar + 1]);
    total += 1;
  }
  return total === count ? columns : pick(columns, ranges, total);
}

type Span = readonly [from: number, to: number];

function regularSpans(columns: BarColumns, market: Market, length: number): readonly Span[] {
  const { time } = columns;
  const spans: Span[] = [];
  for (let bar = 0; bar < columns.length; ) {
    const today = hoursAt(market, time[bar] as number);
    const dayEnd = lowerBound(columns, today.nextMidnight);
    for (const { open, close } of heldPieces(market, today)) {
      const from = Math.max(bar, lowerBound(columns, open - length + 1));
      bar = Math.max(from, Math.min(dayEnd, lowerBound(columns, close)));
      if (bar > from) spans.push([from, bar]);
    }
    bar = dayEnd;
  }
  return spans;
}

/**
 * Returns the bars that begin in one of the given sessions; same as `filterRegularBars` for `regular`. Requires a
 * period that divides every session into whole bars.
 */
export function filterSessions(columns: BarColumns, held: TradingSessions): BarColumns {
  const { symbol, period, length: count } = columns;
  const market = marketOf(symbol);
  if (held === 'regular' || intradayMs(period) === undefined || !hasTable(market))
    return filterRegularBars(columns);
  const { time } = columns;
  const kinds = sessionKinds(held);
  const ranges: [from: number, to: number][] = [];
  let total = 0;
  let piece: Stretch | undefined;
  for (let bar = 0; bar < count; bar += 1) {
    const at = time[bar] as Millis;
    if (piece === undefined || at < piece.open || at >= piece.close) piece = pieceAt(market, at, kinds);
    if (piece === undefined) continue;
    const last = ranges.at(-1);
    if (last?.[1] === bar) last[1] = bar + 1;
    else ranges.push([bar, bar + 1]);
    total += 1;
  }
  return total === count ? columns : pick(columns, ranges, total);
}

/**
 * Returns the session at an instant; in a year without a known holiday calendar, also the regular session that a
 * closed day would have.
 */
function pieceAt(market: Market, at: Millis, kinds: readonly SessionKind[]): Stretch | undefined {
  return (
    sessionAt(market, at, kinds) ??
    heldPieces(market, hoursAt(market, at)).find(({ open, close }) => at >= open && at < close)
  );
}

function pick(columns: BarColumns, keptSpans: readonly Span[], length: number): BarColumns {
  return barColumns(columns, (figure) => {
    const all = new Float64Array(length);
    let at = 0;
    for (const [from, to] of keptSpans) {
      all.set(columns[figure].subarray(from, to), at);
      at += to - from;
    }
    return all;
  });
}
