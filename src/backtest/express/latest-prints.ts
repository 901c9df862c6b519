import { tradingTime } from '../../execution/gate/trading-time.ts';
import type { Market } from '../../model/symbol.ts';
import { HOUR_MS, type Millis } from '../../model/time.ts';
import { barOf, type PrintIndex } from '../../simulation/market/tape.ts';
import { bailOut } from './bail-out.ts';
import type { SymbolCursor } from './symbol-cursor.ts';

/** Ages of quotes are counted up to here; no limit allows more. */
const AGE_MAX_MS = 2 * HOUR_MS;

/** The latest print of each symbol while prints of an instant happen, which they do in the order of symbols. */
export class LatestPrints {
  readonly #cursorNow: (place: number) => SymbolCursor;
  readonly #market: Market;
  /** Place of the symbol that printed last at this very instant; -1 before the first. */
  #printed = -1;
  /** The last symbol that was asked about, and its latest print; -1 where that may have changed since. */
  #place = -1;
  #print: PrintIndex = -1;
  /** First row of the stretch of bars that it is counted from. */
  #base = -1;

  /** `cursorNow` returns the cursor of a place at the current time. */
  constructor(cursorNow: (place: number) => SymbolCursor, market: Market) {
    this.#cursorNow = cursorNow;
    this.#market = market;
  }

  /** Begins another instant. */
  reset(): void {
    this.#printed = -1;
    this.#place = -1;
  }

  /** The print of a symbol at this instant has happened, and with it those of all symbols before it. */
  note(place: number): void {
    if (place <= this.#printed) return;
    this.#printed = place;
    this.#place = -1;
  }

  /** The latest print, counted from the first bar of its cursor's stretch; -1 before the first. */
  of(place: number): PrintIndex {
    const cursor = this.#cursorNow(place);
    if (place !== this.#place || cursor.base !== this.#base) {
      this.#print = cursor.latestPrint(place <= this.#printed);
      this.#place = place;
      this.#base = cursor.base;
    }
    return this.#print;
  }

  /** Its price; leaves where there is none in the shares of now. */
  price(place: number): number {
    const cursor = this.#cursorNow(place);
    const print = this.of(place);
    if (print < 0) bailOut('no price');
    if (cursor.isSplitSince(print)) bailOut('a split whose first price is yet to come');
    return cursor.tape.price(print);
  }

  /** Trading time since the bar of the latest print closed, by when its successor was due. */
  ageMs(place: number): number {
    const { closes, now } = this.#cursorNow(place);
    const span = { from: closes[barOf(this.of(place))] as Millis, to: now as Millis };
    return tradingTime(this.#market, span, 'rth-only', AGE_MAX_MS);
  }
}
