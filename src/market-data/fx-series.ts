import { lstatSync, readFileSync } from 'node:fs';
import type { FxSeries } from '../model/dated-rates.ts';
import { parseDecimal } from '../model/decimal.ts';
import { addDays, dayToUtc, parseDay } from '../model/time.ts';
import { DataError, quoted } from './data-error.ts';

const HEADER = 'date,rate';
const MAX_BYTES = 16_000_000;
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2})?Z$/;

/**
 * Reads a file of exchange rates: lines of `date,rate`, ascending, how much of the pair's second currency one unit of the first is worth. The
 * rate of a day is known when that day is over: it holds from the next midnight of UTC on. An instant such as `2024-01-31T16:00Z` in
 * place of a day says when exactly it became known. Other columns are passed over. Throws DataError at the first line that is wrong.
 */
export function fxSeriesIn(file: string, pair: string): FxSeries {
  const entry = lstatSync(file, { throwIfNoEntry: false });
  if (entry === undefined) throw wrong('unreadable', 'there is no such file', file);
  if (!entry.isFile()) throw wrong('unsafe-name', 'the path is a link or no regular file', file);
  if (entry.size > MAX_BYTES) throw wrong('file-too-large', `it has more than ${MAX_BYTES} bytes`, file);
  const [header = '', ...lines] = readFileSync(file, 'utf8')
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/);
  if (header !== HEADER && !header.startsWith(`${HEADER},`))
    throw wrong('bad-header', `the header is ${quoted(header)}, want "${HEADER}"`, file, 1);
  const from: number[] = [];
  const rate: FxSeries['rate'][number][] = [];
  for (const [index, text] of lines.entries()) {
    if (text === '') continue;
    const line = index + 2;
    const [date = '', figure = ''] = text.split(',');
    const at = knownAt(date);
    if (at === undefined)
      throw wrong('bad-timestamp', `the date is ${quoted(date)}, want a day such as 2024-01-31`, file, line);
    if (at <= (from.at(-1) ?? Number.NEGATIVE_INFINITY))
      throw wrong('unsorted', `${quoted(date)} does not come after the line before`, file, line);
    const value = parseDecimal(figure);
    if (value === undefined || value.lte(0))
      throw wrong('bad-number', `the rate is ${quoted(figure)}, want a figure above 0`, file, line);
    from.push(at);
    rate.push(value);
  }
  if (from.length === 0) throw wrong('bad-header', 'it has no rate', file);
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

function wrong(code: DataError['code'], what: string, file: string, line?: number): DataError {
  return new DataError({
    code,
    problem: `Cannot read exchange rates: ${what}`,
    advice: 'correct the line, or the file',
    file,
    line,
  });
}
