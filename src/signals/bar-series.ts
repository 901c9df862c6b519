import type { Period } from '../model/period.ts';
import type { Series } from './series.ts';

/** The bars of one symbol as a strategy's `signals` gets them: the columns, and common prices derived from them. */
export interface BarSeries {
  readonly open: Series;
  readonly high: Series;
  readonly low: Series;
  readonly close: Series;
  readonly volume: Series;
  /** (high + low + close) / 3. */
  readonly typical: Series;
  /** (high + low) / 2. */
  readonly median: Series;
  /** (high + low + 2 close) / 4. */
  readonly weighted: Series;
  /** (open + high + low + close) / 4. */
  readonly average: Series;
  /** The exchange's trading day as a day number; indicators that restart with the session read it. */
  readonly session: Series;
  /**
   * Builds series on longer bars built from these: `bars.every('1h', (hour) => sma(hour.close, 20))` on minutes. The value at each bar
   * is that of the newest longer bar that was complete at its close, so no bar knows how its hour, or its day, ends.
   * Throws RangeError for a period that these bars do not add up to.
   */
  every<M extends Made>(period: Period, make: (bars: BarSeries) => M): M;
}

/** What must be known of a feed before longer bars can be built from it. */
export interface Feed {
  readonly period: Period;
  /** Lengths of the regular pieces of a full trading day, in milliseconds; several symbols: the longest day. */
  readonly dayPieces: readonly number[];
  /** Those of the other sessions of that day that have bars; none when absent. */
  readonly otherPieces?: readonly number[];
}

/** Series on longer bars, one or several by name. */
export type Made = Series | Readonly<Record<string, Series>>;
