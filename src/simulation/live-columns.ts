import type { BarColumns } from '../model/bar.ts';
import type { Period } from '../model/period.ts';
import type { SecuritySymbol } from '../model/symbol.ts';
import { type Millis, NEVER } from '../model/time.ts';

/** What a market elsewhere says of a symbol: a price, and the shares that traded since it last said something. */
export interface Tick {
  readonly symbol: SecuritySymbol;
  /** Epoch milliseconds, later than every tick of the symbol before. */
  readonly time: Millis;
  readonly price: number;
  readonly volume: number;
}

/** The day so far when listening began, all at one instant. */
export interface DaySoFar {
  readonly time: Millis;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly last: number;
  readonly volume: number;
}

const ROWS_AT_FIRST = 1_024;

type Figures = Readonly<Record<'open' | 'high' | 'low' | 'close' | 'volume', number>>;

/**
 * One symbol's prices as they come, one row each, from a market that nobody can look ahead in. A row's price stands until
 * the next one comes, or until whoever tells them falls silent.
 */
export class LiveColumns implements BarColumns {
  readonly symbol: SecuritySymbol;
  readonly period: Period = '1m';
  length = 0;
  time = new Float64Array(ROWS_AT_FIRST);
  open = new Float64Array(ROWS_AT_FIRST);
  high = new Float64Array(ROWS_AT_FIRST);
  low = new Float64Array(ROWS_AT_FIRST);
  close = new Float64Array(ROWS_AT_FIRST);
  volume = new Float64Array(ROWS_AT_FIRST);
  #silentSince: Millis = NEVER;

  constructor(symbol: SecuritySymbol, soFar: DaySoFar | undefined) {
    this.symbol = symbol;
    if (soFar === undefined) return;
    const { time, last, ...day } = soFar;
    this.#add(time, { ...day, close: last });
  }

  /** Throws RangeError for a tick that is no later than the one before, or that has no price. */
  append({ symbol, time, price, volume }: Tick): void {
    const before = this.length === 0 ? Number.NEGATIVE_INFINITY : (this.time[this.length - 1] as number);
    if (!(time > before) || !(price > 0 && Number.isFinite(price)))
      throw new RangeError(
        `Cannot take ${price} of "${symbol}" at ${time}, the one before came at ${before}`,
      );
    this.#silentSince = NEVER;
    this.#add(time, { open: price, high: price, low: price, close: price, volume });
  }

  /** From `at` on no price stands any more, until the next one comes. */
  fallSilent(at: Millis): void {
    this.#silentSince = at;
  }

  /** When the price of a row stands no more. */
  standsUntil(row: number): Millis {
    return row + 1 < this.length ? (this.time[row + 1] as Millis) : this.#silentSince;
  }

  #add(time: Millis, figures: Figures): void {
    if (this.length === this.time.length) this.#grow();
    const row = this.length;
    this.time[row] = time;
    this.open[row] = figures.open;
    this.high[row] = figures.high;
    this.low[row] = figures.low;
    this.close[row] = figures.close;
    this.volume[row] = figures.volume;
    this.length = row + 1;
  }

  #grow(): void {
    this.time = doubled(this.time);
    this.open = doubled(this.open);
    this.high = doubled(this.high);
    this.low = doubled(this.low);
    this.close = doubled(this.close);
    this.volume = doubled(this.volume);
  }
}

function doubled(column: Float64Array): Float64Array<ArrayBuffer> {
  const longer = new Float64Array(column.length * 2);
  longer.set(column);
  return longer;
}
