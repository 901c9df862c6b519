import type { EquityCurve } from '../../events/run-record.ts';
import { NEVER } from '../../model/time.ts';
import type { HeldRows } from './held-log.ts';
import type { Lane } from './lane.ts';
import { PlaceList } from './place-list.ts';

/** What a curve reads of one security's bars. */
type Line = Pick<Lane, 'closes'> & { readonly columns: Pick<Lane['columns'], 'close' | 'length'> };

/**
 * Equity after each instant at which bars closed, over the bars from `firstBars` on: to the last bit what
 * `equityOverColumns` makes of the same holdings, as it adds in the same order.
 */
export function equityOfHoldings(
  lines: readonly Line[],
  firstBars: readonly number[],
  held: HeldRows,
): EquityCurve {
  const [only] = lines;
  const first = firstBars[0] ?? 0;
  return lines.length === 1 && only !== undefined
    ? equityOfOne(only, first, held)
    : equityOfMany(lines, firstBars, held);
}

/** Of a single security each stretch between two changes is one loop, which is compiled once for all runs. */
function equityOfOne({ columns, closes }: Line, first: number, held: HeldRows): EquityCurve {
  const time = closes.subarray(first);
  const close = columns.close.subarray(first);
  const curve = { time, value: new Float64Array(time.length), exposure: new Float64Array(time.length) };
  let row = 0;
  for (let change = 0; change < held.length; change += 1) {
    const until = change + 1 < held.length ? (held.from[change + 1] as number) : NEVER;
    const cash = held.cash[change] as number;
    const quantity = held.quantity[change] as number;
    row = quantity === 0 ? markCash(curve, row, until, cash) : mark(curve, row, until, cash, quantity, close);
  }
  return curve;
}

/** Marks rows up to an instant; returns the first behind it. */
function markCash({ time, value }: EquityCurve, from: number, until: number, cash: number): number {
  let row = from;
  for (; row < time.length && (time[row] as number) < until; row += 1) value[row] = cash;
  return row;
}

function mark(
  { time, value, exposure }: EquityCurve,
  from: number,
  until: number,
  cash: number,
  quantity: number,
  close: Float64Array,
): number {
  let row = from;
  for (; row < time.length && (time[row] as number) < until; row += 1) {
    const worth = quantity * (close[row] as number);
    const equity = cash + worth;
    value[row] = equity;
    exposure[row] = equity > 0 ? Math.abs(worth) / equity : 0;
  }
  return row;
}

function equityOfMany(lines: readonly Line[], firstBars: readonly number[], held: HeldRows): EquityCurve {
  const closes = lines.map((line, place) => line.closes.subarray(firstBars[place]));
  const [time] = closes;
  const prices = lines.map(({ columns }, place) => columns.close.subarray(firstBars[place]));
  return time !== undefined && closes.every((other) => areEqual(time, other))
    ? equityInStep(time, prices, held)
    : equityOutOfStep(lines, firstBars, held);
}

function areEqual(one: Float64Array, other: Float64Array): boolean {
  if (one.length !== other.length) return false;
  for (let row = 0; row < one.length; row += 1) if (one[row] !== other[row]) return false;
  return true;
}

/** Bars of all lines close together, so that a row of the curve is a row of each: nothing is looked for. */
function equityInStep(time: Float64Array, prices: readonly Float64Array[], held: HeldRows): EquityCurve {
  const curve = { time, value: new Float64Array(time.length), exposure: new Float64Array(time.length) };
  const holdings = new Holdings(prices.length, held);
  for (let row = 0; row < time.length; ) {
    holdings.goTo(time[row] as number);
    row = markTogether(curve, row, holdings, prices);
  }
  return curve;
}

/** Marks rows until what is held changes; returns the first behind them. */
function markTogether(
  { time, value, exposure }: EquityCurve,
  from: number,
  { cash, quantity, until, list }: Holdings,
  prices: readonly Float64Array[],
): number {
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
    exposure[row] = equity > 0 ? gross / equity : 0;
  }
  return row;
}

