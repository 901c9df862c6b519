import { type CurveInput, type EquityCurve, exposureOf } from '../events/curve/curve-input.ts';
import { firstFrom } from '../events/curve/daily-equity.ts';
import { longerColumn } from '../events/curve/longer-column.ts';
import type { BarColumns } from '../model/bar.ts';
import { NEVER } from '../model/time.ts';
import type { SplitAdjustment } from '../signals/split-adjustment.ts';
import type { PlaceList } from './place-list.ts';

/** The loaded bars of one security; the window moves forward as the curve advances. */
interface Line {
  /** Row of the first loaded bar, and the close time of each. */
  readonly base: number;
  readonly closes: Float64Array;
  readonly columns: Pick<BarColumns, 'time' | 'close'>;
}

/** Cash and positions over time; moves forward from one change to the next. */
export interface HeldOverTime {
  /** In the account's currency. */
  readonly cash: number;
  /** Indices of the open positions in the order of summation, and the quantity and exchange rate of each security. */
  readonly list: Pick<PlaceList, 'places' | 'count'>;
  readonly quantity: Float64Array;
  readonly rate: Float64Array;
  /** Time of the next change; closes from then on are valued after it. */
  readonly until: number;
  goTo(now: number): void;
  /** Updates `until` after new changes were recorded. */
  updateUntil(): void;
}

interface WalkParts {
  readonly lines: readonly Line[];
  /** Row of each security's first bar in the run. */
  readonly firstBars: readonly number[];
  /** Splits of each security; earlier closes are converted to the new share basis. */
  readonly changes: readonly (readonly SplitAdjustment[])[];
  readonly held: HeldOverTime;
  readonly takes: CurveInput;
}

/** Closes per batch, small enough for the processor's L1 cache. */
const PIECE = 4_096;
/** Closes to process one by one, if lines close at different times, before the next attempt at a batch. */
const APART = 256;

/** Values the account at every close in time order, as far as bars and fills are known. */
export class CurveWalk {
  readonly #lines: readonly Line[];
  readonly #firstBars: readonly number[];
  readonly #takes: CurveInput;
  readonly #held: HeldOverTime;
  /** Row and close time of each line's next bar, and the previous close (NaN before the first). */
  readonly #row: number[];
  readonly #next: Float64Array;
  readonly #price: Float64Array;
  readonly #time = new Float64Array(APART);
  readonly #value = new Float64Array(PIECE);
  readonly #exposure = new Float64Array(PIECE);
  /** Future splits, and the time of the first. */
  readonly #changes: (SplitAdjustment & { readonly place: number })[];
  #changeAt: number = NEVER;
  /** Time of the newest valuation. */
  #marked = Number.NaN;

  constructor({ lines, firstBars, changes, held, takes }: WalkParts) {
    this.#lines = lines;
    this.#firstBars = firstBars;
    this.#takes = takes;
    this.#held = held;
    this.#row = lines.map((_, place) => firstBars[place] ?? 0);
    this.#next = new Float64Array(lines.length);
    this.#price = new Float64Array(lines.length).fill(Number.NaN);
    this.#changes = changes
      .flatMap((list, place) => list.map((change) => ({ ...change, place })))
      .sort((one, other) => one.at - other.at);
    this.#changeAt = this.#changes[0]?.at ?? NEVER;
  }

