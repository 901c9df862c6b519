import type { BarColumns } from '../../model/bar.ts';
import type { Period } from '../../model/period.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import { type Millis, NEVER } from '../../model/time.ts';

/** An update of a live market: a price, and the shares that traded since the previous update. */
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
 * One symbol's live prices, one row each, from a market without a known future. A row's price is current until
 * the next one arrives, or until the source stops sending.
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
  /** What prices that come are multiplied by, and volumes divided: shares have been split here, not where the prices come from. */
  #factor = 1;

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
    const here = rescaledPrice(price, this.#factor);
    const shares = rescaledVolume(volume, this.#factor);
    this.#add(time, { open: here, high: here, low: here, close: here, volume: shares });
  }

  /** Multiplies all prices, past and future, and divides the volumes. */
  rescale(factor: number): void {
    this.#factor *= factor;
    for (const prices of [this.open, this.high, this.low, this.close])
      for (let row = 0; row < this.length; row += 1)
        prices[row] = rescaledPrice(prices[row] as number, factor);
    for (let row = 0; row < this.length; row += 1)
      this.volume[row] = rescaledVolume(this.volume[row] as number, factor);
  }

  /** From `at` on there is no current price, until the next one arrives. */
  fallSilent(at: Millis): void {
    this.#silentSince = at;
  }

  /** When the price of a row stops being current. */
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

const PRICE_PLACES = 1e6;

/** A price in other shares, to six decimals. */
export function rescaledPrice(price: number, factor: number): number {
  return factor === 1 ? price : Math.round(price * factor * PRICE_PLACES) / PRICE_PLACES;
}

/** A volume in other shares, whole ones: where anything traded it stays so. */
export function rescaledVolume(volume: number, factor: number): number {
  return factor === 1 || volume === 0 ? volume : Math.max(1, Math.round(volume / factor));
}

function doubled(column: Float64Array): Float64Array<ArrayBuffer> {
  const longer = new Float64Array(column.length * 2);
  longer.set(column);
  return longer;
}
