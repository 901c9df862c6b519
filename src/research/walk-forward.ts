import { addDays, type CalendarDay } from '../model/time.ts';
import { ResearchError } from './research-error.ts';

/** A calendar duration. */
export interface CalendarSpan {
  readonly count: number;
  readonly unit: 'd' | 'w' | 'm' | 'y';
}

/** Days from the first to the last, both included. */
export interface DaysBetween {
  readonly from: CalendarDay;
  readonly to: CalendarDay;
}

/** Parameters are chosen on `train` and applied on `test`, which follows immediately. */
export interface WalkWindow {
  readonly train: DaysBetween;
  readonly test: DaysBetween;
}

export const SPAN_WANTED = 'a length such as 90d, 26w, 6m or 2y';

/** Parses `90d`, `26w`, `6m` or `2y`; undefined for other text. */
export function readSpan(text: string): CalendarSpan | undefined {
  const [, count, unit] = /^([1-9]\d{0,3})([dwmy])$/.exec(text) ?? [];
  return unit === undefined ? undefined : { count: Number(count), unit: unit as CalendarSpan['unit'] };
}

/** The duration as written. */
export function spanName({ count, unit }: CalendarSpan): string {
  return `${count}${unit}`;
}

/**
 * Returns the windows of a walk-forward: each test starts where the previous one ended, and the last is truncated at
 * the end of the data. Training ends the day before its test and has the requested length; anchored training starts
 * on the first day. Throws ResearchError if no window fits.
 */
export function walkWindows(
  { from, to }: DaysBetween,
  {
    train,
    test,
    anchored,
  }: { readonly train: CalendarSpan; readonly test: CalendarSpan; readonly anchored: boolean },
): readonly WalkWindow[] {
  const windows: WalkWindow[] = [];
  const first = later(from, train, 1);
  for (let at = 0; ; at += 1) {
    // Steps are counted from the first test, because months have different lengths.
    const begin = later(first, test, at);
    if (begin > to) break;
    const end = addDays(later(first, test, at + 1), -1);
    windows.push({
      train: { from: anchored || at === 0 ? from : later(begin, train, -1), to: addDays(begin, -1) },
      test: { from: begin, to: end > to ? to : end },
    });
  }
  if (windows.length > 0) return windows;
  throw new ResearchError(
    `Cannot walk forward: training takes ${spanName(train)}, and the data from ${from} to ${to} ends before; choose a shorter "--train"`,
  );
}

/**
 * Returns the day a number of spans later or earlier; a day that its month does not have becomes the last of the
 * month.
 */
function later(day: CalendarDay, { count, unit }: CalendarSpan, times: number): CalendarDay {
  const units = count * times;
  if (unit === 'd' || unit === 'w') return addDays(day, units * (unit === 'w' ? 7 : 1));
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  const months = year * 12 + (month - 1) + units * (unit === 'y' ? 12 : 1);
  const [inYear, inMonth] = [Math.floor(months / 12), (months % 12) + 1];
  const length = new Date(Date.UTC(inYear, inMonth, 0)).getUTCDate();
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${String(inYear).padStart(4, '0')}-${two(inMonth)}-${two(Math.min(date, length))}` as CalendarDay;
}
