import type { BarColumns } from '../model/bar.ts';

/** Columns out of rows of open time (epoch ms), open, high, low, close and volume, ascending; a figure left out is NaN. */
export function columnsOfRows(
  { symbol, period }: Pick<BarColumns, 'symbol' | 'period'>,
  rows: readonly (readonly number[])[],
): BarColumns {
  const column = (at: number): Float64Array => Float64Array.from(rows, (row) => row[at] ?? Number.NaN);
  return {
    symbol,
    period,
    length: rows.length,
    time: column(0),
    open: column(1),
    high: column(2),
    low: column(3),
    close: column(4),
    volume: column(5),
  };
}
