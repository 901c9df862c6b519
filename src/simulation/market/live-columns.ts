import type { BarColumns } from '../../model/bar.ts';
import type { Period } from '../../model/period.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import { type Millis, NEVER } from '../../model/time.ts';

/** An update of a live market: a price, and the shares traded since the previous update. */
export interface Tick {
  readonly symbol: SecuritySymbol;
  /** Epoch milliseconds, later than every earlier tick of the symbol. */
  readonly time: Millis;
  readonly price: number;
  readonly volume: number;
}

/** Figures of the day at the instant when the subscription began. */
export interface DaySoFar {
  readonly time: Millis;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly last: number;
  readonly volume: number;
}

const INITIAL_ROWS = 1_024;

type Figures = Readonly<Record<'open' | 'high' | 'low' | 'close' | 'volume', number>>;

/**
 * Live prices of one symbol, one row per tick. A row's price is current until the next tick, or until the source falls
 * silent.
 */
export class LiveColumns implements BarColumns {
  readonly symbol: SecuritySymbol;
  readonly period: Period = '1m';
  length = 0;
  time = new Float64Array(INITIAL_ROWS);
  open = new Float64Array(INITIAL_ROWS);
  high = new Float64Array(INITIAL_ROWS);
  low = new Float64Array(INITIAL_ROWS);
  close = new Float64Array(INITIAL_ROWS);
  volume = new Float64Array(INITIAL_ROWS);
  #invalidSince: Millis = NEVER;
  /** Multiplies incoming prices and divides volumes: splits applied here that the price source does not apply. */
  #factor = 1;

  constructor(symbol: SecuritySymbol, soFar: DaySoFar | undefined) {
    this.symbol = symbol;
    if (soFar === undefined) return;
    const { time, last, ...day } = soFar;
    this.#add(time, { ...day, close: last });
  }

  /** Appends a tick. Throws RangeError if it is not later than the previous one or has no valid price. */
  append({ symbol, time, price, volume }: Tick): void {
    const before = this.length === 0 ? Number.NEGATIVE_INFINITY : (this.time[this.length - 1] as number);
    if (!(time > before) || !(price > 0 && Number.isFinite(price)))
      throw new RangeError(
        `Cannot take ${price} of "${symbol}" at ${time}, the one before came at ${before}`,
      );
    this.#invalidSince = NEVER;
    const rescaled = rescaledPrice(price, this.#factor);
    const shares = rescaledVolume(volume, this.#factor);
    this.#add(time, { open: rescaled, high: rescaled, low: rescaled, close: rescaled, volume: shares });
  }

  /** Multiplies all past and future prices, and divides the volumes. */
  rescale(factor: number): void {
    this.#factor *= factor;
    for (const prices of [this.open, this.high, this.low, this.close])
      for (let row = 0; row < this.length; row += 1)
        prices[row] = rescaledPrice(prices[row] as number, factor);
    for (let row = 0; row < this.length; row += 1)
      this.volume[row] = rescaledVolume(this.volume[row] as number, factor);
  }

  invalidate(at: Millis): void {
    this.#invalidSince = at;
  }

  /** Returns when the price of a row stops being current. */
  validUntil(row: number): Millis {
    return row + 1 < this.length ? (this.time[row + 1] as Millis) : this.#invalidSince;
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

/** Converts a price to new shares, rounded to six decimals. */
export function rescaledPrice(price: number, factor: number): number {
  return factor === 1 ? price : Math.round(price * factor * PRICE_PLACES) / PRICE_PLACES;
}

/** Converts a volume to new shares, rounded to whole shares; a non-zero volume stays at least 1. */
export function rescaledVolume(volume: number, factor: number): number {
  return factor === 1 || volume === 0 ? volume : Math.max(1, Math.round(volume / factor));
}

function doubled(column: Float64Array): Float64Array<ArrayBuffer> {
  const longer = new Float64Array(column.length * 2);
  longer.set(column);
  return longer;
}
