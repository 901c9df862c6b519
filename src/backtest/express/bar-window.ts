import { closesInto } from '../../markets/bar-span.ts';
import type { BarColumns } from '../../model/bar.ts';
import { type BarRows, type BarView, ROOMY } from '../../model/bar-rows.ts';
import { type Market, marketOf } from '../../model/symbol.ts';

/** A stretch of one security's bars, with the instants at which they close; it goes forward over all that a run reads. */
export class BarWindow {
  readonly rows: BarRows;
  readonly market: Market;
  columns: BarColumns;
  /** When each bar of the stretch closes. */
  closes: Float64Array = new Float64Array(0);
  /** Row of the stretch's first bar. */
  base = 0;
  readonly #view: BarView;
  readonly #columnFor: (bars: number) => Float64Array;
  #capacity: Float64Array = new Float64Array(0);

  /** `columnFor` returns a column for the closes of so many bars, which no other window writes to. */
  constructor(rows: BarRows, columnFor = (bars: number): Float64Array => new Float64Array(bars)) {
    this.rows = rows;
    this.#columnFor = columnFor;
    this.market = marketOf(rows.symbol);
    this.#view = rows.open();
    this.columns = this.#view(0, 0);
    this.advance(0);
  }

  /** Row behind the stretch's last bar. */
  get end(): number {
    return this.base + this.columns.length;
  }

  /** Whether nothing comes behind it. */
  get isLast(): boolean {
    return this.end === this.rows.length;
  }

  /** Begins at `from`, not before where it begins now, and reaches a piece further. */
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
