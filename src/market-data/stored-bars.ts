import { type BarColumns, lowerBound } from '../model/bar.ts';
import { BAR_FIGURES, barColumns } from '../model/bar-columns.ts';
import { type BarRows, type BarView, ROOMY, rowsFrom, withRows } from '../model/bar-rows.ts';
import { LazyColumns } from '../model/lazy-columns.ts';
import { type EntryLayout, readPiece } from './cache-entry.ts';
import type { BarSource } from './csv-row.ts';

export interface StoredBars {
  /** Path of the entry, or its descriptor if it is kept open. */
  readonly entry: string | number;
  readonly source: BarSource;
  readonly layout: EntryLayout;
  /** Reads the bars from their source file if the entry is damaged or missing. Throws DataError. */
  readonly again: () => BarColumns;
}

/** Returns columns that are read on first access, whole or block by block. */
export function storedColumns(stored: StoredBars): BarColumns {
  const bars = new Stored(stored);
  return lazily(stored, bars, 0, stored.layout.rows);
}

function lazily(stored: StoredBars, bars: Stored, begin: number, end: number): BarColumns {
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
    between: (from, to) => lazily(stored, bars, from, to),
  };
  return withRows(columns, rowsFrom(all, begin));
}

/** Reads pieces of columns from the entry; after a failure, from the source file. */
class Stored {
  readonly #stored: StoredBars;
  #again: BarColumns | undefined;

  constructor(stored: StoredBars) {
    this.#stored = stored;
  }

  read(figure: number, block: number, into: Float64Array, place: number): void {
    const { entry, layout } = this.#stored;
    if (this.#again === undefined && readPiece(entry, { layout, block, figure }, into, place)) return;
    this.#again ??= this.#stored.again();
    const from = block * layout.blockRows;
    const name = BAR_FIGURES[figure] ?? 'time';
    into.set(this.#again[name].subarray(from, from + layout.blockRows), place);
  }

  column(figure: number, begin: number, end: number): Float64Array {
    const { blockRows, rows } = this.#stored.layout;
    const first = Math.floor(begin / blockRows);
    const base = first * blockRows;
    const room = new Float64Array(Math.min(rows, Math.ceil(end / blockRows) * blockRows) - base);
    for (let block = first; block * blockRows < end; block += 1)
      this.read(figure, block, room, block * blockRows - base);
    return room.subarray(begin - base, end - base);
  }

  /** Returns the first row whose stamp is not before `at`; finds its block by the first stamps of the blocks. */
  firstFrom(at: number): number {
    const { firsts, blockRows, rows } = this.#stored.layout;
    let block = firsts.length - 1;
    while (block >= 0 && (firsts[block] as number) >= at) block -= 1;
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

function viewOf({ source, layout }: StoredBars, bars: Stored): BarView {
  const rooms = BAR_FIGURES.map((_, figure) => new ColumnRoom(figure, layout, bars));
  const readColumn = (figure: number, from: number, to: number): Float64Array =>
    (rooms[figure] as ColumnRoom).show(from, to);
  return (from, to) => new LazyColumns(source, to - from, (_, figure) => readColumn(figure, from, to));
}

/** A sliding window of one column in memory; rows before it are dropped. */
class ColumnRoom {
  readonly #figure: number;
  readonly #layout: EntryLayout;
  readonly #bars: Stored;
  #room = new Float64Array(0);
  #begin = 0;
  #end = 0;

  constructor(figure: number, layout: EntryLayout, bars: Stored) {
    this.#figure = figure;
    this.#layout = layout;
    this.#bars = bars;
  }

  show(from: number, to: number): Float64Array {
    const { blockRows, rows } = this.#layout;
    if (from < this.#begin || from > this.#end)
      this.#end = this.#begin = Math.floor(from / blockRows) * blockRows;
    while (this.#end < to) {
      const until = Math.min(rows, this.#end + blockRows);
      this.#make(from, until);
      this.#bars.read(this.#figure, this.#end / blockRows, this.#room, this.#end - this.#begin);
      this.#end = until;
    }
    return this.#room.subarray(from - this.#begin, to - this.#begin);
  }

  /** Makes room up to row `until` and drops the rows before `from`. */
  #make(from: number, until: number): void {
    const drop = Math.min(from, this.#end) - this.#begin;
    const remaining = this.#room.subarray(drop, this.#end - this.#begin);
    const begin = this.#begin + drop;
    if (until - begin > this.#room.length) {
      const room = new Float64Array(Math.ceil((until - begin) * ROOMY));
      room.set(remaining);
      this.#room = room;
    } else this.#room.copyWithin(0, drop, this.#end - this.#begin);
    this.#begin = begin;
  }
}
