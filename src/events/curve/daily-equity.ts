import { sessionDay } from '../../markets/trading-sessions.ts';
import type { Market } from '../../model/symbol.ts';
import { addDays, type CalendarDay, dayToUtc, millis, utcDay } from '../../model/time.ts';

/** The last equity of each trading day with a close, and its time; ascending. */
export interface DailyEquity {
  readonly day: readonly CalendarDay[];
  readonly time: readonly number[];
  readonly value: readonly number[];
}

/**
 * Reduces closes to the last of each trading day. A post-market close in New York after midnight UTC belongs to the
 * day that it ends, an evening close to the following trading day.
 */
export class DailyCloses {
  readonly #markets: readonly Market[];
  readonly #day: CalendarDay[] = [];
  readonly #time: number[] = [];
  readonly #value: number[] = [];
  /** The latest day, and the time at which it ends. */
  #currentDay: CalendarDay | undefined;
  #dayEndsAt = Number.NEGATIVE_INFINITY;
  /** The newest close, and the equity at it; NaN before the first. */
  last = Number.NaN;
  lastValue = Number.NaN;

  /** With several markets, a time belongs to the earliest of their days; without markets, to its UTC day. */
  constructor(markets: readonly Market[]) {
    this.#markets = [...new Set(markets)];
  }

  /** Takes the first `count` rows of the columns. */
  add(time: Float64Array, value: Float64Array, count: number): void {
    for (let row = 0; row < count; ) {
      const at = time[row] as number;
      if (at >= this.#dayEndsAt) this.#beginDay(at);
      row = firstFrom(time, row + 1, count, this.#dayEndsAt);
      this.last = time[row - 1] as number;
      this.lastValue = value[row - 1] as number;
    }
  }

  finish(): DailyEquity {
    const [day, time, value] = [[...this.#day], [...this.#time], [...this.#value]];
    if (this.#currentDay === undefined) return { day, time, value };
    return { day: [...day, this.#currentDay], time: [...time, this.last], value: [...value, this.lastValue] };
  }

  /** Begins the day of a close, or continues the latest day if the close belongs to it. */
  #beginDay(at: number): void {
    const { day, end } = dayOfClose(this.#markets, at);
    if (this.#currentDay !== undefined && day !== this.#currentDay) {
      this.#day.push(this.#currentDay);
      this.#time.push(this.last);
      this.#value.push(this.lastValue);
    }
    this.#currentDay = day;
    this.#dayEndsAt = end + 1;
  }
}

/**
 * Returns the day of a close, and a time up to which that day lasts. A close at midnight belongs to the day before.
 */
function dayOfClose(
  markets: readonly Market[],
  close: number,
): { readonly day: CalendarDay; readonly end: number } {
  const last = millis(close - 1);
  if (markets.length === 0) {
    const day = utcDay(last);
    return { day, end: dayToUtc(addDays(day, 1)) };
  }
  const days = markets.map((market) => sessionDay(market, last));
  const day = days.map(({ date }) => date).toSorted()[0] ?? utcDay(last);
  return { day, end: Math.min(...days.map((each) => each.close)) };
}

/**
 * Returns the first row from `begin` to `end` whose time is not before `at`: exponential search, then binary search.
 */
export function firstFrom(time: Float64Array, begin: number, end: number, at: number): number {
  let [low, stride] = [begin, 1];
  while (low + stride < end && (time[low + stride] as number) < at) {
    low += stride;
    stride *= 2;
  }
  let high = Math.min(low + stride, end);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((time[middle] as number) < at) low = middle + 1;
    else high = middle;
  }
  return low;
}
