import { closesInto } from '../../markets/bar-span.ts';
import type { BarColumns } from '../../model/bar.ts';
import { type BarRows, type BarView, ROOMY } from '../../model/bar-rows.ts';
import { type Market, marketOf } from '../../model/symbol.ts';

/** The loaded bars of one security and their close times; the window moves forward over all rows of a run. */
export class BarWindow {
  readonly rows: BarRows;
  readonly market: Market;
  columns: BarColumns;
  /** Close time of each bar in the window. */
  closes: Float64Array = new Float64Array(0);
  /** Row of the first bar in the window. */
  base = 0;
  readonly #view: BarView;
  readonly #columnFor: (bars: number) => Float64Array;
  #capacity: Float64Array = new Float64Array(0);

  /** `columnFor` returns a column for that many close times, which no other window writes to. */
  constructor(rows: BarRows, columnFor = (bars: number): Float64Array => new Float64Array(bars)) {
    this.rows = rows;
    this.#columnFor = columnFor;
    this.market = marketOf(rows.symbol);
    this.#view = rows.open();
    this.columns = this.#view(0, 0);
    this.advance(0);
  }

  /** Row after the last bar in the window. */
  get end(): number {
    return this.base + this.columns.length;
  }

  /** Whether the window ends at the last row. */
  get isLast(): boolean {
    return this.end === this.rows.length;
  }

  /** Moves the start to row `from`, not before the current one, and loads a further piece. */
  advance(from: number): void {
    const { end } = this;
    const to = end < this.rows.length ? this.rows.pieceEnd(end) : end;
    this.columns = this.#view(from, to);
    this.base = from;
    const { length, period, time } = this.columns;
    if (length > this.#capacity.length) this.#capacity = this.#columnFor(Math.ceil(length * ROOMY));
    this.closes = this.#capacity.subarray(0, length);
    closesInto(this.closes, { market: this.market, period, stamps: time });
  }
}
