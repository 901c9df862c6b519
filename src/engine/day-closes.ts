import { barClose } from '../markets/bar-span.ts';
import { dayOf } from '../markets/sessions.ts';
import type { Bar } from '../model/bar.ts';
import { marketOf } from '../model/symbol.ts';
import { type CalendarDay, type Millis, millis } from '../model/time.ts';

/** A close, and the stamp of its bar. */
export interface DayClose {
  readonly price: number;
  readonly time: Millis;
}

interface Close extends DayClose {
  readonly at: Millis;
  readonly day: CalendarDay;
}

/** The closes of one symbol that a day's profit counts from: the newest, and the last one of the days before it. */
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
    /** Newest close up to `at`, which is within the newest bar's day or after it; undefined where no bar reaches back that far. */
    before: (at: Millis): DayClose | undefined =>
      [newest, dayBefore].find((close) => close !== undefined && close.at <= at),
  };
}
