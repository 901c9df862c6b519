import { type CurveInput, exposureOf, HoldingCloses } from '../../events/curve/curve-input.ts';
import { NEVER } from '../../model/time.ts';
import type { BarWindow } from './bar-window.ts';
import type { AppliedAction } from './corporate-actions.ts';
import { type Booked, Holdings } from './holdings.ts';

/** What a curve reads of one security's bars: a stretch that moves forward as far as the curve was advanced. */
type Line = Pick<BarWindow, 'base' | 'closes' | 'end'> & {
  readonly columns: Pick<BarWindow['columns'], 'close'>;
};

/** What a walk is made of. */
export interface WalkParts {
  readonly windows: readonly Line[];
  /** Row of each security's first bar that counts. */
  readonly firstBars: readonly number[];
  readonly booked: Booked;
  readonly takes: CurveInput;
}

/** Closes that are marked at once: few enough to stay in the processor's nearest memory. */
const PIECE = 4_096;
/** Closes of lines that do not close together, before it is tried again whether they do. */
const APART = 256;

/** Marks closes in their order, with what was held at each, as far as bars and fills have come. */
export class CurveWalk {
  readonly #lines: readonly Line[];
  readonly #firstBars: readonly number[];
  readonly #takes: CurveInput;
  readonly #holdings: Holdings;
  /** Row of each line's next bar, when it closes, and the close of the one before (NaN before the first). */
  readonly #row: number[];
  readonly #next: Float64Array;
  readonly #price: Float64Array;
  readonly #time = new Float64Array(APART);
  readonly #value = new Float64Array(PIECE);
  readonly #exposure = new Float64Array(PIECE);
  readonly #closes = new HoldingCloses();

  constructor({ windows, firstBars, booked, takes }: WalkParts) {
    this.#lines = windows;
    this.#firstBars = firstBars;
    this.#takes = takes;
    this.#holdings = new Holdings(windows.length, booked, (split) => this.#rescale(split));
    this.#row = windows.map((_, place) => firstBars[place] ?? 0);
    this.#next = new Float64Array(windows.length);
    this.#price = new Float64Array(windows.length).fill(Number.NaN);
  }

  /** Marks every close up to and at an instant. What is held until then has been noted, and lines have the bars. */
  goTo(until: number): void {
    this.#holdings.listen();
    for (let place = 0; place < this.#lines.length; place += 1) this.#findPrice(place);
    for (;;) {
      const count = this.#together(until);
      if (count > 0) this.#markTogether(count);
      else if (!this.#markApart(until)) return;
    }
  }

  /** Expresses the newest close of a security in the shares after a split, where that close was before it. */
  #rescale({ place, at, ratio = 1 }: AppliedAction): void {
    const { closes, base } = this.#line(place);
    const closed = closes[(this.#row[place] as number) - 1 - base] ?? Number.NEGATIVE_INFINITY;
    if (closed < at) this.#price[place] = (this.#price[place] as number) / ratio;
  }

  /** The close before the first bar that counts, where the line has it. */
  #findPrice(place: number): void {
    const { base, columns } = this.#line(place);
    const row = this.#row[place] as number;
    if (row !== this.#firstBars[place]) return;
    const price = columns.close[row - 1 - base];
    if (price !== undefined) this.#price[place] = price;
  }

  /** How many of the next closes are closes of all lines, one bar of each; as many as are marked at once at the most. */
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
    return (first.closes[at + count - 1] as number) <= until ? count : upTo(first.closes, at, count, until);
  }

  #markTogether(count: number): void {
    const prices = this.#lines.map(({ columns, base }, place) => {
      const row = (this.#row[place] as number) - base;
      return columns.close.subarray(row, row + count);
    });
    const { closes, base } = this.#line(0);
    const from = (this.#row[0] as number) - base;
    const time = closes.subarray(from, from + count);
    const [only] = prices;
    if (prices.length === 1 && only !== undefined) this.#markOne(time, only);
    else this.#markAll(time, prices);
    for (let place = 0; place < prices.length; place += 1) {
      this.#price[place] = (prices[place] as Float64Array)[count - 1] as number;
      this.#row[place] = (this.#row[place] as number) + count;
    }
  }

  /** Hands on closes of a single security, as many together as have the same held. */
  #markOne(time: Float64Array, close: Float64Array): void {
    const [holdings, closes, takes] = [this.#holdings, this.#closes, this.#takes];
    closes.time = time;
    closes.close = close;
    for (let row = 0; row < time.length; row = closes.end) {
      holdings.goTo(time[row] as number);
      closes.from = row;
      closes.end = firstFrom(time, row, holdings.until);
      closes.cash = holdings.cash;
      closes.quantity = holdings.quantity[0] as number;
      if (holdings.list.count === 0) takes.addCash(closes);
      else takes.addOne(closes);
    }
  }

  #markAll(time: Float64Array, prices: readonly Float64Array[]): void {
    for (let row = 0; row < time.length; ) {
      this.#holdings.goTo(time[row] as number);
      row = this.#markUntil(row, time, prices);
    }
    this.#takes.add(time, this.#value, this.#exposure, time.length);
  }

