import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { BarColumns } from '#src/model/bar.ts';
import { barColumns } from '#src/model/bar-columns.ts';
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
  return barColumns({ symbol: securitySymbol(code), period }, (figure) =>
    Float64Array.from(rows, (row) =>
      figure === 'time' ? Date.parse(row['timestamp'] ?? '') : Number(row[figure]),
    ),
  );
}
