import type { Bar } from '../model/bar.ts';
import type { Fill } from '../model/fill.ts';
import type { IntentId, OrderTerms } from '../model/order.ts';
import type { Quote } from '../model/quote.ts';
import type { Market, SecuritySymbol } from '../model/symbol.ts';
import type { Millis } from '../model/time.ts';
import type { OtherSession } from '../model/trading-sessions.ts';
import type { Signal } from '../signals/signal.ts';

/** A closed bar, handed over at `time`, the instant it closed. */
export interface BarEvent {
  readonly kind: 'bar';
  readonly symbol: SecuritySymbol;
  readonly time: Millis;
  readonly bar: Bar;
  /** The session that the bar belongs to, where that is not regular trading (the config's `sessions`). */
  readonly session?: OtherSession;
  /** Which of the bot's strategies it is for; absent in a bot with one. */
  readonly strategy?: string;
}

/** Every bar that closed at one instant, of all symbols, handed over together. */
export interface BarsEvent {
  readonly kind: 'bars';
  /** The instant at which they closed. */
  readonly time: Millis;
  /** In the config's order of symbols; a symbol that had no bar then, or warms up, is left out. */
  readonly bars: readonly Bar[];
  /** Which of the bot's strategies it is for; absent in a bot with one. */
  readonly strategy?: string;
}

/** A quote as it came. */
export interface QuoteEvent {
  readonly kind: 'quote';
  readonly symbol: SecuritySymbol;
  readonly time: Millis;
  readonly quote: Quote;
  /** Which of the bot's strategies it is for; absent in a bot with one. */
  readonly strategy?: string;
}

/** One execution of the strategy's own order, already booked in the position it sees. */
export interface FillEvent {
  readonly kind: 'fill';
  readonly symbol: SecuritySymbol;
  readonly time: Millis;
  readonly fill: Fill;
}

/**
 * State of an order of the strategy; `why` has the reason of the gate or the venue. An order with a condition is `working` twice:
 * when it begins to wait for it, and when it was met.
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
   * Present for an order that was `denied`, `refused` by the venue or not sent, and that its TWAP, VWAP, iceberg, rebalance or bracket
   * submits again by itself: a strategy that orders the same once more would have it twice. The quantity may be another, and a part
   * that still waits for calls when its time is over is missed after all (alarm `slices-missed`), without a further event. A denied
   * stop or trail without the mark is no order to repeat either: its bracket closes the position at the market.
   */
  readonly willRetry?: true;
}

/** The run begins to decide (warm-up is over), or has decided for the last time. */
export interface LifeEvent {
  readonly kind: 'start' | 'stop';
  readonly time: Millis;
  /** Which of the bot's strategies it is for; absent in a bot with one. */
  readonly strategy?: string;
}

/** A timer that the strategy declared is due in one of its markets. */
export interface TimerEvent {
  readonly kind: 'timer';
  /** The timer's name. */
  readonly name: string;
  /** Whose time it is: `HK`, `US`, ... */
  readonly market: Market;
  /** Symbols of that market, in the config's order. */
  readonly symbols: readonly SecuritySymbol[];
  readonly time: Millis;
  /** Which of the bot's strategies it is for; absent in a bot with one. */
  readonly strategy?: string;
}

/** Everything that a market and its clock can tell a strategy. */
export type MarketEvent = Signal | BarEvent | BarsEvent | QuoteEvent | TimerEvent;

/** Everything that a strategy can be asked about, one at a time. */
export type StrategyEvent = MarketEvent | FillEvent | OrderEvent | LifeEvent;
