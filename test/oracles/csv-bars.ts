import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { BarColumns } from '#src/model/bar.ts';
import type { Period } from '#src/model/period.ts';
import { securitySymbol } from '#src/model/symbol.ts';
import type { OracleRow } from './indicators.ts';

/** Reads a CSV file, gzipped or not, as rows by column name. */
export function readRows(path: string): readonly OracleRow[] {
  const file = readFileSync(path);
  const text = (path.endsWith('.gz') ? gunzipSync(file) : file).toString('utf8');
  const [head = '', ...lines] = text.trimEnd().split('\n');
  const names = head.trim().split(',');
  return lines.map((line) => {
    const cells = line.trimEnd().split(',');
    return Object.fromEntries(names.map((name, i) => [name, cells[i] ?? '']));
  });
}

/** Makes columns of bars from rows of a market data file. */
export function toColumns(rows: readonly OracleRow[], code: string, period: Period): BarColumns {
  const column = (name: string): Float64Array => Float64Array.from(rows, (row) => Number(row[name]));
  return {
    symbol: securitySymbol(code),
    period,
    length: rows.length,
    time: Float64Array.from(rows, (row) => Date.parse(row['timestamp'] ?? '')),
    open: column('open'),
    high: column('high'),
    low: column('low'),
    close: column('close'),
    volume: column('volume'),
  };
}
