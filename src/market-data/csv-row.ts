import { midnightOf } from '../markets/sessions.ts';
import { intradayMs, type Period } from '../model/period.ts';
import { plural } from '../model/plural.ts';
import { marketOf, type SecuritySymbol } from '../model/symbol.ts';
import { DataError, type DataErrorCode, quoted } from './data-error.ts';
import { readStamp } from './stamp.ts';

/** Symbol and period of a bar file; `file` is the name shown in errors. */
export interface BarSource {
  readonly file: string;
  readonly symbol: SecuritySymbol;
  readonly period: Period;
}

export const BAR_HEADER = ['timestamp', 'open', 'high', 'low', 'close', 'volume'] as const;

/** Maximum length of a line in bytes, without its line end. */
export const MAX_LINE_BYTES = 4096;

/** Line number and the time of the previous bar (-Infinity on the first row). */
export interface RowPlace {
  readonly source: BarSource;
  readonly line: number;
  readonly after: number;
}

export interface RowField {
  readonly name: string;
  readonly text: string;
  /** 1-based byte of the field's first character. */
  readonly column: number;
}

const DECIMAL_NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;

/**
 * Parses one line with all checks and exact errors, which the fast reader in `csv.ts` leaves out. Returns time in epoch
 * ms, then open, high, low, close and volume. Throws DataError with line and column.
 */
export function readRow(bytes: Uint8Array, place: RowPlace): readonly number[] {
  const fields = splitRow(bytes, place);
  const time = readTime(fields[0] as RowField, place);
  const figures = fields.slice(1).map((field) => readFigure(field, place));
  const [open, high, low, close] = figures as [number, number, number, number];
  checkRange({ open, high, low, close }, fields, place);
  return [time, ...figures];
}

/** Throws DataError unless the first line is the header; ignores a leading byte-order mark. */
export function checkHeader(bytes: Uint8Array, source: BarSource): void {
  const place = { source, line: 1, after: Number.NEGATIVE_INFINITY };
  const text = lineText(bytes, place).replace(/^\ufeff/, '');
  const want = `want "${BAR_HEADER.join(',')}"`;
  const advice = 'write that header and put the columns in its order';
  const names = text.split(',');
  for (const [index, name] of BAR_HEADER.entries()) {
    if (names[index] === name) continue;
    const column = names.slice(0, index).join(',').length + (index === 0 ? 1 : 2);
    const found = names.includes(name)
      ? `column ${index + 1} is ${quoted(names[index] ?? '')}`
      : `the column "${name}" is missing from the header ${quoted(text)}`;
    throw new DataError({
      code: 'bad-header',
      problem: `Cannot read bars of ${source.symbol}: ${found}, ${want}`,
      advice,
      file: source.file,
      line: 1,
      column,
      value: names[index] ?? text,
    });
  }
  const extra = names[BAR_HEADER.length];
  if (extra === undefined) return;
  throw new DataError({
    code: 'bad-header',
    problem: `Cannot read bars of ${source.symbol}: the column ${quoted(extra)} is not known, ${want}`,
    advice: 'remove that column from every line',
    file: source.file,
    line: 1,
    column: BAR_HEADER.join(',').length + 2,
    value: extra,
  });
}

/** Returns the error for a line above the length limit; `head` is the start of the line. */
export function lineTooLong(source: BarSource, line: number, head: Uint8Array): DataError {
  const value = new TextDecoder().decode(head.subarray(0, 80));
  return new DataError({
    code: 'line-too-long',
    problem: `Cannot read bars of ${source.symbol}: the line that starts ${quoted(value)} is longer than ${MAX_LINE_BYTES} bytes`,
    advice: 'write one bar per line',
    file: source.file,
    line,
    column: MAX_LINE_BYTES + 1,
    value,
  });
}

function lineText(bytes: Uint8Array, place: RowPlace): string {
  if (bytes.length > MAX_LINE_BYTES) throw lineTooLong(place.source, place.line, bytes);
  const nul = bytes.indexOf(0);
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  if (nul < 0) return text;
  throw new DataError({
    code: 'nul-byte',
    problem: `Cannot read bars of ${place.source.symbol}: there is a NUL byte in the line ${quoted(text)}`,
    advice: 'the file is damaged or not text, export it again',
    file: place.source.file,
    line: place.line,
    column: nul + 1,
    value: text,
  });
}

