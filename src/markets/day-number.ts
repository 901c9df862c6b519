import { type CalendarDay, DAY_MS, millis, utcDay } from '../model/time.ts';

/** Days since 1970-01-01, as integers for calendars and caches. */
export type DayNumber = number;

export function dayNumber(day: CalendarDay): DayNumber {
  return numberOf(Number(day.slice(0, 4)), Number(day.slice(5, 7)), Number(day.slice(8, 10)));
}

export function dayOfNumber(number: DayNumber): CalendarDay {
  return utcDay(millis(number * DAY_MS));
}

/** Returns the number of a year, month (1-12) and day; days beyond the month continue into the next. */
export function numberOf(year: number, month: number, day: number): DayNumber {
  return Date.UTC(year, month - 1, day) / DAY_MS;
}

/** Returns year and month (1-12) of a day. */
export function dateOf(number: DayNumber): { readonly year: number; readonly month: number } {
  const date = new Date(number * DAY_MS);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1 };
}

/** Returns the weekday: 0 is Sunday, 6 is Saturday. */
export function weekdayOf(number: DayNumber): number {
  return (((number + 4) % 7) + 7) % 7;
}

export function isWeekend(number: DayNumber): boolean {
  const weekday = weekdayOf(number);
  return weekday === 0 || weekday === 6;
}

/** Returns the `nth` (from 1) given weekday (0 is Sunday) of a month. */
export function nthWeekday(month: { year: number; month: number }, weekday: number, nth: number): DayNumber {
  const first = numberOf(month.year, month.month, 1);
  return first + ((weekday - weekdayOf(first) + 7) % 7) + 7 * (nth - 1);
}

/** Returns the last given weekday (0 is Sunday) of a month. */
export function lastWeekday(month: { year: number; month: number }, weekday: number): DayNumber {
  const last = numberOf(month.year, month.month + 1, 0);
  return last - ((weekdayOf(last) - weekday + 7) % 7);
}

/**
 * Returns Easter Sunday of a Gregorian year.
 * @see the anonymous Gregorian computus (Meeus, Astronomical Algorithms, chapter 8)
 */
export function easterSunday(year: number): DayNumber {
  const golden = year % 19;
  const century = Math.floor(year / 100);
  const yearOfCentury = year % 100;
  const skippedLeapDays = century - Math.floor(century / 4) - Math.floor((8 * century + 13) / 25);
  const epact = (19 * golden + skippedLeapDays + 15) % 30;
  const moon = epact - Math.floor((golden + 11 * epact) / 319);
  const weekday =
    (2 * (century % 4) + 2 * Math.floor(yearOfCentury / 4) - (yearOfCentury % 4) + 32 - moon) % 7;
  const month = Math.floor((moon + weekday + 90) / 25);
  const day = (moon + weekday + month + 19) % 32;
  return numberOf(year, month, day);
}
