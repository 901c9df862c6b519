import type { BarColumns } from '../../model/bar.ts';
import { partOf } from '../../model/lazy-columns.ts';
import type { ColumnFeed, SignalProgram } from '../../signals/program.ts';
import type { BarWindow } from './bar-window.ts';

/** A series that a strategy asked for: its values at the bars of the window that it has been fed. */
interface Column {
  readonly name: string;
  readonly feed: ColumnFeed;
  values: Float64Array;
}

/** A strategy's own series at the bars of a window, each computed from when it is first asked for. */
export class LaneSeries {
  readonly #program: SignalProgram;
  readonly #window: BarWindow;
  /** A few, found faster than by a map. */
  readonly #columns: Column[] = [];
  readonly #whole = new Map<string, Float64Array>();
  /** Bars of the window up to which they are computed, this one not included. */
  #end = 0;

  constructor(program: SignalProgram, window: BarWindow) {
    this.#program = program;
    this.#window = window;
  }

  /** Follows the window, which has let go of `shift` bars, and computes what is asked for at those before `end`. */
  goOn(shift: number, end: number): void {
    const known = this.#end - shift;
    for (const column of this.#columns) {
      const values = new Float64Array(end);
      values.set(column.values.subarray(shift, this.#end));
      column.feed(partOf(this.#window.columns, known, end), values.subarray(known));
      column.values = values;
    }
    this.#end = end;
  }

  /** One value; throws RangeError for a name that the strategy's record does not have. */
  value(name: string, index: number): number {
    const columns = this.#columns;
    for (let place = 0; place < columns.length; place += 1) {
      const column = columns[place] as Column;
      if (column.name === name) return column.values[index] as number;
    }
    return this.#started(name).values[index] as number;
  }

  /** A value at a bar that the window has let go. */
  longAgo(whole: BarColumns, name: string, index: number): number {
    let column = this.#whole.get(name);
    if (column === undefined) {
      column = new Float64Array(whole.length);
      this.#program.feed(name)(whole, column);
      this.#whole.set(name, column);
    }
    return column[index] ?? Number.NaN;
  }

  /** A series that is asked for late hears of all bars before. */
  #started(name: string): Column {
    const feed = this.#program.feed(name);
    const { rows, base, columns } = this.#window;
    const view = rows.open();
    for (let row = 0; row < base; ) {
      const to = Math.min(base, rows.pieceEnd(row));
      feed(view(row, to), new Float64Array(to - row));
      row = to;
    }
    const column = { name, feed, values: new Float64Array(this.#end) };
    feed(partOf(columns, 0, this.#end), column.values);
    this.#columns.push(column);
    return column;
  }
}
