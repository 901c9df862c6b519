/** Parts that the hand-written loops share: signals, the equity curve, and the path of a bar. */
import type { BarColumns } from '../../src/model/bar.ts';
import { DAY_MS } from '../../src/model/time.ts';
import type { RunResult } from '../run-result.ts';
import { FillRows } from '../w1-loop.ts';
import { CASH } from './shape.ts';

export const FAST = 10;
export const SLOW = 30;

/** Averages of whole price steps that are not equal differ by more than this. */
export const TIE = 1e-6;

/** Crosses of two moving averages of the closes: 1 up, -1 down, 0 none. */
export class Crosses {
  readonly #close: Float64Array;
  #fastSum = 0;
  #slowSum = 0;
  #side = 0;

  constructor({ close }: BarColumns) {
    this.#close = close;
  }

  /** Fast average minus slow average after this bar; NaN until there are enough bars. */
  distance(bar: number): number {
    const close = this.#close;
    const last = close[bar] as number;
    this.#fastSum += last;
    this.#slowSum += last;
    if (bar >= FAST) this.#fastSum -= close[bar - FAST] as number;
    if (bar >= SLOW) this.#slowSum -= close[bar - SLOW] as number;
    return bar >= SLOW - 1 ? this.#fastSum / FAST - this.#slowSum / SLOW : Number.NaN;
  }

  at(bar: number): number {
    const distance = this.distance(bar);
    const side = distance > TIE ? 1 : distance < -TIE ? -1 : 0;
    if (side === 0 || side === this.#side) return 0;
    const crossed = this.#side === 0 ? 0 : side;
    this.#side = side;
    return crossed;
  }
}

/** Cash, the equity curve with its drawdown, and the fills of a loop. */
export class Account {
  cash = CASH;
  readonly fills = new FillRows();
  readonly #curve: Float64Array;
  #closes = 0;
  #equity = CASH;
  #peak = CASH;
  #maxDrawdown = 0;

  constructor(closes: number) {
    this.#curve = new Float64Array(closes);
  }

  get equity(): number {
    return this.#equity;
  }

  /** Books a fill: a positive quantity buys. */
  fill(time: number, price: number, quantity: number): void {
    this.cash -= price * quantity;
    this.fills.add(time, quantity > 0 ? 1 : 2, price, Math.abs(quantity));
  }

  /** Marks the account at a close. */
  mark(equity: number): void {
    this.#equity = equity;
    this.#curve[this.#closes] = equity;
    this.#closes += 1;
    if (equity > this.#peak) this.#peak = equity;
    else this.#maxDrawdown = Math.max(this.#maxDrawdown, 1 - equity / this.#peak);
  }

  result(): RunResult {
    return { fills: this.fills.length / 4, finalEquity: this.#equity, maxDrawdown: this.#maxDrawdown };
  }
}

/**
 * A bar is replayed as four ticks: open, nearer extreme, other extreme, close. True if the low comes first, also in a
 * tie.
 */
export function lowComesFirst(open: number, high: number, low: number): boolean {
  return Math.round((open - low) * 1e4) <= Math.round((high - open) * 1e4);
}

export function cents(amount: number): number {
  return Math.round(amount * 100 + 1e-7) / 100;
}

/** A figure with the day from which it applies, as rows of epoch days, newest first. */
export type Dated = readonly (readonly [from: number, figure: number])[];

/** The rows of a table by `YYYY-MM-DD`, newest first. */
export function dated(rows: Readonly<Record<string, number>>): Dated {
  return Object.entries(rows).map(([from, figure]) => [Date.parse(from) / DAY_MS, figure]);
}

/** The figure in force at an instant: regular sessions of New York and Hong Kong lie within one day of UTC. */
export function inForce(rows: Dated, at: number): number {
  const day = Math.floor(at / DAY_MS);
  for (const [from, figure] of rows) if (from <= day) return figure;
  return 0;
}

/** True for the last bar before another trading day. */
export function isLastOfDay(time: Float64Array, bar: number): boolean {
  const next = time[bar + 1];
  return next !== undefined && Math.floor(next / DAY_MS) !== Math.floor((time[bar] as number) / DAY_MS);
}