function equityOutOfStep(lines: readonly Line[], firstBars: readonly number[], held: HeldRows): EquityCurve {
  const cursors = new Cursors(lines, firstBars);
  const { price } = cursors;
  const size = cursors.left;
  const [time, value, exposure] = [new Float64Array(size), new Float64Array(size), new Float64Array(size)];
  const holdings = new Holdings(lines.length, held);
  const { quantity, list } = holdings;
  const { places } = list;
  let length = 0;
  for (let at = cursors.step(); at !== NEVER; at = cursors.step()) {
    if (holdings.until <= at) holdings.goTo(at);
    const { count } = list;
    let equity = holdings.cash;
    let gross = 0;
    for (let index = 0; index < count; index += 1) {
      const place = places[index] as number;
      const worth = (quantity[place] as number) * (price[place] as number);
      equity += worth;
      gross += Math.abs(worth);
    }
    time[length] = at;
    value[length] = equity;
    exposure[length] = equity > 0 ? gross / equity : 0;
    length += 1;
  }
  if (length === size) return { time, value, exposure };
  return { time: time.slice(0, length), value: value.slice(0, length), exposure: exposure.slice(0, length) };
}

/** What is held at an instant, told anew from the notes of what changed. */
class Holdings {
  cash: number;
  readonly list: PlaceList;
  readonly quantity: Float64Array;
  /** When it changes next; NEVER after the last change. */
  until: number;
  readonly #held: HeldRows;
  #change = 0;

  constructor(lines: number, held: HeldRows) {
    this.cash = held.cash[0] as number;
    this.list = new PlaceList(lines);
    this.quantity = new Float64Array(lines);
    this.until = held.from[0] as number;
    this.#held = held;
  }

  goTo(at: number): void {
    const { from, cash, place, quantity, length } = this.#held;
    while (this.#change < length && (from[this.#change] as number) <= at) {
      this.cash = cash[this.#change] as number;
      this.#hold(place[this.#change] as number, quantity[this.#change] as number);
      this.#change += 1;
    }
    this.until = this.#change < length ? (from[this.#change] as number) : NEVER;
  }

  #hold(place: number, now: number): void {
    const before = this.quantity[place] as number;
    this.quantity[place] = now;
    if (before === 0 && now !== 0) this.list.add(place);
    else if (before !== 0 && now === 0) this.list.drop(place);
  }
}

/** How far each line has been gone through, from one instant at which bars close to the next. */
class Cursors {
  /** Bars ahead of all of them. */
  readonly left: number;
  /** Close of each line's newest bar; NaN before its first. */
  readonly price: Float64Array;
  readonly #lines: readonly Line[];
  /** Each line's next bar, and when it closes. */
  readonly #bar: Int32Array;
  readonly #next: Float64Array;

  constructor(lines: readonly Line[], firstBars: readonly number[]) {
    this.#lines = lines;
    this.#bar = Int32Array.from(lines, (_, place) => firstBars[place] ?? 0);
    this.#next = Float64Array.from(lines, ({ closes }, place) => closes[this.#bar[place] as number] ?? NEVER);
    this.price = Float64Array.from(lines, ({ columns }, place) => {
      return columns.close[(this.#bar[place] as number) - 1] ?? Number.NaN;
    });
    this.left = lines.reduce(
      (sum, { closes }, place) => sum + closes.length - (this.#bar[place] as number),
      0,
    );
  }

  /** Goes to the next instant, and returns it; NEVER behind the last. */
  step(): number {
    const next = this.#next;
    let at: number = NEVER;
    for (let place = 0; place < next.length; place += 1)
      if ((next[place] as number) < at) at = next[place] as number;
    if (at === NEVER) return NEVER;
    for (let place = 0; place < next.length; place += 1) if (next[place] === at) this.#take(place);
    return at;
  }

  #take(place: number): void {
    const { columns, closes } = this.#lines[place] as Line;
    const bar = this.#bar[place] as number;
    this.price[place] = columns.close[bar] as number;
    this.#bar[place] = bar + 1;
    this.#next[place] = bar + 1 < closes.length ? (closes[bar + 1] as number) : NEVER;
  }
}
