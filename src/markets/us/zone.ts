import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../model/time.ts';
import { type DayNumber, lastWeekday, nthWeekday } from '../day-number.ts';
import type { MarketZone } from '../market-record.ts';

const SUNDAY = 0;
const NY_STANDARD_MS = -5 * HOUR_MS;
const NY_SUMMER_MS = -4 * HOUR_MS;

/** In local time. */
const CHANGE_MINUTE = 2 * 60;

interface Summer {
  readonly first: DayNumber;
  readonly last: DayNumber;
  readonly from: number;
  readonly until: number;
}

const SUMMERS = new Map<number, Summer>();

export const NEW_YORK_ZONE: MarketZone = { name: 'America/New_York', offsetAt, offsetOn };

function offsetAt(at: number): number {
  const summer = summerAt(at);
  return at >= summer.from && at < summer.until ? NY_SUMMER_MS : NY_STANDARD_MS;
}

/** The UTC year of the latest lookup, cached because instants mostly ascend and a Date is the main cost. */
let recent = yearOf(1970);

function yearOf(year: number) {
  return { begins: Date.UTC(year, 0), ends: Date.UTC(year + 1, 0), summer: summerOf(year) };
}

function summerAt(at: number): Summer {
  if (at < recent.begins || at >= recent.ends) recent = yearOf(new Date(at).getUTCFullYear());
  return recent.summer;
}

function offsetOn(day: DayNumber, minute: number): number {
  const summer = summerAt(day * DAY_MS);
  const begun = day > summer.first || (day === summer.first && minute >= CHANGE_MINUTE);
  const over = day > summer.last || (day === summer.last && minute >= CHANGE_MINUTE);
  return begun && !over ? NY_SUMMER_MS : NY_STANDARD_MS;
}

/**
 * Returns New York's summer time: second Sunday of March to first Sunday of November since 2007; first Sunday of April
 * to last Sunday of October from 1987 to 2006; from the last Sunday of April before.
 * @see Energy Policy Act of 2005, section 110; Uniform Time Act of 1966, 15 U.S.C. 260a
 */
function summerOf(year: number): Summer {
  const known = SUMMERS.get(year);
  if (known !== undefined) return known;
  const first = firstSummerDay(year);
  const last =
    year >= 2007 ? nthWeekday({ year, month: 11 }, SUNDAY, 1) : lastWeekday({ year, month: 10 }, SUNDAY);
  const change = CHANGE_MINUTE * MINUTE_MS;
  const summer: Summer = {
    first,
    last,
    from: first * DAY_MS + change - NY_STANDARD_MS,
    until: last * DAY_MS + change - NY_SUMMER_MS,
  };
  SUMMERS.set(year, summer);
  return summer;
}

function firstSummerDay(year: number): DayNumber {
  if (year >= 2007) return nthWeekday({ year, month: 3 }, SUNDAY, 2);
  return year >= 1987 ? nthWeekday({ year, month: 4 }, SUNDAY, 1) : lastWeekday({ year, month: 4 }, SUNDAY);
}
