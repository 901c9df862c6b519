import type { SessionKind } from '../markets/day-hours.ts';
import type { AccountBalance, BuyLimit } from '../model/account.ts';
import type { AlgorithmId, ExitOf } from '../model/algorithm.ts';
import type { Decimal, Price, Quantity } from '../model/decimal.ts';
import type { GateStanding } from '../model/gate.ts';
import type { Currency } from '../model/money.ts';
import type { OrderTerms, Side } from '../model/order.ts';
import type { TradeStatus } from '../model/quote.ts';
import type { MarginFactors, Security } from '../model/security.ts';
import type { SecuritySymbol } from '../model/symbol.ts';
import type { Millis } from '../model/time.ts';

/** A figure, with the market time at which the venue stated it. */
export interface Aged<T> {
  readonly value: T;
  readonly at: Millis;
}

/** The latest quote of a symbol for the gate; fields that a feed does not provide are absent. */
export interface QuoteFact extends Aged<Price> {
  /** When its successor is due at a venue that states it: its age counts from then on, otherwise from `at`. */
  readonly standsUntil?: Millis | undefined;
  readonly status?: TradeStatus;
  /** The day's first price. */
  readonly dayOpen?: Price;
  /** Consecutive updates that agree on this price; absent where they are not counted. */
  readonly agreeing?: number;
  /** The newest price that enough updates agreed on. */
  readonly trusted?: Price;
  /** Best prices of the book. */
  readonly bid?: Price;
  readonly ask?: Price;
}

/** The terms of a buy-limit estimate. */
export type EstimateTerms = Pick<OrderTerms, 'symbol' | 'side' | 'type' | 'price'>;

/** Facts that only an order that adds exposure needs; requested from the venue for exactly these parameters. */
export interface OpeningFacts {
  /** Parameters of the buy-limit estimate. */
  readonly asked: EstimateTerms;
  readonly buyLimit: Aged<BuyLimit>;
  readonly margin: Aged<MarginFactors>;
  readonly balance: Aged<AccountBalance>;
}

/** Session of a symbol's market, and its end. */
export interface SessionFact {
  /** `closed`: an order waits at the venue for the next open. */
  readonly kind: SessionKind | 'closed';
  /** When the session or the trading day changes next. */
  readonly until: Millis;
}

/** Value of positions in the account's currency, every open order counted as filled. */
export interface Exposure {
  /** Sum over symbols of the larger absolute value in either direction of their orders. */
  readonly gross: Decimal;
  /** All symbols at their most long, and at their most short; signed. */
  readonly mostLong: Decimal;
  readonly mostShort: Decimal;
}

/** Recent orders of the gate; ages are relative to the facts' `now`. */
export interface RecentFacts {
  /** Orders that passed, oldest first. */
  readonly orders: readonly {
    readonly at: Millis;
    readonly terms: OrderTerms;
    /** The algorithm whose slice it is; absent for other orders. */
    readonly sliceOf?: AlgorithmId;
    /** Absent if it is not an exit of a bracket. */
    readonly exitOf?: ExitOf;
    /** True if it never reached the venue: it was not sent, or the venue counted too many calls. */
    readonly isUnsent?: true;
  }[];
  /** Orders denied since the last resume, oldest first. */
  readonly denials: readonly {
    readonly at: Millis;
    readonly rule: string;
    readonly sliceOf?: AlgorithmId;
  }[];
  /** Fills within 24 hours since an operator's last resume. */
  readonly unattendedFills: number;
}

/** All input of the rules, gathered before they run. A missing fact denies. */
export interface RiskFacts {
  readonly now: Millis;
  readonly gate: GateStanding;
  /** Why nothing opens in the symbol until an operator resumes; absent if nothing prevents it. */
  readonly symbolHalt?: string;
  /** Why no quotes of the symbol arrive now; absent if they do, or if the venue guarantees that no quote is lost. */
  readonly unheard?: string;
  /** Why nothing opens now, outside a schedule's hours; absent within them. */
  readonly openingStopped?: string;
  readonly security: Security | undefined;
  readonly session: SessionFact;
  /** Whether the order adds exposure, counting open orders as filled. */
  readonly opens: boolean;
  /** Signed shares held. */
  readonly held: Quantity;
  /** Shares that open and unknown orders of this symbol may still buy and sell. */
  readonly openBuys: Quantity;
  readonly openSells: Quantity;
  /** Sides of this symbol with an unknown order: sent, but not known whether the venue accepted it. */
  readonly unknownSides: readonly Side[];
  /**
   * Cash that the venue has already reserved for the order that this one replaces, in the security's currency; absent
   * if none.
   */
  readonly reservedCash?: Decimal;
  /**
   * Number of decisions with orders open or unknown now, in all symbols. Slices of one algorithm are one decision;
   * the order's own is not counted.
   */
  readonly openOrders: number;
  /** The latest quote, at which the order is judged. */
  readonly reference: QuoteFact | undefined;
  /** Trading time of the symbol's market since the quote's successor was due, in milliseconds; at most an hour. */
  readonly quoteAgeMs: number;
  /** Newest close of the symbol's own bars; undefined before the first. */
  readonly lastClose: Price | undefined;
  /** Account currency per unit of the security's currency; undefined if there is no recent rate. */
  readonly rate: Decimal | undefined;
  /**
   * Currencies of the account without a usable exchange rate, so that equity is unknown. Empty for reducing orders.
   */
  readonly currenciesWithoutRate?: readonly Currency[];
  /** Tick size at the order's price; undefined for an order without a price. */
  readonly tick: Decimal | undefined;
  /** All symbols except the order's; undefined if a price or a rate is missing. */
  readonly others: Exposure | undefined;
  /** Symbols for which `others` is undefined; absent if it is defined. */
  readonly unpriced?: readonly SecuritySymbol[];
  /** Differences between our positions and the venue's at the last comparison, as text. */
  readonly books: Aged<readonly string[]> | undefined;
  /**
   * Profit of the bot's symbols since their exchanges' day started, in the account's currency; undefined if unknown.
   */
  readonly dayProfit: Decimal | undefined;
  /** Equity from which the day's loss counts after an operator's resume on the same day. */
  readonly resumedEquity: Decimal | undefined;
  /** Highest equity at which an earlier order was judged; undefined before the first. */
  readonly peakEquity: Decimal | undefined;
  readonly recent: RecentFacts;
  /** Equity of the account; undefined for an order that only reduces exposure, and if the venue stated none. */
  readonly equity: Decimal | undefined;
  /** Undefined for an order that only reduces exposure. */
  readonly opening: OpeningFacts | undefined;
  /**
   * The most that the order can execute at a venue that cuts orders to what the account can pay; absent if it does
   * not.
   */
  readonly maxFillable?: Quantity;
  /** Queries that the venue did not answer, as text. */
  readonly unanswered: readonly string[];
}
