declare const millisBrand: unique symbol;

/** Epoch milliseconds, UTC. */
export type Millis = number & { readonly [millisBrand]: true };

declare const dayBrand: unique symbol;

/** A day of an exchange's own calendar, `YYYY-MM-DD`. */
export type CalendarDay = string & { readonly [dayBrand]: true };

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;

/** Later than any instant of a run; `nextAt` returns it if nothing is due. */
export const NEVER: Millis = Number.POSITIVE_INFINITY as Millis;

/** Brands epoch milliseconds; throws RangeError for NaN. */
export function millis(value: number): Millis {
  if (Number.isNaN(value)) throw new RangeError('Cannot use NaN as a time');
  return value as Millis;
}

const DAY_TEXT = /^(\d{4})-(\d{2})-(\d{2})$/;

/** Parses `YYYY-MM-DD`; undefined unless it is an existing day. */
export function parseDay(text: string): CalendarDay | undefined {
  const match = DAY_TEXT.exec(text);
  if (match === null) return undefined;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  const utc = new Date(Date.UTC(year, month - 1, day));
  const exists = utc.getUTCFullYear() === year && utc.getUTCMonth() === month - 1 && utc.getUTCDate() === day;
  return exists ? (text as CalendarDay) : undefined;
}

/**
 * Returns the days that a text in another notation may mean, as `YYYY-MM-DD`: one for `02.01.2003`, two for the
 * ambiguous `02/01/2003`.
 */
export function suggestDays(text: string): readonly CalendarDay[] {
  const yearFirst = /^(\d{4})[/.]?(\d{1,2})[/.]?(\d{1,2})$/.exec(text);
  const yearLast = /^(\d{1,2})([/.-])(\d{1,2})\2(\d{4})$/.exec(text);
  const read = (year: string | undefined, month: string | undefined, day: string | undefined) =>
    parseDay(`${year}-${month?.padStart(2, '0')}-${day?.padStart(2, '0')}`);
  const found =
    yearFirst !== null
      ? [read(yearFirst[1], yearFirst[2], yearFirst[3])]
      : yearLast !== null
        ? [
            read(yearLast[4], yearLast[3], yearLast[1]),
            // Dates with dots are always day first; with slashes or hyphens the month may come first.
            yearLast[2] === '.' ? undefined : read(yearLast[4], yearLast[1], yearLast[3]),
          ]
        : [];
  return [...new Set(found.filter((day) => day !== undefined))];
}

/** Brands a valid day; throws RangeError with the text otherwise. */
export function calendarDay(text: string): CalendarDay {
  const day = parseDay(text);
  if (day === undefined) throw new RangeError(`Cannot read "${text}" as a day, want YYYY-MM-DD`);
  return day;
}

/** Returns midnight UTC of a day, in epoch milliseconds; `markets/` computes exchanges' own midnights. */
export function dayToUtc(day: CalendarDay): Millis {
  return millis(Date.parse(`${day}T00:00:00Z`));
}

export function utcDay(at: Millis): CalendarDay {
  return new Date(at).toISOString().slice(0, 10) as CalendarDay;
}

/** Adds days (subtracts if negative) by calendar arithmetic only. */
export function addDays(day: CalendarDay, count: number): CalendarDay {
  return utcDay(millis(dayToUtc(day) + count * DAY_MS));
}
