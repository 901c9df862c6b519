import type { Market } from '../model/symbol.ts';
import { type CalendarDay, calendarDay } from '../model/time.ts';
import { type DayNumber, dateOf, dayNumber, dayOfNumber, isWeekend } from './day-number.ts';
import type { MarketRecord } from './market-record.ts';
import { marketRecord } from './market-records.ts';
import type { MarketYear, ShortDay } from './market-year.ts';

/** `half`: only part of the regular session is held; see `sessionsOf`. */
export type DayKind = 'full' | 'half' | 'closed';

const YEARS = new Map<MarketRecord, Map<number, MarketYear>>();

/** Longest run of closed days of any market with a record; a longer one means a broken table. */
const LONGEST_CLOSURE_DAYS = 31;

interface KnownDays {
  readonly from: CalendarDay;
  readonly to: CalendarDay;
}

const KNOWN_DAYS = new Map<MarketRecord, KnownDays>();

/** Returns the first and last day of the years whose holidays of a market are all known; undefined without a record. */
export function holidaysKnown(market: Market): KnownDays | undefined {
  const record = marketRecord(market);
  if (record === undefined) return undefined;
  let days = KNOWN_DAYS.get(record);
  if (days === undefined) {
    const [from, to] = record.calendar.known;
    days = { from: calendarDay(`${from}-01-01`), to: calendarDay(`${to}-12-31`) };
    KNOWN_DAYS.set(record, days);
  }
  return days;
}

/** Returns whether the market trades on a day. A market without a record is always `full`: it is open at every bar. */
export function dayKind(market: Market, day: CalendarDay): DayKind {
  return dayKindOf(market, dayNumber(day));
}

/** Like `dayKind`, for a day number. */
export function dayKindOf(market: Market, day: DayNumber): DayKind {
  const record = marketRecord(market);
  if (record === undefined) return 'full';
  if (isWeekend(day)) return 'closed';
  const year = yearOf(record, day);
  if (year.closed.has(day)) return 'closed';
  return year.short.has(day) ? 'half' : 'full';
}

/** Returns the sessions held on a half day; undefined for any other day. */
export function shortDay(market: Market, day: DayNumber): ShortDay | undefined {
  const record = marketRecord(market);
  return record === undefined ? undefined : yearOf(record, day).short.get(day);
}

/** Returns why a day is closed or short, in English; undefined on ordinary days and weekends. */
export function holidayName(market: Market, day: CalendarDay): string | undefined {
  const record = marketRecord(market);
  if (record === undefined) return undefined;
  const number = dayNumber(day);
  const year = yearOf(record, number);
  return year.closed.get(number) ?? year.short.get(number)?.name;
}

export function nextTradingDay(market: Market, day: CalendarDay): CalendarDay {
  return dayOfNumber(tradingDayAfter(market, dayNumber(day)));
}

/** Returns the trading days from `from` to `to`, inclusive and ascending; empty if `to` is before `from`. */
export function tradingDaysBetween(
  market: Market,
  from: CalendarDay,
  to: CalendarDay,
): readonly CalendarDay[] {
  const days: CalendarDay[] = [];
  const last = dayNumber(to);
  for (let day = dayNumber(from); day <= last; day += 1) {
    if (dayKindOf(market, day) !== 'closed') days.push(dayOfNumber(day));
  }
  return days;
}

/** Like `nextTradingDay`, for a day number. */
export function tradingDayAfter(market: Market, day: DayNumber): DayNumber {
  for (let step = 1; step <= LONGEST_CLOSURE_DAYS; step += 1) {
    const candidate = day + step;
    if (dayKindOf(market, candidate) !== 'closed') return candidate;
  }
  throw new Error(
    `Cannot find a trading day of "${market}" within ${LONGEST_CLOSURE_DAYS} days of ${dayOfNumber(day)}: its calendar is broken`,
  );
}

function yearOf(record: MarketRecord, day: DayNumber): MarketYear {
  const { year } = dateOf(day);
  const years = YEARS.get(record) ?? new Map<number, MarketYear>();
  if (years.size === 0) YEARS.set(record, years);
  let known = years.get(year);
  if (known === undefined) {
    known = record.calendar.year(year);
    years.set(year, known);
  }
  return known;
}
