import type { DailyEquity } from '../events/curve/daily-equity.ts';

/** Returns of one calendar year: twelve months, and the year as a whole; undefined where the run was not there, or began without equity. */
export interface YearReturns {
  readonly year: number;
  readonly months: readonly (number | undefined)[];
  readonly total: number | undefined;
}

/** How the table is made, printed where it is shown. */
export const MONTHLY_DEFINITION =
  'A month counts from the last equity of the month before (the first: from the start of the run) to its own last';

/** Returns by month and year of an equity line that begins with `initial`, ascending. */
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

/** Undefined for equity of 0 or a debt at the beginning: a quotient would call a smaller debt a loss. */
function returnOn(before: number, after: number): number | undefined {
  return before > 0 ? after / before - 1 : undefined;
}
