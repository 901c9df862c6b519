import { barClose } from '../markets/bar-span.ts';
import { dayOf } from '../markets/sessions.ts';
import type { Bar } from '../model/bar.ts';
import { marketOf } from '../model/symbol.ts';
import { type CalendarDay, type Millis, millis } from '../model/time.ts';
import { type SplitAdjustment, sharesSince } from '../signals/split-adjustment.ts';

/** A close, and the timestamp of its bar. */
interface DayClose {
  readonly price: number;
  readonly time: Millis;
}

interface Close extends DayClose {
  readonly at: Millis;
  readonly day: CalendarDay;
}

/** The closes of one symbol for a day's profit: the newest, and the last one of the previous days. */
export function createDayCloses() {
  let newest: Close | undefined;
  let dayBefore: Close | undefined;
  return {
    add(bar: Bar): void {
      const market = marketOf(bar.symbol);
      const at = barClose(market, bar.period, bar.time);
      // A bar that closes at midnight is the last of its day, not the first of the next.
      const day = dayOf(market, millis(at - 1));
      if (newest !== undefined && newest.day !== day) dayBefore = newest;
      newest = { at, price: bar.close, time: bar.time, day };
    },
    /**
     * Newest close up to `at`, which is within the newest bar's day or later; undefined if no bar reaches back that
     * far.
     */
    before: (at: Millis): DayClose | undefined =>
      [newest, dayBefore].find((close) => close !== undefined && close.at <= at),
  };
}

/** The closes of one symbol, bar by bar, in current shares. */
export interface SymbolCloses {
  /** Adds the next closed bar. */
  add(bar: Bar): void;
  /** Close of the newest bar; NaN before the first. */
  last(): number;
  /** Newest close up to a time of the newest bar's day or later; NaN before the first. */
  before(at: Millis): number;
  /** The newest bars, ascending, as they closed: in the shares of their time. */
  recent(): readonly Bar[];
}

/** Number of bars that are kept for display; the list is cut to it when it has twice as many. */
const RECENT_BARS = 150;

/** Splits of a symbol, and the current time. */
interface ShareHistory {
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
