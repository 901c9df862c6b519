import type { BarColumns } from '../model/bar.ts';
import type { Millis } from '../model/time.ts';

/** The bars of one symbol in a run, for charts and comparisons. */
export interface PriceHistory {
  readonly columns: BarColumns;
  /** Index of the first counted bar; earlier bars are warm-up. */
  readonly firstBar: number;
  /** Returns when the bar at an index closes. */
  readonly closeAt: (index: number) => Millis;
  /** Returns the exchange rate to the account's currency at a time, as the run values it; NaN if it is not known. */
  readonly rateAt: (at: number) => number;
  /**
   * Returns how many shares one share of the first counted bar is at the bar at an index, after splits; one if
   * absent.
   */
  readonly sharesAt?: (index: number) => number;
  /**
   * Returns dividends per share paid from the close of the first counted bar to the close of the bar at an index;
   * none if absent.
   */
  readonly paidAt?: (index: number) => number;
  /** End of the security and payout per share; absent if it does not end within the run, or pays its last price. */
  readonly paidOut?: { readonly at: Millis; readonly price: number };
  /** Series of the strategies on these bars; absent if not known. */
  readonly indicators?: readonly IndicatorHistory[];
}

/** A series of a strategy at each bar of a history. */
export interface IndicatorHistory {
  readonly name: string;
  /** True for a price level; undefined for a custom indicator. */
  readonly isPrice: boolean | undefined;
  /** NaN while undefined. */
  readonly values: Float64Array;
}