  /** Marks rows until what is held changes; returns the first behind them. */
  #markUntil(from: number, time: Float64Array, prices: readonly Float64Array[]): number {
    const [value, exposure] = [this.#value, this.#exposure];
    const { cash, until, quantity, list } = this.#holdings;
    const { places, count } = list;
    let row = from;
    for (; row < time.length && (time[row] as number) < until; row += 1) {
      let equity = cash;
      let gross = 0;
      for (let index = 0; index < count; index += 1) {
        const place = places[index] as number;
        const worth = (quantity[place] as number) * ((prices[place] as Float64Array)[row] as number);
        equity += worth;
        gross += Math.abs(worth);
      }
      value[row] = equity;
      exposure[row] = exposureOf(gross, equity);
    }
    return row;
  }

  /** Marks some closes of lines that do not close together; false when none is left. */
  #markApart(until: number): boolean {
    const [value, exposure, price] = [this.#value, this.#exposure, this.#price];
    for (let place = 0; place < this.#lines.length; place += 1) this.#lookAhead(place);
    let length = 0;
    for (; length < APART; length += 1) {
      const at = this.#step(until);
      if (at === NEVER) break;
      const holdings = this.#holdings;
      if (holdings.until <= at) holdings.goTo(at);
      const { quantity, list } = holdings;
      let equity = holdings.cash;
      let gross = 0;
      for (let index = 0; index < list.count; index += 1) {
        const place = list.places[index] as number;
        const worth = (quantity[place] as number) * (price[place] as number);
        equity += worth;
        gross += Math.abs(worth);
      }
      this.#time[length] = at;
      value[length] = equity;
      exposure[length] = exposureOf(gross, equity);
    }
    this.#takes.add(this.#time, value, exposure, length);
    return length > 0;
  }

  /** Goes to the next instant at which a bar closes, and returns it; NEVER when none does until then. */
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

/** How many figures are the same in both, from a place in each on. */
function alike(one: Float64Array, at: number, other: Float64Array, from: number, most: number): number {
  let count = 0;
  while (count < most && one[at + count] === other[from + count]) count += 1;
  return count;
}

/**
 * The first row behind one whose time is not before `until`. Bars mostly follow each other at one distance, which gives the row; where it
 * does not, those between are looked at.
 */
function firstFrom(time: Float64Array, from: number, until: number): number {
  const { length } = time;
  const first = time[from] as number;
  const step = (time[from + 1] as number) - first;
  const guess = from + Math.max(1, Math.ceil((until - first) / step));
  if (guess < length && (time[guess - 1] as number) < until && (time[guess] as number) >= until) return guess;
  let row = from + 1;
  while (row < length && (time[row] as number) < until) row += 1;
  return row;
}

/** How many of `count` ascending figures are not above a limit. */
function upTo(figures: Float64Array, from: number, count: number, limit: number): number {
  let [low, high] = [from, from + count];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((figures[middle] as number) <= limit) low = middle + 1;
    else high = middle;
  }
  return low - from;
}
