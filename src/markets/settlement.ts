import type { Market } from '../model/symbol.ts';
import type { CalendarDay } from '../model/time.ts';
import { tradingDayAfter } from './calendar.ts';
import { dayNumber, dayOfNumber } from './day-number.ts';
import { marketRecord } from './market-records.ts';

/** Returns the settlement days after the trade; 0 for a market without a table. */
export function settlementDays(market: Market, tradeDay: CalendarDay): number {
  return marketRecord(market)?.settlement.cycles.find((row) => row.from <= tradeDay)?.days ?? 0;
}

/**
 * Returns the day on which a trade settles. US bank holidays on which exchanges trade (Columbus Day, Veterans Day) are
 * not settlement days. Without a table a trade settles at once.
 */
export function settlementDay(market: Market, tradeDay: CalendarDay): CalendarDay {
  const last = LAST.get(market);
  if (last?.tradeDay === tradeDay) return last.settles;
  const settles = settlementDateOf(market, tradeDay);
  if (LAST.size >= MARKETS_KEPT) LAST.clear();
  LAST.set(market, { tradeDay, settles });
  return settles;
}

/** Cached, because trades of one day come together. */
const LAST = new Map<Market, { readonly tradeDay: CalendarDay; readonly settles: CalendarDay }>();
const MARKETS_KEPT = 256;

function settlementDateOf(market: Market, tradeDay: CalendarDay): CalendarDay {
  const isHoliday = marketRecord(market)?.settlement.isHoliday;
  let day = dayNumber(tradeDay);
  for (let left = settlementDays(market, tradeDay); left > 0; left -= 1) {
    do day = tradingDayAfter(market, day);
    while (isHoliday?.(day) === true);
  }
  return dayOfNumber(day);
}
