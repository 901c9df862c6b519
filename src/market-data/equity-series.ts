import { type CalendarDay, parseDay } from '../model/time.ts';
import { quoted } from './data-error.ts';
import { readSidecarFile, sidecarFaults } from './sidecar-file.ts';

/** Equity by day, ascending, with a benchmark if the file has one. */
export interface EquitySeries {
  readonly days: readonly CalendarDay[];
  readonly equity: readonly number[];
  readonly benchmark?: readonly number[];
}

const RULES = { holds: 'an equity series', header: 'date,equity', bytesMax: 64_000_000 };
const FIGURE = /^\d+(\.\d+)?(e[+-]?\d+)?$/i;

/**
 * Reads a file with the header `date,equity` or `date,equity,benchmark` and one line per day, ascending; ignores
 * further columns. Throws DataError at the first bad line and for fewer than two days.
 */
export function equitySeriesIn(file: string): EquitySeries {
  const fault = sidecarFaults(file, RULES);
  const read = readSidecarFile(file, RULES);
  if (read === undefined) throw fault('unreadable', 'there is no such file');
  const hasBenchmark = read.header.split(',')[2] === 'benchmark';
  const [days, equity, benchmark]: [CalendarDay[], number[], number[]] = [[], [], []];
  for (const [index, text] of read.lines.entries()) {
    if (text === '') continue;
    const line = index + 2;
    const [date = '', figure = '', other = ''] = text.split(',');
    const figureOf = (name: string, written: string): number => {
      if (!FIGURE.test(written) || Number(written) <= 0)
        throw fault('bad-number', `the ${name} is ${quoted(written)}, want a figure above 0`, line);
      return Number(written);
    };
    const day = parseDay(date);
    if (day === undefined)
      throw fault('bad-timestamp', `the date is ${quoted(date)}, want a day such as 2024-01-31`, line);
    if (day <= (days.at(-1) ?? ''))
      throw fault('unsorted', `${quoted(date)} does not come after the line before`, line);
    days.push(day);
    equity.push(figureOf('equity', figure));
    if (hasBenchmark) benchmark.push(figureOf('benchmark', other));
  }
  if (days.length < 2) throw fault('bad-header', 'it has fewer than two days');
  return hasBenchmark ? { days, equity, benchmark } : { days, equity };
}
