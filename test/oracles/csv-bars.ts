import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { BarColumns } from '#src/model/bar.ts';
import type { Period } from '#src/model/period.ts';
import { securitySymbol } from '#src/model/symbol.ts';
import type { OracleRow } from './indicators.ts';

/** Reads a CSV file, gzipped or not, as rows by column name. */
export function readRows(path: string): readonly OracleRow[] {
  const text = textOf(path);
  const [head = '', ...lines] = text.trimEnd().split('\n');
  const names = head.trim().split(',');
  return lines.map((line) => {
    const cells = line.trimEnd().split(',');
    return Object.fromEntries(names.map((name, i) => [name, cells[i] ?? '']));
  });
}

function textOf(path: string): string {
  try {
    const file = readFileSync(path);
    return (path.endsWith('.gz') ? gunzipSync(file) : file).toString('utf8');
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new RangeError(`Cannot read "${path}", which the oracle names: ${why}`, { cause });
  }
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
