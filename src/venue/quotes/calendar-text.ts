import { type CalendarDay, parseDay } from '../../model/time.ts';

const COMPACT = /^(\d{4})(\d{2})(\d{2})$/;

/** Reads `YYYYMMDD`; undefined when the text is not a day that exists. */
export function readCompactDay(text: string): CalendarDay | undefined {
  const [, year, month, day] = COMPACT.exec(text) ?? [];
  return year === undefined ? undefined : parseDay(`${year}-${month}-${day}`);
}

/** Writes a day as `YYYYMMDD`. */
export function writeCompactDay(day: CalendarDay): string {
  return day.replaceAll('-', '');
}
