import { type CalendarDay, type Millis, millis, parseDay, utcDay } from '../model/time.ts';
import { quoted } from './data-error.ts';
import { readSidecarFile, type SidecarFault, sidecarFaults } from './sidecar-file.ts';
import { readStamp } from './stamp.ts';

/** Equity by day, ascending, with a benchmark if the file has one. */
export interface EquitySeries {
  /** The first day twice, if the file begins with the equity before the first close. */
  readonly days: readonly CalendarDay[];
  /** When each value was reached; absent in a file of days. */
  readonly time?: readonly Millis[];
  readonly equity: readonly number[];
  readonly benchmark?: readonly number[];
}

const RULES = {
  holds: 'an equity series',
  header: 'date,equity',
  otherHeader: 'time,equity',
  bytesMax: 256_000_000,
};
const FIGURE = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i;

/**
 * Reads a file with the header `date,equity` or `date,equity,benchmark` and one line per day, ascending; or one with
 * `time,equity` and any number of lines per day, as `sluice backtest --equity` writes it: the first line, and the last
 * of each day, without lines whose equity is not known. Ignores further columns. Throws DataError at the first bad line,
 * at an equity that is not above 0, and for fewer than two values.
 */
export function equitySeriesIn(file: string): EquitySeries {
  const fault = sidecarFaults(file, RULES);
  const read = readSidecarFile(file, RULES);
  if (read === undefined) throw fault('unreadable', 'there is no such file');
  const names = read.header.split(',');
  const rows = read.lines.flatMap((text, index) => (text === '' ? [] : [{ text, line: index + 2 }]));
  const series = names[0] === 'time' ? timesIn(rows, names, fault) : daysIn(rows, names, fault);
  if (series.days.length < 2) throw fault('bad-header', 'it has fewer than two days');
  return series;
}

interface Row {
  readonly text: string;
  readonly line: number;
}

function daysIn(rows: readonly Row[], names: readonly string[], fault: SidecarFault): EquitySeries {
  const hasBenchmark = names[2] === 'benchmark';
  const [days, equity, benchmark]: [CalendarDay[], number[], number[]] = [[], [], []];
  for (const { text, line } of rows) {
    const [date = '', figure = '', other = ''] = text.split(',');
    const day = parseDay(date);
    if (day === undefined)
      throw fault('bad-timestamp', `the date is ${quoted(date)}, want a day such as 2024-01-31`, line);
    if (day <= (days.at(-1) ?? '')) throw unsorted(date, line, fault);
    days.push(day);
    equity.push(figureOf('equity', figure, line, fault));
    if (hasBenchmark) benchmark.push(figureOf('benchmark', other, line, fault));
  }
  return hasBenchmark ? { days, equity, benchmark } : { days, equity };
}

/** Without a column `day`, a value belongs to its UTC day, one at midnight to the day before. */
function timesIn(rows: readonly Row[], names: readonly string[], fault: SidecarFault): EquitySeries {
  const dayAt = names.indexOf('day');
  const [days, time, equity]: [CalendarDay[], Millis[], number[]] = [[], [], []];
  for (const { text, line } of rows) {
    const cells = text.split(',');
    const [stamp = '', figure = ''] = cells;
    const at = readStamp(stamp, undefined);
    if (at === undefined)
      throw fault('bad-timestamp', `the time is ${quoted(stamp)}, want 2024-01-31T21:00:00Z`, line);
    const written = cells[dayAt] ?? '';
    const day = dayAt < 0 ? utcDay(millis(at - 1)) : parseDay(written);
    if (day === undefined)
      throw fault('bad-timestamp', `the day is ${quoted(written)}, want a day such as 2024-01-31`, line);
    if (at <= (time.at(-1) ?? Number.NEGATIVE_INFINITY) || day < (days.at(-1) ?? ''))
      throw unsorted(stamp, line, fault);
    // A backtest writes no figure while a price is missing.
    if (figure === '') continue;
    // The first value is where the series begins, and stays also if its day has others.
    const place = days.length > 1 && day === days.at(-1) ? days.length - 1 : days.length;
    days[place] = day;
    time[place] = millis(at);
    equity[place] = figureOf('equity', figure, line, fault);
  }
  return { days, time, equity };
}

function unsorted(written: string, line: number, fault: SidecarFault) {
  return fault('unsorted', `${quoted(written)} is not after the previous line`, line);
}

function figureOf(name: string, written: string, line: number, fault: SidecarFault): number {
  const isFigure = FIGURE.test(written);
  if (isFigure && name === 'equity' && Number(written) <= 0)
    throw fault(
      'not-positive',
      `the equity is ${quoted(written)}, but returns need equity above 0`,
      line,
      'remove this line and the following ones to report the time before it',
    );
  if (!isFigure || Number(written) <= 0)
    throw fault('bad-number', `the ${name} is ${quoted(written)}, want a number above 0`, line);
  return Number(written);
}
