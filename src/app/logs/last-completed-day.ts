import { dayOf, regularClose } from '../../markets/sessions.ts';
import type { Market } from '../../model/symbol.ts';
import { addDays, type CalendarDay, type Millis } from '../../model/time.ts';

/** Number of days that are searched; markets do not close for longer. */
const DAYS_MAX = 15;

/** The newest trading day that is over in all of these markets; undefined if there is none. */
export function lastCompletedDay(markets: readonly Market[], now: Millis): CalendarDay | undefined {
  const days = markets.map((market) => newestOver(market, now));
  return days.includes(undefined) ? undefined : days.toSorted()[0];
}

/** The first trading day of any of these markets after a day; the day itself if there is none soon. */
export function nextTradingDay(markets: readonly Market[], day: CalendarDay): CalendarDay {
  for (let ahead = 1; ahead <= DAYS_MAX; ahead += 1) {
    const next = addDays(day, ahead);
    if (markets.some((market) => regularClose(market, next) !== undefined)) return next;
  }
  return day;
}

function newestOver(market: Market, now: Millis): CalendarDay | undefined {
  let day = dayOf(market, now);
  for (let back = 0; back < DAYS_MAX; back += 1) {
    const close = regularClose(market, day);
    if (close !== undefined && close <= now) return day;
    day = addDays(day, -1);
  }
  return undefined;
}
