import { partOf } from '../../model/lazy-columns.ts';
import type { FeedColumns } from '../../signals/column-cache.ts';
import type { ColumnFeed } from '../../signals/decision-context.ts';
import type { SignalProgram } from '../../signals/program.ts';
import type { BarWindow } from './bar-window.ts';

/** The values of a strategy's series at the bars of a window, computed from the first request on. */
export class SymbolSeries {
  readonly #cached: FeedColumns | undefined;
  readonly #program: SignalProgram;
  readonly #window: BarWindow;
  /** Requested names; a linear search in this short list is faster than a map. */
  readonly #names: string[] = [];
  readonly #feeds: ColumnFeed[] = [];
  #count = 0;
  /** Values, one column after the other, each with the same capacity. */
  #values = new Float64Array(0);
  #capacity = 0;
  /** Number of bars in the window with computed values. */
  #end = 0;

  constructor(program: SignalProgram, window: BarWindow, kept: FeedColumns | undefined) {
    this.#cached = kept;
    this.#program = program;
    this.#window = window;
  }

  /** Follows the window, which has evicted `shift` bars, and computes the requested series for bars before `end`. */
  advance(shift: number, end: number): void {
    const known = this.#end - shift;
    if (end > this.#capacity) this.#reallocate(this.#count, end);
    this.#end = end;
    for (let place = 0; place < this.#count; place += 1) {
      const column = this.#column(place);
      column.copyWithin(0, shift, shift + known);
      this.#feeds[place]?.(partOf(this.#window.columns, known, end), column.subarray(known, end));
    }
  }

  /** Returns a value; throws RangeError for an unknown name. */
  value(name: string, index: number): number {
    const names = this.#names;
    for (let place = 0; place < this.#count; place += 1)
      if (names[place] === name) return this.#values[place * this.#capacity + index] as number;
    return this.#startSeries(name)[index] as number;
  }

  /** Returns a value at a later time, which is the same because there are no splits. */
  valueAt(name: string, index: number, _at: number): number {
    return this.value(name, index);
  }

  /** Starts a series, feeding it all earlier bars. */
  #startSeries(name: string): Float64Array {
    const feed = this.#program.feed(name, this.#cached);
    const { rows, base, columns } = this.#window;
    const view = rows.open();
    for (let row = 0; row < base; ) {
      const to = Math.min(base, rows.pieceEnd(row));
      feed(view(row, to), new Float64Array(to - row));
      row = to;
    }
    const place = this.#count;
    this.#reallocate(place + 1, this.#capacity);
    this.#names.push(name);
    this.#feeds.push(feed);
    this.#count = place + 1;
    const column = this.#column(place);
    feed(partOf(columns, 0, this.#end), column.subarray(0, this.#end));
    return column;
  }

  #column(place: number): Float64Array {
    return this.#values.subarray(place * this.#capacity, (place + 1) * this.#capacity);
  }

  /** Reallocates the columns and keeps their values. */
  #reallocate(columns: number, bars: number): void {
    const values = new Float64Array(columns * bars);
    for (let place = 0; place < this.#count; place += 1) values.set(this.#column(place), place * bars);
    this.#values = values;
    this.#capacity = bars;
  }
}
