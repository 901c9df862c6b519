import type { BarColumns } from './bar.ts';
import type { BarFigure, BarsOf } from './bar-columns.ts';

/** Computes one column; `place` is the index of its field in a row. */
export type MadeColumn = (figure: BarFigure, place: number) => Float64Array;

/** Bar columns, each computed on first access. A copy by `...` has no columns. */
export class LazyColumns implements BarColumns {
  readonly symbol: BarColumns['symbol'];
  readonly period: BarColumns['period'];
  readonly length: number;
  readonly #made: MadeColumn;
  // Six fields instead of a map, because they are read at every bar of a run.
  #time: Float64Array | undefined;
  #open: Float64Array | undefined;
  #high: Float64Array | undefined;
  #low: Float64Array | undefined;
  #close: Float64Array | undefined;
  #volume: Float64Array | undefined;

  constructor({ symbol, period }: BarsOf, length: number, made: MadeColumn) {
    this.symbol = symbol;
    this.period = period;
    this.length = length;
    this.#made = made;
  }

  get time(): Float64Array {
    this.#time ??= this.#made('time', 0);
    return this.#time;
  }

  get open(): Float64Array {
    this.#open ??= this.#made('open', 1);
    return this.#open;
  }

  get high(): Float64Array {
    this.#high ??= this.#made('high', 2);
    return this.#high;
  }

  get low(): Float64Array {
    this.#low ??= this.#made('low', 3);
    return this.#low;
  }

  get close(): Float64Array {
    this.#close ??= this.#made('close', 4);
    return this.#close;
  }

  get volume(): Float64Array {
    this.#volume ??= this.#made('volume', 5);
    return this.#volume;
  }
}

/** Returns views of the bars from `from` to `to`, exclusive; columns of `bars` are computed only if accessed. */
export function partOf(bars: BarColumns, from: number, to: number): BarColumns {
  return new LazyColumns(bars, to - from, (figure) => bars[figure].subarray(from, to));
}
