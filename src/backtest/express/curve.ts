import {
  type CurveInput,
  type EquityCurve,
  exposureOf,
  type HoldingCloses,
} from '../../events/curve/curve-input.ts';
import type { BarRows } from '../../model/bar-rows.ts';
import { NEVER } from '../../model/time.ts';
import { BarWindow } from './bar-window.ts';
import { CurveWalk } from './curve-walk.ts';
import type { Booked } from './holdings.ts';

/**
 * Equity after each instant at which bars closed, over the bars from `firstBars` on: to the last bit what
 * `equityOverColumns` makes of the same holdings, as it adds in the same order. Bars are gone through once more for it.
 */
export function equityOfHoldings(
  rows: readonly BarRows[],
  firstBars: readonly number[],
  booked: Booked,
): EquityCurve {
  const windows = rows.map((each) => new BarWindow(each));
  const most = rows.reduce((sum, { length }, place) => sum + length - (firstBars[place] ?? 0), 0);
  const made = new WholeCurve(rows.length === 1 ? most : 0);
  const walk = new CurveWalk({ windows, firstBars, booked, takes: made });
  for (;;) {
    const until = windows.reduce<number>((least, window) => Math.min(least, lastClose(window)), NEVER);
    walk.goTo(until);
    if (until === NEVER) return made.curve();
    for (const window of windows) if (lastClose(window) === until) window.advance(window.end);
  }
}

function lastClose({ closes, isLast }: BarWindow): number {
  return isLast ? NEVER : (closes[closes.length - 1] as number);
}

/** Columns of a curve that comes piece by piece. */
class WholeCurve implements CurveInput {
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
    const row = this.#takeTimes(time.subarray(0, count));
    this.#value.set(value.subarray(0, count), row);
    this.#exposure.set(exposure.subarray(0, count), row);
  }

  addCash({ time, from, end, cash }: HoldingCloses): void {
    const row = this.#takeTimes(time.subarray(from, end));
    this.#value.fill(cash, row, this.#length);
    this.#exposure.fill(0, row, this.#length);
  }

  addOne({ time, from, end, cash, quantity, close }: HoldingCloses): void {
    const shift = this.#takeTimes(time.subarray(from, end)) - from;
    for (let row = from; row < end; row += 1) {
      const worth = quantity * (close[row] as number);
      this.#value[shift + row] = cash + worth;
      this.#exposure[shift + row] = exposureOf(Math.abs(worth), cash + worth);
    }
  }

  /** Reserves capacity for rows, and returns the first of them. */
  #takeTimes(time: Float64Array): number {
    const row = this.#length;
    this.#length = row + time.length;
    if (this.#length > this.#time.length) this.#grow(this.#length);
    this.#time.set(time, row);
    return row;
  }

  curve(): EquityCurve {
    const cut = (column: Float64Array): Float64Array =>
      column.length === this.#length ? column : column.slice(0, this.#length);
    return { time: cut(this.#time), value: cut(this.#value), exposure: cut(this.#exposure) };
  }

  #grow(least: number): void {
    const capacity = Math.max(least, this.#time.length * 2);
    const grown = (column: Float64Array): Float64Array => {
      const next = new Float64Array(capacity);
      next.set(column);
      return next;
    };
    this.#time = grown(this.#time);
    this.#value = grown(this.#value);
    this.#exposure = grown(this.#exposure);
  }
}
