import type { Market } from '../model/symbol.ts';
import { calendarDay } from '../model/time.ts';
import { type DayNumber, dayNumber } from './day-number.ts';
import { type MarketHours, timeOfDay } from './market-record.ts';
import { MARKET_RECORDS } from './market-records.ts';

/** A market without a record is open around the clock, in UTC days. */
const ALWAYS: MarketHours = {
  from: calendarDay('1970-01-01'),
  regular: [[0, timeOfDay(24)]],
  morning: [[0, timeOfDay(24)]],
};

const DATED: ReadonlyMap<Market, readonly { readonly from: DayNumber; readonly hours: MarketHours }[]> =
  new Map(
    MARKET_RECORDS.map((record) => [
      record.code,
      record.hours.map((hours) => ({ from: dayNumber(hours.from), hours })),
    ]),
  );

/** Returns the hours in force on a day; the oldest known hours before their first day. */
export function hoursOn(market: Market, day: DayNumber): MarketHours {
  const rows = DATED.get(market);
  if (rows === undefined) return ALWAYS;
  return (rows.find((row) => day >= row.from) ?? rows.at(-1))?.hours ?? ALWAYS;
}
