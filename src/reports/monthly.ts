import type { DailyEquity } from '../events/curve/daily-equity.ts';

/**
 * Returns of a calendar year: twelve months and the whole year; undefined outside the run, or if the period started
 * without equity.
 */
export interface YearReturns {
  readonly year: number;
  readonly months: readonly (number | undefined)[];
  readonly total: number | undefined;
}

/** Definition of the table, printed next to it. */
export const MONTHLY_DEFINITION =
  'A month counts from the last equity of the month before (the first: from the start of the run) to its own last';

/** Returns by month and year of an equity line that starts with `initial`, ascending. */
export function monthlyReturns(
  initial: number,
  { day, value }: Pick<DailyEquity, 'day' | 'value'>,
): readonly YearReturns[] {
  const ends = new Map<string, { year: number; month: number; value: number }>();
  for (const [index, date] of day.entries()) {
    const [year, month] = [Number(date.slice(0, 4)), Number(date.slice(5, 7)) - 1];
    ends.set(`${year}-${month}`, { year, month, value: value[index] as number });
  }
  const years = new Map<number, { months: (number | undefined)[]; began: number; ended: number }>();
  let before = initial;
  for (const end of ends.values()) {
    const year = years.get(end.year) ?? {
      months: new Array<number | undefined>(12).fill(undefined),
      began: before,
      ended: before,
    };
    year.months[end.month] = returnOn(before, end.value);
    year.ended = end.value;
    years.set(end.year, year);
    before = end.value;
  }
  return [...years].map(([year, { months, began, ended }]) => ({
    year,
    months,
    total: returnOn(began, ended),
  }));
}

/** Undefined for an opening equity of 0 or less: the ratio would show a smaller debt as a loss. */
function returnOn(before: number, after: number): number | undefined {
  return before > 0 ? after / before - 1 : undefined;
}
