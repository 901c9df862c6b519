import type { Price, Quantity } from './decimal.ts';
import type { SecuritySymbol } from './symbol.ts';
import type { Millis } from './time.ts';

/** Which part of the trading day a quote or bar belongs to. */
export type TradeSession = 'regular' | 'pre' | 'post' | 'overnight';

/** Whether the security can trade; anything but `normal` refuses opens. */
export type TradeStatus = 'normal' | 'halted' | 'suspended' | 'delisted' | 'not-yet-open' | 'unrecognised';

/** One market-data update: the last price and the day's figures so far, as pushed (101) or pulled (11). */
export interface Quote {
  readonly symbol: SecuritySymbol;
  /** The venue's stamp, whole seconds on the wire. */
  readonly time: Millis;
  readonly last: Price;
  readonly dayOpen: Price;
  readonly dayHigh: Price;
  readonly dayLow: Price;
  /** Shares traded today. */
  readonly dayVolume: Quantity;
  /** Shares traded since the quote before; zero in a pulled quote. */
  readonly volume: Quantity;
  readonly status: TradeStatus;
  readonly session: TradeSession;
}

/** The fields of a quote that describe its newest price. */
export type LatestTrade = Pick<Quote, 'symbol' | 'time' | 'last' | 'dayOpen' | 'status'>;

/**
 * So many updates in a row, agreeing with each other, make a price believed that leapt.
 * @see docs/reliability.md, F-D03
 */
export const AGREEING_UPDATES = 3;
