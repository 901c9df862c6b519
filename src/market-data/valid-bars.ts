import type { BarColumns } from '../model/bar.ts';
import { columnsOfRows } from '../model/bar-columns.ts';
import { eachLine, readBarFile } from './bar-file.ts';
import { type BarSource, checkHeader, readRow } from './csv-row.ts';
import { DataError } from './data-error.ts';

/** The valid bars of a file, the line of each, and the errors of the other lines. */
export interface ValidBars {
  readonly columns: BarColumns;
  readonly lineOf: (row: number) => number;
  readonly faults: readonly DataError[];
  /** False if reading stopped because of too many errors. */
  readonly isWhole: boolean;
}

export const FAULTS_MAX = 1_000;

/**
 * Reads a bar file and collects all bad lines instead of stopping at the first. Returns the bars that are valid and
 * later than the previous valid one. Throws DataError if the file as a whole cannot be read.
 */
export function readValidBars(path: string, source: BarSource): ValidBars {
  try {
    return {
      columns: readBarFile(path, source).columns,
      lineOf: (row) => row + 2,
      faults: [],
      isWhole: true,
    };
  } catch (error) {
    if (!(error instanceof DataError) || error.line === undefined || error.line === 1) throw error;
  }
  return readSkippingFaults(path, source);
}

class TooManyFaults extends Error {}

function readSkippingFaults(path: string, source: BarSource): ValidBars {
  const rows: (readonly number[])[] = [];
  const lines: number[] = [];
  const faults: DataError[] = [];
  let after = Number.NEGATIVE_INFINITY;
  const take = (bytes: Uint8Array, line: number): void => {
    if (line === 1) {
      checkHeader(bytes, source);
      return;
    }
    try {
      const row = readRow(bytes, { source, line, after });
      rows.push(row);
      lines.push(line);
      after = row[0] as number;
    } catch (error) {
      if (!(error instanceof DataError)) throw error;
      faults.push(error);
      if (faults.length === FAULTS_MAX) throw new TooManyFaults();
    }
  };
  let isWhole = true;
  try {
    eachLine(path, source, take);
  } catch (error) {
    if (!(error instanceof TooManyFaults)) throw error;
    isWhole = false;
  }
  const columns = columnsOfRows(source, rows);
  return { columns, lineOf: (row) => lines[row] as number, faults, isWhole };
}
