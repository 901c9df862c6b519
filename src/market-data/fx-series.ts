import type { FxSeries } from '../model/dated-rates.ts';
import { parseDecimal } from '../model/decimal.ts';
import { addDays, dayToUtc, parseDay } from '../model/time.ts';
import { quoted } from './data-error.ts';
import { readSidecarFile, sidecarFaults } from './sidecar-file.ts';

const RULES = { holds: 'exchange rates', header: 'date,rate', bytesMax: 16_000_000 };
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2})?Z$/;

/**
 * Reads a file of exchange rates: lines of `date,rate`, ascending; the rate is the value of one unit of the pair's
 * first currency in the second. A day's rate applies from the next midnight UTC. An instant such as
 * `2024-01-31T16:00Z` states when the rate became known. Ignores other columns. Throws DataError at the first bad
 * line.
 */
export function fxSeriesIn(file: string, pair: string): FxSeries {
  const fault = sidecarFaults(file, RULES);
  const read = readSidecarFile(file, RULES);
  if (read === undefined) throw fault('unreadable', 'there is no such file');
  const from: number[] = [];
  const rate: FxSeries['rate'][number][] = [];
  for (const [index, text] of read.lines.entries()) {
    if (text === '') continue;
    const line = index + 2;
    const [date = '', figure = ''] = text.split(',');
    const at = knownAt(date);
    if (at === undefined)
      throw fault('bad-timestamp', `the date is ${quoted(date)}, want a day such as 2024-01-31`, line);
    if (at <= (from.at(-1) ?? Number.NEGATIVE_INFINITY))
      throw fault('unsorted', `${quoted(date)} is not after the previous line`, line);
    const value = parseDecimal(figure);
    if (value === undefined || value.lte(0))
      throw fault('bad-number', `the rate is ${quoted(figure)}, want a number above 0`, line);
    from.push(at);
    rate.push(value);
  }
  if (from.length === 0) throw fault('bad-header', 'it has no rate');
  return { pair, from, rate };
}

function knownAt(date: string): number | undefined {
  if (INSTANT.test(date)) {
    const at = Date.parse(date);
    return Number.isNaN(at) ? undefined : at;
  }
  const day = parseDay(date);
  return day === undefined ? undefined : dayToUtc(addDays(day, 1));
}
