import type { BarColumns } from './bar.ts';

/** Fields of a bar in the column order of rows and files; `time` is epoch ms of its open. */
export const BAR_FIGURES = ['time', 'open', 'high', 'low', 'close', 'volume'] as const;
export type BarFigure = (typeof BAR_FIGURES)[number];

export type BarsOf = Pick<BarColumns, 'symbol' | 'period'>;

/** Builds columns field by field, all of one length; `place` is the index of the field in a row. */
export function barColumns(
  { symbol, period }: BarsOf,
  column: (figure: BarFigure, place: number) => Float64Array,
): BarColumns {
  const time = column('time', 0);
  return {
    symbol,
    period,
    length: time.length,
    time,
    open: column('open', 1),
    high: column('high', 2),
    low: column('low', 3),
    close: column('close', 4),
    volume: column('volume', 5),
  };
}

/** Converts bars, ascending, to columns. */
export function columnsOfBars(of: BarsOf, bars: readonly Readonly<Record<BarFigure, number>>[]): BarColumns {
  return barColumns(of, (figure) => Float64Array.from(bars, (bar) => bar[figure]));
}

/** Converts rows, ascending, to columns; missing fields become NaN. */
export function columnsOfRows(of: BarsOf, rows: readonly (readonly number[])[]): BarColumns {
  return barColumns(of, (_, place) => Float64Array.from(rows, (row) => row[place] ?? Number.NaN));
}

/** Returns views of the bars from `from` to `to`, exclusive. */
export function barsBetween(columns: BarColumns, from: number, to = columns.length): BarColumns {
  return barColumns(columns, (figure) => columns[figure].subarray(from, to));
}
