import { hasTable } from '../markets/market-records.ts';
import { dayOf, regularClose, regularOpen } from '../markets/sessions.ts';
import type { BarColumns } from '../model/bar.ts';
import { intradayMs } from '../model/period.ts';
import { marketOf } from '../model/symbol.ts';
import { type CalendarDay, MINUTE_MS, type Millis } from '../model/time.ts';
import type { RowFinding } from './check.ts';
import { writeStamp } from './stamp.ts';

export function* findFuture({ time, length }: BarColumns, now: Millis): Generator<RowFinding> {
  for (let row = 0; row < length; row++) {
    const stamp = time[row] as number;
    if (stamp > now)
      yield {
        kind: 'future',
        row,
        message: `A bar of ${writeStamp(stamp)}, in the future: it is ${writeStamp(now)} now`,
      };
  }
}

const HOUR_MS = 60 * MINUTE_MS;
/** Maximum delay of the first bar after a full hour; a quiet share may not trade in the first minutes. */
const SLACK_MS = 5 * MINUTE_MS;
/** Minimum number of consecutive days: a single day may be a special session. */
const DAYS_MIN = 2;

/**
 * Finds consecutive days whose intraday bars begin and end an hour off the session, for example if daylight saving
 * time was ignored.
 */
export function* findShifted(columns: BarColumns): Generator<RowFinding> {
  const market = marketOf(columns.symbol);
  if (!hasTable(market) || intradayMs(columns.period) === undefined) return;
  let run: Day[] = [];
  for (const day of daysOf(columns)) {
    if (run.length > 0 && run[0]?.hours !== day.hours) {
      yield* shiftFinding(run);
      run = [];
    }
    run.push(day);
  }
  yield* shiftFinding(run);
}

interface Day {
  readonly day: CalendarDay;
  readonly row: number;
  /** Hours by which the bars are behind the session (negative: ahead); 0 if they are on time or it is unclear. */
  readonly hours: number;
}

function* shiftFinding(run: readonly Day[]): Generator<RowFinding> {
  const [first, last] = [run[0], run.at(-1)];
  if (first === undefined || last === undefined || first.hours === 0 || run.length < DAYS_MIN) return;
  const side = first.hours > 0 ? 'behind' : 'ahead of';
  const message = `${run.length} days from ${first.day} to ${last.day} are an hour ${side} the session: was daylight saving time ignored?`;
  yield { kind: 'shifted', row: first.row, message };
}

function* daysOf(columns: BarColumns): Generator<Day> {
  const market = marketOf(columns.symbol);
  const { time, length } = columns;
  let first = 0;
  for (let row = 1; row <= length; row++) {
    const day = dayOf(market, time[first] as Millis);
    if (row < length && dayOf(market, time[row] as Millis) === day) continue;
    yield { day, row: first, hours: hoursOff(columns, { day, first, last: row - 1 }) };
    first = row;
  }
}

function hoursOff(
  { symbol, time, period }: BarColumns,
  { day, first, last }: { readonly day: CalendarDay; readonly first: number; readonly last: number },
): number {
  const market = marketOf(symbol);
  const [open, close] = [regularOpen(market, day), regularClose(market, day)];
  if (open === undefined || close === undefined || last === first) return 0;
  const [begins, ends] = [time[first] as number, time[last] as Millis];
  const length = intradayMs(period) ?? 0;
  if (isNear(begins, open + HOUR_MS) && ends >= close) return 1;
  return isNear(begins, open - HOUR_MS) && ends + length <= close - HOUR_MS + SLACK_MS ? -1 : 0;
}

function isNear(stamp: number, wanted: number): boolean {
  return stamp >= wanted && stamp <= wanted + SLACK_MS;
}
