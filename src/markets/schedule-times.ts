import type { Market } from '../model/symbol.ts';
import { MINUTE_MS, type Millis, NEVER } from '../model/time.ts';
import { shortDay } from './calendar.ts';
import { dayHours, hoursAt } from './day-hours.ts';
import { type DayNumber, dateOf, dayOfNumber, weekdayOf } from './day-number.ts';
import { hoursOn } from './hours.ts';
import { instantOf } from './zones.ts';

/** The matching minutes, hours, days, months (1-12) and weekdays (0 is Sunday) of a cron expression. */
export interface CronFields {
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly daysOfMonth: readonly number[];
  readonly months: readonly number[];
  readonly weekdays: readonly number[];
}

/** Times from this long before the usual close follow the close: on a half day they are earlier by as much. */
const NEAR_CLOSE_MINUTES = 60;

/** Most days that a search covers: around 2100, 40 years pass between two times of a 29 February on one weekday. */
const DAYS_MAX = 41 * 366;

/**
 * Returns when a cron expression is next due after an instant, in the exchange's local time and on its trading days
 * only, if given on those of `isDue`; NEVER if no trading day has it.
 */
export function nextDue(
  fields: CronFields,
  market: Market,
  after: Millis,
  isDue: (day: DayNumber) => boolean = () => true,
): Millis {
  const today = hoursAt(market, after).day;
  for (let day = today; day <= today + DAYS_MAX; day += 1) {
    if (!isTradedDay(fields, market, day) || !isDue(day)) continue;
    const next = timesOf(fields, market, day).find((at) => at > after);
    if (next !== undefined) return next;
  }
  return NEVER;
}

/** Returns when a cron expression was last due, at or before an instant; undefined if no trading day had it. */
export function lastDue(fields: CronFields, market: Market, at: Millis): Millis | undefined {
  const today = hoursAt(market, at).day;
  for (let day = today; day >= today - DAYS_MAX; day -= 1) {
    if (!isTradedDay(fields, market, day)) continue;
    const last = timesOf(fields, market, day).findLast((time) => time <= at);
    if (last !== undefined) return last;
  }
  return undefined;
}

function isTradedDay({ daysOfMonth, months, weekdays }: CronFields, market: Market, day: DayNumber): boolean {
  if (!weekdays.includes(weekdayOf(day))) return false;
  const [, month, date] = dayOfNumber(day).split('-').map(Number);
  return (
    months.includes(month ?? 0) && daysOfMonth.includes(date ?? 0) && dayHours(market, day).regular.length > 0
  );
}

/** Returns whether no earlier (`-1`) or later (`1`) day of the same week or month is a trading day. */
export function isOutermostTradingDay(
  market: Market,
  day: DayNumber,
  { of, towards }: { readonly of: 'week' | 'month'; readonly towards: -1 | 1 },
): boolean {
  const span = of === 'week' ? weekOf : monthOf;
  for (let other = day + towards; span(other) === span(day); other += towards)
    if (dayHours(market, other).regular.length > 0) return false;
  return true;
}

/** Number of a week that begins on Monday; day 0 is a Thursday. */
function weekOf(day: DayNumber): number {
  return Math.floor((day + 3) / 7);
}

function monthOf(day: DayNumber): number {
  const { year, month } = dateOf(day);
  return year * 12 + month;
}

function timesOf({ minutes, hours }: CronFields, market: Market, day: DayNumber): readonly Millis[] {
  const earlier = earlierBy(market, day);
  const near = scheduledClose(market, day) - NEAR_CLOSE_MINUTES;
  return hours
    .flatMap((hour) => minutes.map((minute) => hour * 60 + minute))
    .map((minute) => instantOf(market, day, minute >= near ? minute - earlier : minute))
    .sort((a, b) => a - b);
}

function scheduledClose(market: Market, day: DayNumber): number {
  return hoursOn(market, day).regular.at(-1)?.[1] ?? 24 * 60;
}

function earlierBy(market: Market, day: DayNumber): number {
  const close = dayHours(market, day).regular.at(-1)?.close;
  if (shortDay(market, day) === undefined || close === undefined) return 0;
  return Math.round((instantOf(market, day, scheduledClose(market, day)) - close) / MINUTE_MS);
}
