import type { BarColumns } from '../model/bar.ts';
import type { Millis } from '../model/time.ts';

/** The bars of one symbol that a run saw, for a report to draw and to hold against. */
export interface PriceHistory {
  readonly columns: BarColumns;
  /** Index of the first bar that counts; those before it only warmed up. */
  readonly firstBar: number;
  /** When the bar at an index closes. */
  readonly closeAt: (index: number) => Millis;
  /** What one unit of the security's currency is worth in the account's at an instant, as the run values it; NaN when no rate is known. */
  readonly rateAt: (at: number) => number;
  /** How many shares one of the first bar that counts has become by the bar at an index; one when absent. */
  readonly sharesAt?: (index: number) => number;
  /** Dividends per share paid from the close of the first counted bar to the close of the bar at an index; none when absent. */
  readonly paidAt?: (index: number) => number;
  /** When the security ends, and what a share is paid out with; absent where it does not within the run, or at its last price. */
  readonly paidOut?: { readonly at: Millis; readonly price: number };
  /** What the strategies computed of these bars; absent where it is not known. */
  readonly indicators?: readonly IndicatorHistory[];
}

/** A series of a strategy at each bar of a history. */
export interface IndicatorHistory {
  readonly name: string;
  /** Whether it is a level of the price; undefined where an author's own indicator does not tell. */
  readonly isPrice: boolean | undefined;
  /** NaN while undefined. */
  readonly values: Float64Array;
}