function splitRow(bytes: Uint8Array, place: RowPlace): readonly RowField[] {
  const text = lineText(bytes, place);
  const fields: RowField[] = [];
  let column = 1;
  for (const [index, part] of text.split(',').entries()) {
    fields.push({ name: BAR_HEADER[index] ?? 'beyond the last column', text: part, column });
    column += part.length + 1;
  }
  const count = fields.length;
  if (count === BAR_HEADER.length) return fields;
  const found = text === '' ? 'an empty line' : `${plural(count, 'field')} in ${quoted(text)}`;
  const advice =
    count > BAR_HEADER.length
      ? 'write numbers with a decimal point and without thousands separators'
      : `give all of ${BAR_HEADER.join(', ')}, or remove the line`;
  throw new DataError({
    code: 'column-count',
    problem: `Cannot read a bar of ${place.source.symbol}: saw ${found}, want ${BAR_HEADER.length} fields`,
    advice,
    file: place.source.file,
    line: place.line,
    column: fields[BAR_HEADER.length]?.column ?? text.length + 1,
    value: text,
  });
}

function readTime(field: RowField, place: RowPlace): number {
  const { symbol, period } = place.source;
  const midnight = intradayMs(period) === undefined ? midnightIn(symbol) : undefined;
  const time = readStamp(field.text, midnight);
  if (time === undefined) {
    const want =
      midnight === undefined
        ? 'ISO-8601 UTC such as 2024-01-02T14:30:00Z, or epoch seconds or milliseconds'
        : 'a day such as 2024-01-02, ISO-8601 UTC such as 2024-01-02T05:00:00Z, or epoch seconds or milliseconds';
    throw rowError('bad-timestamp', field, place, want, 'stamp each bar at its start, in UTC');
  }
  if (time > place.after) return time;
  const before = new Date(place.after).toISOString();
  return time === place.after
    ? raise(rowError('duplicate-timestamp', field, place, `a bar after ${before}`, 'keep one bar per stamp'))
    : raise(
        rowError('unsorted', field, place, `a bar after ${before}`, 'sort the bars by time, oldest first'),
      );
}

function midnightIn(symbol: SecuritySymbol): (day: Parameters<typeof midnightOf>[1]) => number {
  return (day) => midnightOf(marketOf(symbol), day);
}

const PLAIN_DIGITS = 'write plain digits with a decimal point, without quotes, spaces or separators';

/** Parses a price (above 0) or a volume (0 or more). Throws DataError with the field's column and the advice. */
export function readFigure(field: RowField, place: RowPlace, advice = PLAIN_DIGITS): number {
  const value = DECIMAL_NUMBER.test(field.text) ? Number(field.text) : Number.NaN;
  if (!Number.isFinite(value)) throw rowError('bad-number', field, place, 'a finite decimal number', advice);
  const isVolume = field.name === 'volume';
  if (isVolume ? value < 0 : value <= 0) {
    const want = isVolume ? 'zero or more' : 'a price above zero';
    throw rowError('not-positive', field, place, want, 'correct the number or remove the bar');
  }
  return value + 0;
}

/** Throws DataError unless open and close are between low and high; `fields` are in the order of a bar file. */
export function checkRange(
  bar: { open: number; high: number; low: number; close: number },
  fields: readonly RowField[],
  place: RowPlace,
): void {
  const { open, high, low, close } = bar;
  const advice = 'correct the bar or remove it';
  const fault = (index: number, want: string): DataError =>
    rowError('inconsistent-bar', fields[index] as RowField, place, want, advice);
  if (high < low) throw fault(2, `a high not below the low ${low}`);
  if (open > high || open < low) throw fault(1, `an open between low ${low} and high ${high}`);
  if (close > high || close < low) throw fault(4, `a close between low ${low} and high ${high}`);
}

/** Returns the error for one field: its text, what was expected, and what to do. */
export function rowError(
  code: DataErrorCode,
  field: RowField,
  place: RowPlace,
  want: string,
  advice: string,
): DataError {
  return new DataError({
    code,
    problem: `Cannot read a bar of ${place.source.symbol}: ${field.name} is ${quoted(field.text)}, want ${want}`,
    advice,
    file: place.source.file,
    line: place.line,
    column: field.column,
    value: field.text,
  });
}

function raise(error: DataError): never {
  throw error;
}
