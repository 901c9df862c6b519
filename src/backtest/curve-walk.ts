import { type CurveInput, type EquityCurve, exposureOf } from '../events/curve/curve-input.ts';
import { firstFrom } from '../events/curve/daily-equity.ts';
import { longerColumn } from '../events/curve/longer-column.ts';
import type { BarColumns } from '../model/bar.ts';
import { NEVER } from '../model/time.ts';
import type { SplitAdjustment } from '../signals/split-adjustment.ts';
import type { SecurityIndexList } from './security-index-list.ts';

/** The loaded bars of one security; the window moves forward as the curve advances. */
interface BarSeries {
  /** Row of the first loaded bar, and the close time of each. */
  readonly base: number;
  readonly closes: Float64Array;
  readonly columns: Pick<BarColumns, 'time' | 'close'>;
}

/** Cash and positions over time; moves forward from one change to the next. */
export interface PortfolioOverTime {
  /** In the account's currency. */
  readonly cash: number;
  /** Indices of the open positions in the order of summation, and the quantity and exchange rate of each security. */
  readonly list: Pick<SecurityIndexList, 'places' | 'count'>;
  readonly quantity: Float64Array;
  readonly rate: Float64Array;
  /** Time of the next change; closes from then on are valued after it. */
  readonly nextChangeAt: number;
  goTo(now: number): void;
  /** Updates `nextChangeAt` after new changes were recorded. */
  updateNextChange(): void;
}

interface CurveWalkParts {
  readonly series: readonly BarSeries[];
  /** Row of each security's first bar in the run. */
  readonly firstBars: readonly number[];
  /** Splits of each security; earlier closes are converted to the new share basis. */
  readonly splits: readonly (readonly SplitAdjustment[])[];
  readonly portfolio: PortfolioOverTime;
  readonly output: CurveInput;
}

/** Closes per batch, small enough for the processor's L1 cache. */
const BATCH_SIZE = 4_096;
/** Closes to process one by one, if series close at different times, before the next attempt at a batch. */
const SINGLE_STEPS = 256;

/** Values the account at every close in time order, as far as bars and fills are known. */
export class CurveWalk {
  readonly #series: readonly BarSeries[];
  readonly #firstBars: readonly number[];
  readonly #output: CurveInput;
  readonly #portfolio: PortfolioOverTime;
  /** Row and close time of the next bar of each series, and the previous close (NaN before the first). */
  readonly #nextRow: number[];
  readonly #nextCloseAt: Float64Array;
  readonly #lastClose: Float64Array;
  readonly #time = new Float64Array(SINGLE_STEPS);
  readonly #value = new Float64Array(BATCH_SIZE);
  readonly #exposure = new Float64Array(BATCH_SIZE);
  /** Future splits, and the time of the first. */
  readonly #splits: (SplitAdjustment & { readonly place: number })[];
  #nextSplitAt: number = NEVER;
  /** Time of the newest valuation. */
  #valuedAt = Number.NaN;

  constructor({ series, firstBars, splits, portfolio, output }: CurveWalkParts) {
    this.#series = series;
    this.#firstBars = firstBars;
    this.#output = output;
    this.#portfolio = portfolio;
    this.#nextRow = series.map((_, place) => firstBars[place] ?? 0);
    this.#nextCloseAt = new Float64Array(series.length);
    this.#lastClose = new Float64Array(series.length).fill(Number.NaN);
    this.#splits = splits
      .flatMap((list, place) => list.map((change) => ({ ...change, place })))
      .sort((one, other) => one.at - other.at);
    this.#nextSplitAt = this.#splits[0]?.at ?? NEVER;
  }

