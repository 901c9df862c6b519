import type { Market } from '../model/symbol.ts';
import { type CalendarDay, calendarDay } from '../model/time.ts';
import { tradingDayAfter } from './calendar.ts';
import {
  type DayNumber,
  dateOf,
  dayNumber,
  dayOfNumber,
  nthWeekday,
  numberOf,
  weekdayOf,
} from './day-number.ts';

interface SettlementRow {
  readonly from: CalendarDay;
  readonly days: number;
}

/**
 * Settlement days after the trade by first trade date, newest first. Before the rule of 1995 five days were the custom in the US.
 * @see 17 CFR 240.15c6-1, in force since 1995-06-07, as amended 2017 and 2023; HKEX, General Rules of CCASS;
 * docs/venue.md, "The market"
 */
const ROWS: ReadonlyMap<Market, readonly SettlementRow[]> = new Map([
  ['HK', [{ from: calendarDay('1970-01-01'), days: 2 }]],
  [
    'US',
    [
      { from: calendarDay('2024-05-28'), days: 1 },
      { from: calendarDay('2017-09-05'), days: 2 },
      { from: calendarDay('1995-06-07'), days: 3 },
      { from: calendarDay('1970-01-01'), days: 5 },
    ],
  ],
]);

/** How many settlement days after the trade cash and shares change hands; 0 for a market without a table. */
export function settlementDays(market: Market, tradeDay: CalendarDay): number {
  return ROWS.get(market)?.find((row) => row.from <= tradeDay)?.days ?? 0;
}

/**
 * The day on which a trade of `tradeDay` settles. In the US the banks' holidays on which the exchanges do trade
 * (Columbus Day, Veterans Day) are no settlement days. Without a table a trade settles at once.
 */
export function settlementDay(market: Market, tradeDay: CalendarDay): CalendarDay {
  const last = LAST.get(market);
  if (last?.tradeDay === tradeDay) return last.settles;
  const settles = settlesOn(market, tradeDay);
  if (LAST.size >= MARKETS_KEPT) LAST.clear();
  LAST.set(market, { tradeDay, settles });
  return settles;
}

/** The answer given last, by market: trades of one day come together. */
const LAST = new Map<Market, { readonly tradeDay: CalendarDay; readonly settles: CalendarDay }>();
const MARKETS_KEPT = 256;

function settlesOn(market: Market, tradeDay: CalendarDay): CalendarDay {
  let day = dayNumber(tradeDay);
  for (let left = settlementDays(market, tradeDay); left > 0; left -= 1) {
    do day = tradingDayAfter(market, day);
    while (market === 'US' && isBankHoliday(day));
  }
  return dayOfNumber(day);
}

function isBankHoliday(day: DayNumber): boolean {
  const { year } = dateOf(day);
  if (day === nthWeekday({ year, month: 10 }, 1, 2)) return true;
  const veterans = numberOf(year, 11, 11);
  return day === (weekdayOf(veterans) === 0 ? veterans + 1 : veterans);
}
