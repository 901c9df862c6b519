import { type BarColumns, lowerBound } from './bar.ts';
import { barsBetween } from './bar-columns.ts';

/** Rows that are looked at at once: their columns stay in the processor's nearer memory, and few pieces make a year. */
export const ROWS_AT_ONCE = 32_768;

/** Looks at the rows `from` up to but not including `to`; what it shows is good until it looks again. */
export type BarView = (from: number, to: number) => BarColumns;

/** Bars of one symbol and period, ascending, that are looked at piece by piece: they need not all be in memory. */
export interface BarRows extends Pick<BarColumns, 'symbol' | 'period' | 'length'> {
  /** Where the piece ends that a row lies in: pieces are got at whole. */
  pieceEnd(row: number): number;
  /** A view of its own, which is moved forwards. */
  open(): BarView;
  /** First row whose stamp is not before `at`; `length` when there is none. */
  firstFrom(at: number): number;
  /** All of them in memory. */
  whole(): BarColumns;
}

/** Columns that stay where they are until somebody reads one, and can be looked at piece by piece instead. */
export interface StoredColumns extends BarColumns {
  readonly rows: BarRows;
}

/** Bars to be looked at piece by piece, wherever they are. */
export function rowsOf(bars: BarColumns | StoredColumns, atOnce = ROWS_AT_ONCE): BarRows {
  return 'rows' in bars ? bars.rows : rowsInMemory(bars, atOnce);
}

function rowsInMemory(columns: BarColumns, atOnce: number): BarRows {
  const { symbol, period, length } = columns;
  return {
    ...{ symbol, period, length },
    pieceEnd: (row) => Math.min(length, (Math.floor(row / atOnce) + 1) * atOnce),
    open: () => (from, to) => barsBetween(columns, from, to),
    firstFrom: (at) => lowerBound(columns, at),
    whole: () => columns,
  };
}

/** The rows from one on. */
export function rowsFrom(rows: BarRows, begin: number): BarRows {
  if (begin === 0) return rows;
  const { symbol, period, length } = rows;
  return {
    ...{ symbol, period, length: length - begin },
    pieceEnd: (row) => rows.pieceEnd(row + begin) - begin,
    open: () => {
      const view = rows.open();
      return (from, to) => view(from + begin, to + begin);
    },
    firstFrom: (at) => Math.max(0, rows.firstFrom(at) - begin),
    whole: () => barsBetween(rows.whole(), begin),
  };
}
