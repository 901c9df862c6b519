import { type BarColumns, lowerBound } from './bar.ts';
import { barsBetween } from './bar-columns.ts';

/** Rows in memory that are looked at at once: their columns stay in the processor's nearer memory, and few pieces make a year. */
const ROWS_AT_ONCE = 32_768;

/** How much more room is taken for rows than is needed now, as a ratio: the next stretch may be longer by some days. */
export const ROOMY = 1.25;

/** Opens the rows `from` up to but not including `to`; the view is valid until the next call. */
export type BarView = (from: number, to: number) => BarColumns;

/** Bars of one symbol and period, ascending, that are looked at piece by piece: they need not all be in memory. */
export interface BarRows extends Pick<BarColumns, 'symbol' | 'period' | 'length'> {
  /** The end of the block that contains a row: blocks are read whole. */
  pieceEnd(row: number): number;
  /** Opens an independent view, which is moved forwards. */
  open(): BarView;
  /** First row whose stamp is not before `at`; `length` when there is none. */
  firstFrom(at: number): number;
  /** The rows `from` up to but not including `to`, for any length of time. */
  between(from: number, to: number): BarColumns;
}

/** Rows of columns that are read on access; a copy of such columns has none. */
const STORED = new WeakMap<BarColumns, BarRows>();

/** Attaches piecewise access to columns that are read on access. */
export function withRows(columns: BarColumns, rows: BarRows): BarColumns {
  STORED.set(columns, rows);
  return columns;
}

/** Bars to be looked at piece by piece, wherever they are; `atOnce` of those that are in memory. */
export function rowsOf(bars: BarColumns, atOnce = ROWS_AT_ONCE): BarRows {
  return STORED.get(bars) ?? rowsInMemory(bars, atOnce);
}

function rowsInMemory(columns: BarColumns, atOnce: number): BarRows {
  const { symbol, period, length } = columns;
  return {
    symbol,
    period,
    length,
    pieceEnd: (row) => Math.min(length, (Math.floor(row / atOnce) + 1) * atOnce),
    open: () => (from, to) => barsBetween(columns, from, to),
    firstFrom: (at) => lowerBound(columns, at),
    between: (from, to) => barsBetween(columns, from, to),
  };
}

/** Bars in memory that are looked at all at once. */
export function wholeRows(columns: BarColumns): BarRows {
  return rowsInMemory(columns, Math.max(1, columns.length));
}

/** The rows from one on. */
export function rowsFrom(rows: BarRows, begin: number): BarRows {
  if (begin === 0) return rows;
  const { symbol, period, length } = rows;
  return {
    symbol,
    period,
    length: length - begin,
    pieceEnd: (row) => rows.pieceEnd(row + begin) - begin,
    open: () => {
      const view = rows.open();
      return (from, to) => view(from + begin, to + begin);
    },
    firstFrom: (at) => Math.max(0, rows.firstFrom(at) - begin),
    between: (from, to) => rows.between(from + begin, to + begin),
  };
}
