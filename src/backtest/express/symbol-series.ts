import { partOf } from '../../model/lazy-columns.ts';
import type { FeedColumns } from '../../signals/column-cache.ts';
import type { ColumnFeed } from '../../signals/decision-context.ts';
import type { SignalProgram } from '../../signals/program.ts';
import type { BarWindow } from './bar-window.ts';

/** A strategy's own series at the bars of a window, each computed from when it is first asked for. */
export class SymbolSeries {
  readonly #kept: FeedColumns | undefined;
  readonly #program: SignalProgram;
  readonly #window: BarWindow;
  /** What was asked for: a few names, found faster than by a map. */
  readonly #names: string[] = [];
  readonly #feeds: ColumnFeed[] = [];
  #count = 0;
  /** Their values, one column behind the other, each with capacity for so many bars of the window. */
  #values = new Float64Array(0);
  #capacity = 0;
  /** Bars of the window up to which they are computed, this one not included. */
  #end = 0;

  constructor(program: SignalProgram, window: BarWindow, kept: FeedColumns | undefined) {
    this.#kept = kept;
    this.#program = program;
    this.#window = window;
  }

  /** Follows the window, which has let go of `shift` bars, and computes the requested series at those before `end`. */
  advance(shift: number, end: number): void {
    const known = this.#end - shift;
    if (end > this.#capacity) this.#makeRoom(this.#count, end);
    this.#end = end;
    for (let place = 0; place < this.#count; place += 1) {
      const column = this.#column(place);
      column.copyWithin(0, shift, shift + known);
      this.#feeds[place]?.(partOf(this.#window.columns, known, end), column.subarray(known, end));
    }
  }

  /** One value; throws RangeError for a name that the strategy's record does not have. */
  value(name: string, index: number): number {
    const names = this.#names;
    for (let place = 0; place < this.#count; place += 1)
      if (names[place] === name) return this.#values[place * this.#capacity + index] as number;
    return this.#started(name)[index] as number;
  }

  /** The same at an instant after that bar: its shares are those of then, as they are never split. */
  valueAt(name: string, index: number, _at: number): number {
    return this.value(name, index);
  }

  /** A series that is requested late is fed all earlier bars first. */
  #started(name: string): Float64Array {
    const feed = this.#program.feed(name, this.#kept);
    const { rows, base, columns } = this.#window;
    const view = rows.open();
    for (let row = 0; row < base; ) {
      const to = Math.min(base, rows.pieceEnd(row));
      feed(view(row, to), new Float64Array(to - row));
      row = to;
    }
    const place = this.#count;
    this.#makeRoom(place + 1, this.#capacity);
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

  /** Reserves capacity for so many columns of so many bars, and keeps what is known. */
  #makeRoom(columns: number, bars: number): void {
    const values = new Float64Array(columns * bars);
    for (let place = 0; place < this.#count; place += 1) values.set(this.#column(place), place * bars);
    this.#values = values;
    this.#capacity = bars;
  }
}