  /**
   * Values the account at every close up to and including `until`. All changes until then must be recorded, and the
   * bars loaded.
   */
  goTo(until: number): void {
    this.#held.updateUntil();
    for (let place = 0; place < this.#lines.length; place += 1) this.#findPrice(place);
    for (;;) {
      const count = this.#lines.length === 0 ? 0 : this.#together(Math.min(until, this.#changeAt - 1));
      if (count > 0) this.#markTogether(count);
      else if (!this.#markApart(until)) return;
    }
  }

  /** Values the account at a time to which the walk has advanced, unless a close at that time was already valued. */
  mark(at: number): void {
    if (this.#marked === at) return;
    this.#markNow(at, 0);
    this.#hand(this.#time, 1);
  }

  /** Initializes the price with the close before the first bar of the run, if loaded. */
  #findPrice(place: number): void {
    const { base, columns } = this.#line(place);
    const row = this.#row[place] as number;
    if (row !== this.#firstBars[place] || !Number.isNaN(this.#price[place])) return;
    const price = columns.close[row - 1 - base];
    if (price !== undefined) this.#price[place] = price;
  }

  /** Returns how many of the next closes are common to all lines, at most one batch. */
  #together(until: number): number {
    const first = this.#line(0);
    const at = (this.#row[0] as number) - first.base;
    let count = Math.min(PIECE, first.closes.length - at);
    for (let place = 1; place < this.#lines.length && count > 0; place += 1) {
      const { closes, base } = this.#line(place);
      const row = (this.#row[place] as number) - base;
      count = alike(first.closes, at, closes, row, Math.min(count, closes.length - row));
    }
    if (count <= 0) return 0;
    return (first.closes[at + count - 1] as number) <= until
      ? count
      : firstFrom(first.closes, at, at + count, until + 1) - at;
  }

  #markTogether(count: number): void {
    const prices = this.#lines.map(({ columns, base }, place) => {
      const row = (this.#row[place] as number) - base;
      return columns.close.subarray(row, row + count);
    });
    const { closes, base } = this.#line(0);
    const from = (this.#row[0] as number) - base;
    const time = closes.subarray(from, from + count);
    for (let row = 0; row < count; ) {
      this.#held.goTo(time[row] as number);
      row = this.#markUntil(row, time, prices);
    }
    this.#hand(time, count);
    for (let place = 0; place < prices.length; place += 1) {
      this.#price[place] = (prices[place] as Float64Array)[count - 1] as number;
      this.#row[place] = (this.#row[place] as number) + count;
    }
  }

  /** Values rows until the next position change, one security after the other; returns the row after them. */
  #markUntil(from: number, time: Float64Array, prices: readonly Float64Array[]): number {
    const [value, exposure] = [this.#value, this.#exposure];
    const { cash, until, quantity, rate, list } = this.#held;
    const end = firstFrom(time, from, time.length, until);
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

  /** Values closes of lines that close at different times; returns false if none is left. */
  #markApart(until: number): boolean {
    for (let place = 0; place < this.#lines.length; place += 1) this.#lookAhead(place);
    let length = 0;
    for (; length < APART; length += 1) {
      const at = this.#step(until);
      if (at === NEVER) break;
      this.#markNow(at, length);
    }
    this.#hand(this.#time, length);
    return length > 0;
  }

  /** Computes one row at the newest prices. */
  #markNow(at: number, row: number): void {
    const [held, price] = [this.#held, this.#price];
    if (this.#changeAt <= at) this.#rescale(at);
    if (held.until <= at) held.goTo(at);
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
    for (let next = this.#changes[0]; next !== undefined && next.at <= at; next = this.#changes[0]) {
      const { place, barsFrom, ratio } = next;
      const { columns, base } = this.#line(place);
      const stamp = columns.time[(this.#row[place] as number) - 1 - base];
      // A bar that is no longer loaded is from before the split.
      if (stamp === undefined || stamp < barsFrom)
        this.#price[place] = (this.#price[place] as number) / ratio;
      this.#changes.shift();
    }
    this.#changeAt = this.#changes[0]?.at ?? NEVER;
  }

  #hand(time: Float64Array, count: number): void {
    if (count > 0) this.#marked = time[count - 1] as number;
    this.#takes.add(time, this.#value, this.#exposure, count);
  }

  /** Moves to the next bar close and returns its time; NEVER if there is none until then. */
  #step(until: number): number {
    const next = this.#next;
    let at: number = NEVER;
    for (let place = 0; place < next.length; place += 1)
      if ((next[place] as number) < at) at = next[place] as number;
    if (at > until || at === NEVER) return NEVER;
    for (let place = 0; place < next.length; place += 1) if (next[place] === at) this.#take(place);
    return at;
  }

  #take(place: number): void {
    const { columns, base } = this.#line(place);
    const row = this.#row[place] as number;
    this.#price[place] = columns.close[row - base] as number;
    this.#row[place] = row + 1;
    this.#lookAhead(place);
  }

  #lookAhead(place: number): void {
    const { closes, base } = this.#line(place);
    this.#next[place] = closes[(this.#row[place] as number) - base] ?? NEVER;
  }

  #line(place: number): Line {
    return this.#lines[place] as Line;
  }
}

/** Returns the number of equal values in two columns, from a row of each. */
function alike(one: Float64Array, at: number, other: Float64Array, from: number, most: number): number {
  let count = 0;
  while (count < most && one[at + count] === other[from + count]) count += 1;
  return count;
}

/** Collects the batches of a curve in columns. */
export class WholeCurve implements CurveInput {
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
