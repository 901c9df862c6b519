import type { Price, Quantity } from './decimal.ts';
import type { SecuritySymbol } from './symbol.ts';
import type { Millis } from './time.ts';

/** The part of the trading day of a quote or bar. */
export type TradeSession = 'regular' | 'pre' | 'post' | 'overnight';

/** Whether the security can trade; any status but `normal` prevents opening positions. */
export type TradeStatus = 'normal' | 'halted' | 'suspended' | 'delisted' | 'not-yet-open' | 'unrecognised';

/** A market-data update: the last price and the day's figures so far, as pushed (101) or pulled (11). */
export interface Quote {
  readonly symbol: SecuritySymbol;
  /** The venue's stamp, in whole seconds on the wire. */
  readonly time: Millis;
  readonly last: Price;
  readonly dayOpen: Price;
  readonly dayHigh: Price;
  readonly dayLow: Price;
  readonly dayVolume: Quantity;
  /** Shares traded since the previous quote; zero in a pulled quote. */
  readonly volume: Quantity;
  readonly status: TradeStatus;
  readonly session: TradeSession;
}

/** The fields of a quote that describe its latest price. */
export type LatestTrade = Pick<Quote, 'symbol' | 'time' | 'last' | 'dayOpen' | 'status'>;

/**
 * Consecutive agreeing updates that confirm a price after a jump.
 * @see docs/reliability.md, F-D03
 */
export const AGREEING_UPDATES = 3;