  /**
   * Values the account at every close up to and including `until`. All changes until then must be recorded, and the
   * bars loaded.
   */
  goTo(until: number): void {
    this.#portfolio.updateNextChange();
    for (let place = 0; place < this.#series.length; place += 1) this.#findFirstPrice(place);
    for (;;) {
      const count =
        this.#series.length === 0 ? 0 : this.#commonCloses(Math.min(until, this.#nextSplitAt - 1));
      if (count > 0) this.#valueBatch(count);
      else if (!this.#valueOneByOne(until)) return;
    }
  }

  /** Values the account at a time to which the walk has advanced, unless a close at that time was already valued. */
  valueAt(at: number): void {
    if (this.#valuedAt === at) return;
    this.#computeRow(at, 0);
    this.#emit(this.#time, 1);
  }

  /** Initializes the price with the close before the first bar of the run, if loaded. */
  #findFirstPrice(place: number): void {
    const { base, columns } = this.#seriesOf(place);
    const row = this.#nextRow[place] as number;
    if (row !== this.#firstBars[place] || !Number.isNaN(this.#lastClose[place])) return;
    const price = columns.close[row - 1 - base];
    if (price !== undefined) this.#lastClose[place] = price;
  }

  /** Returns how many of the next closes are common to all series, at most one batch. */
  #commonCloses(until: number): number {
    const first = this.#seriesOf(0);
    const at = (this.#nextRow[0] as number) - first.base;
    let count = Math.min(BATCH_SIZE, first.closes.length - at);
    for (let place = 1; place < this.#series.length && count > 0; place += 1) {
      const { closes, base } = this.#seriesOf(place);
      const row = (this.#nextRow[place] as number) - base;
      count = equalCount(first.closes, at, closes, row, Math.min(count, closes.length - row));
    }
    if (count <= 0) return 0;
    return (first.closes[at + count - 1] as number) <= until
      ? count
      : firstFrom(first.closes, at, at + count, until + 1) - at;
  }

  #valueBatch(count: number): void {
    const prices = this.#series.map(({ columns, base }, place) => {
      const row = (this.#nextRow[place] as number) - base;
      return columns.close.subarray(row, row + count);
    });
    const { closes, base } = this.#seriesOf(0);
    const from = (this.#nextRow[0] as number) - base;
    const time = closes.subarray(from, from + count);
    for (let row = 0; row < count; ) {
      this.#portfolio.goTo(time[row] as number);
      row = this.#valueUntilChange(row, time, prices);
    }
    this.#emit(time, count);
    for (let place = 0; place < prices.length; place += 1) {
      this.#lastClose[place] = (prices[place] as Float64Array)[count - 1] as number;
      this.#nextRow[place] = (this.#nextRow[place] as number) + count;
    }
  }

  /** Values rows until the next position change, one security after the other; returns the row after them. */
  #valueUntilChange(from: number, time: Float64Array, prices: readonly Float64Array[]): number {
    const [value, exposure] = [this.#value, this.#exposure];
    const { cash, nextChangeAt, quantity, rate, list } = this.#portfolio;
    const end = firstFrom(time, from, time.length, nextChangeAt);
    for (let row = from; row < end; row += 1) {
      value[row] = cash;
      exposure[row] = 0;
    }
    for (let index = 0; index < list.count; index += 1) {
      const place = list.places[index] as number;
      const [shares, into] = [quantity[place] as number, rate[place] as number];
      const price = prices[place] as Float64Array;
      for (let row = from; row < end; row += 1) {
        const worth = shares * (price[row] as number) * into;
        value[row] = (value[row] as number) + worth;
        exposure[row] = (exposure[row] as number) + Math.abs(worth);
      }
    }
    if (list.count === 0) return end;
    for (let row = from; row < end; row += 1)
      exposure[row] = exposureOf(exposure[row] as number, value[row] as number);
    return end;
  }

  /** Values closes of series that close at different times; returns false if none is left. */
  #valueOneByOne(until: number): boolean {
    for (let place = 0; place < this.#series.length; place += 1) this.#findNextClose(place);
    let length = 0;
    for (; length < SINGLE_STEPS; length += 1) {
      const at = this.#moveToNextClose(until);
      if (at === NEVER) break;
      this.#computeRow(at, length);
    }
    this.#emit(this.#time, length);
    return length > 0;
  }

  /** Computes one row at the newest prices. */
  #computeRow(at: number, row: number): void {
    const [held, price] = [this.#portfolio, this.#lastClose];
    if (this.#nextSplitAt <= at) this.#rescale(at);
    if (held.nextChangeAt <= at) held.goTo(at);
    const { quantity, rate, list } = held;
    let equity = held.cash;
    let gross = 0;
    for (let index = 0; index < list.count; index += 1) {
      const place = list.places[index] as number;
      const worth = (quantity[place] as number) * (price[place] as number) * (rate[place] as number);
      equity += worth;
      gross += Math.abs(worth);
    }
    this.#time[row] = at;
    this.#value[row] = equity;
    this.#exposure[row] = exposureOf(gross, equity);
  }

  /** Converts prices from before a split to the new share basis, if no later bar has closed yet. */
  #rescale(at: number): void {
    for (let next = this.#splits[0]; next !== undefined && next.at <= at; next = this.#splits[0]) {
      const { place, barsFrom, ratio } = next;
      const { columns, base } = this.#seriesOf(place);
      const stamp = columns.time[(this.#nextRow[place] as number) - 1 - base];
      // A bar that is no longer loaded is from before the split.
      if (stamp === undefined || stamp < barsFrom)
        this.#lastClose[place] = (this.#lastClose[place] as number) / ratio;
      this.#splits.shift();
    }
    this.#nextSplitAt = this.#splits[0]?.at ?? NEVER;
  }

  #emit(time: Float64Array, count: number): void {
    if (count > 0) this.#valuedAt = time[count - 1] as number;
    this.#output.add(time, this.#value, this.#exposure, count);
  }

  /** Moves to the next bar close and returns its time; NEVER if there is none until then. */
  #moveToNextClose(until: number): number {
    const next = this.#nextCloseAt;
    let at: number = NEVER;
    for (let place = 0; place < next.length; place += 1)
      if ((next[place] as number) < at) at = next[place] as number;
    if (at > until || at === NEVER) return NEVER;
    for (let place = 0; place < next.length; place += 1) if (next[place] === at) this.#closeBar(place);
    return at;
  }

  #closeBar(place: number): void {
    const { columns, base } = this.#seriesOf(place);
    const row = this.#nextRow[place] as number;
    this.#lastClose[place] = columns.close[row - base] as number;
    this.#nextRow[place] = row + 1;
    this.#findNextClose(place);
  }

  #findNextClose(place: number): void {
    const { closes, base } = this.#seriesOf(place);
    this.#nextCloseAt[place] = closes[(this.#nextRow[place] as number) - base] ?? NEVER;
  }

  #seriesOf(place: number): BarSeries {
    return this.#series[place] as BarSeries;
  }
}

