import type { Bar } from '../model/bar.ts';
import type { Millis } from '../model/time.ts';
import { type SplitAdjustment, sharesSince } from '../signals/split-adjustment.ts';
import { createDayCloses } from './day-closes.ts';

/** What one symbol closed at, bar by bar, in the shares of now. */
export interface SymbolCloses {
  /** Takes the next closed bar. */
  add(bar: Bar): void;
  /** Close of the newest bar; NaN before the first. */
  last(): number;
  /** Newest close up to an instant of the newest bar's day or later; NaN before the first. */
  before(at: Millis): number;
  /** The newest bars, ascending, as they closed: in the shares of their time. */
  recent(): readonly Bar[];
}

/** Bars that are kept for a person to look at; the list is cut to them when it has reached twice as many. */
const RECENT_BARS = 150;

/** When shares of a symbol change, and what time it is. */
export interface ShareHistory {
  /** Ascending; empty for a symbol without splits. */
  readonly changes: readonly SplitAdjustment[];
  readonly now: () => Millis;
}

/** Starts without a bar. */
export function createSymbolCloses({ changes, now }: ShareHistory): SymbolCloses {
  const closes = createDayCloses();
  const recent: Bar[] = [];
  let last: Bar | undefined;

  function inSharesOfNow(price: number, time: number): number {
    return changes.length === 0 ? price : price / sharesSince(changes, time, now());
  }

  return {
    add(bar) {
      last = bar;
      closes.add(bar);
      recent.push(bar);
      if (recent.length >= 2 * RECENT_BARS) recent.splice(0, recent.length - RECENT_BARS);
    },
    recent: () => recent,
    last: () => (last === undefined ? Number.NaN : inSharesOfNow(last.close, last.time)),
    before: (at) => {
      const close = closes.before(at);
      return close === undefined ? Number.NaN : inSharesOfNow(close.price, close.time);
    },
  };
}
