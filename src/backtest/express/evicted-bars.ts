import { barClose } from '../../markets/bar-span.ts';
import { type BarColumns, lowerBound } from '../../model/bar.ts';
import type { BarRows } from '../../model/bar-rows.ts';
import { marketOf } from '../../model/symbol.ts';
import { millis } from '../../model/time.ts';
import type { SignalProgram } from '../../signals/program.ts';

/**
 * Bars of a security that a cursor has evicted, for contexts that a strategy retained. Their first use reads all bars
 * again.
 */
export class EvictedBars {
  readonly #rows: BarRows;
  readonly #program: SignalProgram;
  readonly #series = new Map<string, Float64Array>();
  #all: BarColumns | undefined;

  constructor(rows: BarRows, program: SignalProgram) {
    this.#rows = rows;
    this.#program = program;
  }

  /** Returns when the bar of a row closed. */
  closeTime(row: number): number {
    const { symbol, period, time } = this.#bars();
    return barClose(marketOf(symbol), period, millis(time[row] as number));
  }

  /** Returns the row of the newest bar that had closed at a time; -1 before the first. */
  rowAt(at: number): number {
    const opened = lowerBound(this.#bars(), at + 1) - 1;
    return opened >= 0 && this.closeTime(opened) > at ? opened - 1 : opened;
  }

  /** Returns a close price; NaN before the first. */
  close(row: number): number {
    return this.#bars().close[row] ?? Number.NaN;
  }

  /** Returns the value of a named series; NaN before the first bar. Throws RangeError for an unknown name. */
  value(name: string, row: number): number {
    let column = this.#series.get(name);
    if (column === undefined) {
      const bars = this.#bars();
      column = new Float64Array(bars.length);
      this.#program.feed(name)(bars, column);
      this.#series.set(name, column);
    }
    return column[row] ?? Number.NaN;
  }

  #bars(): BarColumns {
    this.#all ??= this.#rows.between(0, this.#rows.length);
    return this.#all;
  }
}
