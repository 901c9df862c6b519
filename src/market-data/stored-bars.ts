import { type BarColumns, lowerBound } from '../model/bar.ts';
import { BAR_FIGURES, barColumns } from '../model/bar-columns.ts';
import { type BarRows, type BarView, ROOMY, rowsFrom, withRows } from '../model/bar-rows.ts';
import { LazyColumns } from '../model/lazy-columns.ts';
import { type EntryLayout, readColumnBlock } from './cache-entry.ts';
import type { BarSource } from './csv-row.ts';

export interface StoredBars {
  /** Path of the entry, or its descriptor if it is kept open. */
  readonly entry: string | number;
  readonly source: BarSource;
  readonly layout: EntryLayout;
  /** Reads the bars from their source file if the entry is damaged or missing. Throws DataError. */
  readonly parseAgain: () => BarColumns;
}

/** Returns columns that are read on first access, whole or block by block. */
export function storedColumns(stored: StoredBars): BarColumns {
  const bars = new BlockReader(stored);
  return lazyColumns(stored, bars, 0, stored.layout.rows);
}

function lazyColumns(stored: StoredBars, bars: BlockReader, begin: number, end: number): BarColumns {
  const { symbol, period } = stored.source;
  const columns = new LazyColumns(stored.source, end - begin, (_, figure) => bars.column(figure, begin, end));
  const { blockRows } = stored.layout;
  const all: BarRows = {
    symbol,
    period,
    length: end,
    pieceEnd: (row) => Math.min(end, (Math.floor(row / blockRows) + 1) * blockRows),
    open: () => viewOf(stored, bars),
    firstFrom: (at) => Math.min(end, bars.firstFrom(at)),
    between: (from, to) => lazyColumns(stored, bars, from, to),
  };
  return withRows(columns, rowsFrom(all, begin));
}

/** Reads pieces of columns from the entry; after a failure, from the source file. */
class BlockReader {
  readonly #stored: StoredBars;
  #parsed: BarColumns | undefined;

  constructor(stored: StoredBars) {
    this.#stored = stored;
  }

  read(figure: number, block: number, into: Float64Array, place: number): void {
    const { entry, layout } = this.#stored;
    if (this.#parsed === undefined && readColumnBlock(entry, { layout, block, figure }, into, place)) return;
    this.#parsed ??= this.#stored.parseAgain();
    const from = block * layout.blockRows;
    const name = BAR_FIGURES[figure] ?? 'time';
    into.set(this.#parsed[name].subarray(from, from + layout.blockRows), place);
  }

  column(figure: number, begin: number, end: number): Float64Array {
    const { blockRows, rows } = this.#stored.layout;
    const first = Math.floor(begin / blockRows);
    const base = first * blockRows;
    const buffer = new Float64Array(Math.min(rows, Math.ceil(end / blockRows) * blockRows) - base);
    for (let block = first; block * blockRows < end; block += 1)
      this.read(figure, block, buffer, block * blockRows - base);
    return buffer.subarray(begin - base, end - base);
  }

  /** Returns the first row whose stamp is not before `at`; finds its block by the first stamps of the blocks. */
  firstFrom(at: number): number {
    const { firstStamps, blockRows, rows } = this.#stored.layout;
    let block = firstStamps.length - 1;
    while (block >= 0 && (firstStamps[block] as number) >= at) block -= 1;
    if (block < 0) return 0;
    const begin = block * blockRows;
    const time = this.column(0, begin, Math.min(rows, begin + blockRows));
    return (
      begin +
      lowerBound(
        barColumns(this.#stored.source, () => time),
        at,
      )
    );
  }
}

function viewOf({ source, layout }: StoredBars, bars: BlockReader): BarView {
  const windows = BAR_FIGURES.map((_, figure) => new ColumnWindow(figure, layout, bars));
  const readColumn = (figure: number, from: number, to: number): Float64Array =>
    (windows[figure] as ColumnWindow).read(from, to);
  return (from, to) => new LazyColumns(source, to - from, (_, figure) => readColumn(figure, from, to));
}

/** A sliding window of one column in memory; rows before it are dropped. */
class ColumnWindow {
  readonly #figure: number;
  readonly #layout: EntryLayout;
  readonly #bars: BlockReader;
  #buffer = new Float64Array(0);
  #begin = 0;
  #end = 0;

  constructor(figure: number, layout: EntryLayout, bars: BlockReader) {
    this.#figure = figure;
    this.#layout = layout;
    this.#bars = bars;
  }

  read(from: number, to: number): Float64Array {
    const { blockRows, rows } = this.#layout;
    if (from < this.#begin || from > this.#end)
      this.#end = this.#begin = Math.floor(from / blockRows) * blockRows;
    while (this.#end < to) {
      const until = Math.min(rows, this.#end + blockRows);
      this.#slide(from, until);
      this.#bars.read(this.#figure, this.#end / blockRows, this.#buffer, this.#end - this.#begin);
      this.#end = until;
    }
    return this.#buffer.subarray(from - this.#begin, to - this.#begin);
  }

  /** Makes room up to row `until` and drops the rows before `from`. */
  #slide(from: number, until: number): void {
    const drop = Math.min(from, this.#end) - this.#begin;
    const remaining = this.#buffer.subarray(drop, this.#end - this.#begin);
    const begin = this.#begin + drop;
    if (until - begin > this.#buffer.length) {
      const buffer = new Float64Array(Math.ceil((until - begin) * ROOMY));
      buffer.set(remaining);
      this.#buffer = buffer;
    } else this.#buffer.copyWithin(0, drop, this.#end - this.#begin);
    this.#begin = begin;
  }
}
