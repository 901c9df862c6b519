import type { Bar } from '../model/bar.ts';
import type { Fill } from '../model/fill.ts';
import type { IntentId, OrderTerms } from '../model/order.ts';
import type { Quote } from '../model/quote.ts';
import type { Market, SecuritySymbol } from '../model/symbol.ts';
import type { Millis } from '../model/time.ts';
import type { OtherSession } from '../model/trading-sessions.ts';
import type { Signal } from '../signals/signal.ts';

/** A closed bar, delivered at `time`, when it closed. */
export interface BarEvent {
  readonly kind: 'bar';
  readonly symbol: SecuritySymbol;
  readonly time: Millis;
  readonly bar: Bar;
  /** The session of the bar if it is not regular trading (the config's `sessions`). */
  readonly session?: OtherSession;
  /** The strategy that receives it; absent in a bot with one strategy. */
  readonly strategy?: string;
}

/** All bars of all symbols that closed at one instant. */
export interface BarsEvent {
  readonly kind: 'bars';
  /** When they closed. */
  readonly time: Millis;
  /** In the config's order of symbols; without symbols that had no bar or are warming up. */
  readonly bars: readonly Bar[];
  /** The strategy that receives it; absent in a bot with one strategy. */
  readonly strategy?: string;
}

/** A quote as received. */
export interface QuoteEvent {
  readonly kind: 'quote';
  readonly symbol: SecuritySymbol;
  readonly time: Millis;
  readonly quote: Quote;
  /** The strategy that receives it; absent in a bot with one strategy. */
  readonly strategy?: string;
}

/** An execution of the strategy's order, already included in its position. */
export interface FillEvent {
  readonly kind: 'fill';
  readonly symbol: SecuritySymbol;
  readonly time: Millis;
  readonly fill: Fill;
}

/**
 * Status of an order of the strategy; `why` is the reason of the gate or the venue. A conditional order is `working`
 * twice: when it starts to wait, and when it is triggered.
 */
export interface OrderEvent {
  readonly kind: 'order';
  readonly symbol: SecuritySymbol;
  readonly time: Millis;
  readonly intentId: IntentId;
  readonly terms: OrderTerms;
  readonly outcome:
    | 'denied'
    | 'refused'
    | 'working'
    | 'filled'
    | 'canceled'
    | 'expired'
    | 'rejected'
    | 'unknown'
    | 'unproven';
  readonly why: string;
  /**
   * Present for an order that was `denied`, `refused` by the venue or not sent, and that its TWAP, VWAP, iceberg,
   * rebalance or bracket submits again automatically: ordering the same again would double it. The quantity may
   * change. A part that still waits for calls at the end of its time is missed (alarm `slices-missed`), without a
   * further event. Do not repeat a denied stop or trailing stop without this mark either: its bracket closes the
   * position at the market.
   */
  readonly willRetry?: true;
}

/** The run starts to decide (warm-up is over), or has decided for the last time. */
export interface LifeEvent {
  readonly kind: 'start' | 'stop';
  readonly time: Millis;
  /** The strategy that receives it; absent in a bot with one strategy. */
  readonly strategy?: string;
}

/** A declared timer is due in one of the strategy's markets. */
export interface TimerEvent {
  readonly kind: 'timer';
  /** The timer's name. */
  readonly name: string;
  /** The market in whose time it is due: `HK`, `US`, ... */
  readonly market: Market;
  /** Symbols of that market, in the config's order. */
  readonly symbols: readonly SecuritySymbol[];
  readonly time: Millis;
  /** The strategy that receives it; absent in a bot with one strategy. */
  readonly strategy?: string;
}

/** Events from market data and the clock. */
export type MarketEvent = Signal | BarEvent | BarsEvent | QuoteEvent | TimerEvent;

/** Events that a strategy is called with, one at a time. */
export type StrategyEvent = MarketEvent | FillEvent | OrderEvent | LifeEvent;
