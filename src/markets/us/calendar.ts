import { calendarDay } from '../../model/time.ts';
import {
  type DayNumber,
  dayNumber,
  easterSunday,
  isWeekend,
  lastWeekday,
  nthWeekday,
  numberOf,
  weekdayOf,
} from '../day-number.ts';
import type { MarketYear, ShortDay } from '../market-year.ts';

const [SUNDAY, MONDAY, TUESDAY, WEDNESDAY, THURSDAY, FRIDAY, SATURDAY] = [0, 1, 2, 3, 4, 5, 6] as const;

/**
 * Closed days that follow no rule.
 * @see nyse.com, "Special closings"
 */
const SPECIAL_CLOSURES: readonly (readonly [string, string])[] = [
  ['1994-04-27', 'Mourning for Richard Nixon'],
  ['2001-09-11', 'Attacks of 11 September'],
  ['2001-09-12', 'Attacks of 11 September'],
  ['2001-09-13', 'Attacks of 11 September'],
  ['2001-09-14', 'Attacks of 11 September'],
  ['2004-06-11', 'Mourning for Ronald Reagan'],
  ['2007-01-02', 'Mourning for Gerald Ford'],
  ['2012-10-29', 'Hurricane Sandy'],
  ['2012-10-30', 'Hurricane Sandy'],
  ['2018-12-05', 'Mourning for George H. W. Bush'],
  ['2025-01-09', 'Mourning for Jimmy Carter'],
];

/** Early closes that follow no rule. The last regular bars of SPY end at 13:00 on 1999-12-31 and 2003-12-26. */
const SPECIAL_EARLY_CLOSES: readonly (readonly [string, string])[] = [
  ['1997-12-26', 'Day after Christmas'],
  ['1999-12-31', 'Eve of the year 2000'],
  ['2003-12-26', 'Day after Christmas'],
];

/**
 * Returns holidays and early closes of the New York exchanges in one year, by the rules since 1998 and their dated
 * changes. Verified against a published calendar and real bars from 1998 on.
 * @see nyse.com, "Holidays and trading hours"
 */
export function usYear(year: number): MarketYear {
  const closed = holidays(year);
  return { closed, short: earlyCloses(year, closed) };
}

function holidays(year: number): Map<DayNumber, string> {
  const closed = new Map<DayNumber, string>();
  const newYear = numberOf(year, 1, 1);
  closed.set(weekdayOf(newYear) === SUNDAY ? newYear + 1 : newYear, "New Year's Day");
  if (year >= 1998) closed.set(nthWeekday({ year, month: 1 }, MONDAY, 3), 'Martin Luther King Jr. Day');
  closed.set(nthWeekday({ year, month: 2 }, MONDAY, 3), "Washington's Birthday");
  closed.set(easterSunday(year) - 2, 'Good Friday');
  closed.set(lastWeekday({ year, month: 5 }, MONDAY), 'Memorial Day');
  if (year >= 2022) closed.set(observed(numberOf(year, 6, 19)), 'Juneteenth');
  closed.set(observed(numberOf(year, 7, 4)), 'Independence Day');
  closed.set(nthWeekday({ year, month: 9 }, MONDAY, 1), 'Labor Day');
  closed.set(nthWeekday({ year, month: 11 }, THURSDAY, 4), 'Thanksgiving Day');
  closed.set(observed(numberOf(year, 12, 25)), 'Christmas Day');
  for (const [day, name] of SPECIAL_CLOSURES) {
    if (day.startsWith(`${year}-`)) closed.set(dayNumber(calendarDay(day)), name);
  }
  return closed;
}

/**
 * Moves a Saturday holiday to Friday and a Sunday one to Monday. Not for New Year's Day, which never moves to Friday.
 */
function observed(day: DayNumber): DayNumber {
  if (weekdayOf(day) === SATURDAY) return day - 1;
  return weekdayOf(day) === SUNDAY ? day + 1 : day;
}

function earlyCloses(year: number, closed: ReadonlyMap<DayNumber, string>): Map<DayNumber, ShortDay> {
  const short = new Map<DayNumber, ShortDay>();
  const close = (day: DayNumber, name: string): void => {
    if (!isWeekend(day) && !closed.has(day)) short.set(day, { name, held: 'morning' });
  };
  close(nthWeekday({ year, month: 11 }, THURSDAY, 4) + 1, 'Day after Thanksgiving');
  close(numberOf(year, 12, 24), 'Christmas Eve');
  const july4 = numberOf(year, 7, 4);
  const eve = weekdayOf(july4 - 1);
  if (eve === MONDAY || eve === TUESDAY || eve === THURSDAY) close(july4 - 1, 'Eve of Independence Day');
  if (eve === WEDNESDAY && year >= 2013) close(july4 - 1, 'Eve of Independence Day');
  if (weekdayOf(july4 + 1) === FRIDAY && year < 2013) close(july4 + 1, 'Day after Independence Day');
  for (const [day, name] of SPECIAL_EARLY_CLOSES) {
    if (day.startsWith(`${year}-`)) close(dayNumber(calendarDay(day)), name);
  }
  return short;
}
