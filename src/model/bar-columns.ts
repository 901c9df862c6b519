import type { BarColumns } from './bar.ts';

/** Figures of a bar in the order in which rows and files have them; `time` is epoch ms of its open. */
export const BAR_FIGURES = ['time', 'open', 'high', 'low', 'close', 'volume'] as const;
export type BarFigure = (typeof BAR_FIGURES)[number];

/** Whose bars they are, and how long each is. */
export type BarsOf = Pick<BarColumns, 'symbol' | 'period'>;

/** Columns of bars, made figure by figure and all of one length; `place` is that of the figure in a row. */
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

/** Columns out of bars, ascending. */
export function columnsOfBars(of: BarsOf, bars: readonly Readonly<Record<BarFigure, number>>[]): BarColumns {
  return barColumns(of, (figure) => Float64Array.from(bars, (bar) => bar[figure]));
}

/** Columns out of rows of figures, ascending; one that is left out is NaN. */
export function columnsOfRows(of: BarsOf, rows: readonly (readonly number[])[]): BarColumns {
  return barColumns(of, (_, place) => Float64Array.from(rows, (row) => row[place] ?? Number.NaN));
}

/** The bars from `from` up to but not including `to`, as views. */
export function barsBetween(columns: BarColumns, from: number, to = columns.length): BarColumns {
  return barColumns(columns, (figure) => columns[figure].subarray(from, to));
}
