import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { BarColumns } from '#src/model/bar.ts';
import { barColumns } from '#src/model/bar-columns.ts';
import type { Period } from '#src/model/period.ts';
import { securitySymbol } from '#src/model/symbol.ts';
import type { OracleRow } from './indicators.ts';

/**
 * Reads a CSV file, gzipped or not, as rows by column name in any order of columns, without empty lines. Throws
 * RangeError if it cannot be read or lacks one of the columns `wanted`.
 */
export function readRows(path: string, wanted: readonly string[] = []): readonly OracleRow[] {
  const [head = '', ...lines] = textOf(path).replace(BYTE_ORDER_MARK, '').split(LINE_END);
  const names = cellsOf(head);
  const missing = wanted.find((name) => !names.includes(name));
  if (missing !== undefined)
    throw new RangeError(
      `Cannot read "${path}": no column "${missing}" in its first line "${shortened(head)}"`,
    );
  return lines
    .filter((line) => line !== '')
    .map((line) => {
      const cells = cellsOf(line);
      return Object.fromEntries(names.map((name, i) => [name, cells[i] ?? '']));
    });
}

/** Maximum length of a line in a message. */
const SHOWN = 80;

function shortened(line: string): string {
  return line.length > SHOWN ? `${line.slice(0, SHOWN)}...` : line;
}

const BYTE_ORDER_MARK = /^\uFEFF/;
const LINE_END = /\s*\n/;

function cellsOf(line: string): readonly string[] {
  return line.split(',').map((cell) => cell.trim().replace(QUOTED, '$1'));
}

const QUOTED = /^"(.*)"$/;

/** The first two bytes of a gzipped file. */
const GZIP = [0x1f, 0x8b];

function textOf(path: string): string {
  try {
    const file = readFileSync(path);
    return (GZIP.every((byte, i) => file[i] === byte) ? gunzipSync(file) : file).toString('utf8');
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new RangeError(`Cannot read "${path}", which the oracle names: ${why}`, { cause });
  }
}

/** The columns of a market data file. */
export const BAR_NAMES = ['timestamp', 'open', 'high', 'low', 'close', 'volume'];

/** Makes columns of bars from rows of a market data file; throws RangeError for a value that is no number. */
export function toColumns(rows: readonly OracleRow[], code: string, period: Period): BarColumns {
  return barColumns({ symbol: securitySymbol(code), period }, (figure) =>
    Float64Array.from(rows, (row) => {
      const name = figure === 'time' ? 'timestamp' : figure;
      const text = row[name] ?? '';
      const value = figure === 'time' ? Date.parse(text) : text === '' ? Number.NaN : Number(text);
      if (!Number.isFinite(value))
        throw new RangeError(
          `Cannot use the bar of ${code} at "${row['timestamp']}": its ${name} is "${text}"`,
        );
      return value;
    }),
  );
}
