import type { Period } from '../model/period.ts';
import type { Series } from './series.ts';

/** The bars of one symbol as input of a strategy's `signals`: the columns, and common prices derived from them. */
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
  /** The exchange's trading day as a day number, for indicators that restart with each session. */
  readonly session: Series;
  /**
   * Builds series on longer bars: on minutes, `bars.every('1h', (hour) => sma(hour.close, 20))`. The value at each
   * bar is that of the newest longer bar that is complete at its close, so no bar sees the end of its hour or
   * day. Throws RangeError for a period that these bars do not divide.
   */
  every<M extends Made>(period: Period, make: (bars: BarSeries) => M): M;
}

/** Properties of a feed that are needed to build longer bars. */
export interface Feed {
  readonly period: Period;
  /**
   * Lengths of the regular sessions of a full trading day, in milliseconds; with several symbols, of the longest day.
   */
  readonly dayPieces: readonly number[];
  /** Lengths of the other sessions of that day that have bars; none if absent. */
  readonly otherPieces?: readonly number[];
}

/** Series on longer bars, one or several by name. */
export type Made = Series | Readonly<Record<string, Series>>;