/** Returns the number of equal values in two columns, from a row of each. */
function equalCount(one: Float64Array, at: number, other: Float64Array, from: number, most: number): number {
  let count = 0;
  while (count < most && one[at + count] === other[from + count]) count += 1;
  return count;
}

/** Collects the batches of a curve in columns. */
export class CurveColumns implements CurveInput {
  #length = 0;
  #time: Float64Array;
  #value: Float64Array;
  #exposure: Float64Array;

  constructor(capacity: number) {
    this.#time = new Float64Array(capacity);
    this.#value = new Float64Array(capacity);
    this.#exposure = new Float64Array(capacity);
  }

  add(time: Float64Array, value: Float64Array, exposure: Float64Array, count: number): void {
    const row = this.#length;
    this.#length = row + count;
    if (this.#length > this.#time.length) this.#grow(Math.max(this.#length, this.#time.length * 2));
    this.#time.set(time.subarray(0, count), row);
    this.#value.set(value.subarray(0, count), row);
    this.#exposure.set(exposure.subarray(0, count), row);
  }

  curve(): EquityCurve {
    const cut = (column: Float64Array): Float64Array =>
      column.length === this.#length ? column : column.slice(0, this.#length);
    return { time: cut(this.#time), value: cut(this.#value), exposure: cut(this.#exposure) };
  }

  #grow(capacity: number): void {
    this.#time = longerColumn(this.#time, capacity);
    this.#value = longerColumn(this.#value, capacity);
    this.#exposure = longerColumn(this.#exposure, capacity);
  }
}
