import { type BarColumns, lowerBound } from './bar.ts';
import { barsBetween } from './bar-columns.ts';

/**
 * Rows per piece of in-memory columns: small enough for the processor's cache, large enough that a year has few pieces.
 */
const ROWS_AT_ONCE = 32_768;

/** Capacity ratio of row buffers, as the next range may be some days longer. */
export const ROOMY = 1.25;

/** Opens the rows from `from` to `to`, exclusive; the view is valid until the next call. */
export type BarView = (from: number, to: number) => BarColumns;

/** Bars of one symbol and period, ascending, read in pieces; they need not all be in memory. */
export interface BarRows extends Pick<BarColumns, 'symbol' | 'period' | 'length'> {
  /** Returns the end of the block that contains a row; blocks are read whole. */
  pieceEnd(row: number): number;
  /** Opens an independent view that moves forward only. */
  open(): BarView;
  /** Returns the first row stamped at or after `at`; `length` if there is none. */
  firstFrom(at: number): number;
  /** Returns the rows from `from` to `to`, exclusive, without a limit on their lifetime. */
  between(from: number, to: number): BarColumns;
}

/** Rows of columns that are read on access. A copy of such columns has no entry. */
const STORED = new WeakMap<BarColumns, BarRows>();

/** Attaches piecewise access to columns that are read on access. */
export function withRows(columns: BarColumns, rows: BarRows): BarColumns {
  STORED.set(columns, rows);
  return columns;
}

/** Returns piecewise access to bars; `atOnce` is the piece length of in-memory bars. */
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

/** Returns in-memory bars as one piece. */
export function wholeRows(columns: BarColumns): BarRows {
  return rowsInMemory(columns, Math.max(1, columns.length));
}

/** Returns the rows from `begin` on, with indices from 0. */
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
