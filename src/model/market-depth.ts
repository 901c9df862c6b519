import type { Price, Quantity } from './decimal.ts';
import type { TradeSession } from './quote.ts';
import type { SecuritySymbol } from './symbol.ts';
import type { Millis } from './time.ts';

/** One price level; a level without orders may have no price. */
export interface PriceLevel {
  /** 1 is the best. */
  readonly level: number;
  readonly price: Price | undefined;
  /** Shares. */
  readonly volume: Quantity;
  readonly orders: number;
}

/** Price levels of both sides, best first. */
export interface MarketDepth {
  readonly symbol: SecuritySymbol;
  readonly bids: readonly PriceLevel[];
  readonly asks: readonly PriceLevel[];
}

/** Ids of the brokers queued at one level, in order. */
export interface BrokerQueue {
  readonly level: number;
  readonly brokers: readonly number[];
}

export interface BrokerQueues {
  readonly symbol: SecuritySymbol;
  readonly bids: readonly BrokerQueue[];
  readonly asks: readonly BrokerQueue[];
}

/** A trade printed by the market, not ours. */
export interface MarketTrade {
  readonly symbol: SecuritySymbol;
  readonly time: Millis;
  readonly price: Price;
  /** Shares. */
  readonly volume: Quantity;
  readonly direction: 'up' | 'down' | 'neutral';
  /** The exchange's letter; '' for an ordinary automatic trade. */
  readonly condition: string;
  readonly session: TradeSession;
}
