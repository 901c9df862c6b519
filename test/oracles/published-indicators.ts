import type { BarColumns } from '#src/model/bar.ts';
import { securitySymbol } from '#src/model/symbol.ts';
import { DAY_MS } from '#src/model/time.ts';
import { bars } from '#src/signals/bars.ts';
import { compileSignals } from '#src/signals/program.ts';
import { readRows } from './csv-bars.ts';
import type { OracleRow } from './indicators.ts';
import type { PublishedColumn } from './published-columns.ts';

/** Allowed relative difference of double arithmetic in addition to the rounding of a printed figure. */
const TOLERANCE = 1e-6;

/** The first difference between our indicators and an exported file; undefined if they agree. */
export function firstPublishedDifference(
  path: string,
  columns: readonly PublishedColumn[],
): string | undefined {
  const rows = readRows(path);
  const data = barsOf(rows);
  for (const column of columns) {
    const ours = compileSignals({ it: column.make(bars) })
      .overColumns(data, { warmupEnd: 0 })
      .column('it');
    const difference = firstDifference(column, rows, ours);
    if (difference !== undefined) return difference;
  }
  return undefined;
}

function firstDifference(
  { column, slack = 0, from = 0 }: PublishedColumn,
  rows: readonly OracleRow[],
  ours: Float64Array,
): string | undefined {
  const texts = rows.map((row) => (row[column] ?? '').trim());
  const largest = texts.reduce((most, text) => Math.max(most, Math.abs(Number(text))), 0);
  let compared = 0;
  for (const [row, text] of texts.entries()) {
    if (text === '' || row < from) continue;
    const want = Number(text);
    const got = ours[row] ?? Number.NaN;
    const allowed = halfUnit(text) + TOLERANCE * Math.abs(want) + slack * largest;
    if (!(Math.abs(want - got) <= allowed)) return `${column}, row ${row}: want ${want}, got ${got}`;
    compared += 1;
  }
  return compared > 0 ? undefined : `${column}: the file has no values to compare`;
}

/** Half of the last printed digit: 0.005 for "12.34", 500 for "1.234E+06". */
function halfUnit(text: string): number {
  const [mantissa = '', exponent = '0'] = text.toUpperCase().split('E');
  const places = mantissa.includes('.') ? mantissa.length - mantissa.indexOf('.') - 1 : 0;
  return 0.5 * 10 ** (Number(exponent) - places);
}

/** Days in the order of the rows; a missing price is the close, a missing volume is 0. */
function barsOf(rows: readonly OracleRow[]): BarColumns {
  const column = (name: string, other: string): Float64Array =>
    Float64Array.from(rows, (row) => Number(row[name] ?? row[other] ?? 0));
  return {
    symbol: securitySymbol('PUBLISHED.US'),
    period: '1d',
    length: rows.length,
    time: Float64Array.from(rows, (_, day) => day * DAY_MS),
    open: column('Open', 'Close'),
    high: column('High', 'Close'),
    low: column('Low', 'Close'),
    close: column('Close', 'Close'),
    volume: column('Volume', ''),
  };
}
