import { tradingTime } from '../../execution/gate/trading-time.ts';
import type { Market } from '../../model/symbol.ts';
import { HOUR_MS, type Millis } from '../../model/time.ts';
import { barOf, type PrintIndex } from '../../simulation/market/tape.ts';
import { bailOut } from './bail-out.ts';
import type { SymbolCursor } from './symbol-cursor.ts';

/** Limit for computed quote ages, above every configurable limit. */
const AGE_MAX_MS = 2 * HOUR_MS;

/** The latest print of each symbol while prints of one time are processed, which happens in the order of symbols. */
export class LatestPrints {
  readonly #cursorNow: (place: number) => SymbolCursor;
  readonly #market: Market;
  /** Index of the last symbol that printed at the current time; -1 before the first. */
  #printed = -1;
  /** Cache: the last requested symbol and its latest print; -1 if outdated. */
  #place = -1;
  #print: PrintIndex = -1;
  /** First row of the window for the cached print. */
  #base = -1;

  /** `cursorNow` returns the cursor of a security at the current time. */
  constructor(cursorNow: (place: number) => SymbolCursor, market: Market) {
    this.#cursorNow = cursorNow;
    this.#market = market;
  }

  /** Begins another time. */
  reset(): void {
    this.#printed = -1;
    this.#place = -1;
  }

  /** Records the print of a symbol at the current time, and with it those of all symbols before it. */
  record(place: number): void {
    if (place <= this.#printed) return;
    this.#printed = place;
    this.#place = -1;
  }

  /** Returns the latest print, counted from the first bar in the cursor's window; -1 before the first. */
  of(place: number): PrintIndex {
    const cursor = this.#cursorNow(place);
    if (place !== this.#place || cursor.base !== this.#base) {
      this.#print = cursor.latestPrint(place <= this.#printed);
      this.#place = place;
      this.#base = cursor.base;
    }
    return this.#print;
  }

  /** Returns its price; bails out if there is none on the current share basis. */
  price(place: number): number {
    const cursor = this.#cursorNow(place);
    const print = this.of(place);
    if (print < 0) bailOut('no price');
    if (cursor.isSplitSince(print)) bailOut('no print since a split');
    return cursor.tape.price(print);
  }

  /** Returns the trading time since the close of the latest print's bar, when its successor was due. */
  ageMs(place: number): number {
    const { closes, now } = this.#cursorNow(place);
    const span = { from: closes[barOf(this.of(place))] as Millis, to: now as Millis };
    return tradingTime(this.#market, span, 'rth-only', AGE_MAX_MS);
  }
}
