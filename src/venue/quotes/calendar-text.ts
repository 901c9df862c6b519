import { type CalendarDay, parseDay } from '../../model/time.ts';

const COMPACT = /^(\d{4})(\d{2})(\d{2})$/;

/** Parses `YYYYMMDD`; undefined if the text is not a valid day. */
export function readCompactDay(text: string): CalendarDay | undefined {
  const [, year, month, day] = COMPACT.exec(text) ?? [];
  return year === undefined ? undefined : parseDay(`${year}-${month}-${day}`);
}

/** Formats a day as `YYYYMMDD`. */
export function writeCompactDay(day: CalendarDay): string {
  return day.replaceAll('-', '');
}
