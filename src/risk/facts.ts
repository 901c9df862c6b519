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

/** A figure and when the venue stated it, market time. */
export interface Aged<T> {
  readonly value: T;
  readonly at: Millis;
}

/** The latest quote of a symbol as the gate sees it; what a feed does not tell is absent. */
export interface QuoteFact extends Aged<Price> {
  /** When its successor is due at a venue that states it: it ages from then on, otherwise from `at`. */
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

/** The terms that a buy-limit estimate was asked for. */
export type EstimateTerms = Pick<OrderTerms, 'symbol' | 'side' | 'type' | 'price'>;

/** What only an order that adds exposure needs to know; asked of the venue for these very parameters. */
export interface OpeningFacts {
  /** What the buy-limit estimate was asked for. */
  readonly asked: EstimateTerms;
  readonly buyLimit: Aged<BuyLimit>;
  readonly margin: Aged<MarginFactors>;
  readonly balance: Aged<AccountBalance>;
}

/** What the symbol's market does now, until when. */
export interface SessionFact {
  /** `closed`: an order waits at the venue for the next open. */
  readonly kind: SessionKind | 'closed';
  /** Next instant at which that changes, or the trading day does. */
  readonly until: Millis;
}

/** Worth of positions in the account's currency, every open order counted as filled. */
export interface Exposure {
  /** Sum over symbols of the larger of both ways their orders can go, without sign. */
  readonly gross: Decimal;
  /** All symbols as long as their orders can make them, and as short; signed. */
  readonly mostLong: Decimal;
  readonly mostShort: Decimal;
}

/** What went through the gate lately; ages are relative to the facts' `now`. */
export interface RecentFacts {
  /** Orders that passed, oldest first. */
  readonly orders: readonly {
    readonly at: Millis;
    readonly terms: OrderTerms;
    /** The algorithm whose slice it is; absent: it is no slice. */
    readonly sliceOf?: AlgorithmId;
    /** Absent: it is no exit of a bracket. */
    readonly exitOf?: ExitOf;
  }[];
  /** Orders denied since the last resume, oldest first. */
  readonly denials: readonly {
    readonly at: Millis;
    readonly rule: string;
    readonly sliceOf?: AlgorithmId;
  }[];
  /** Fills within 24 hours that no operator's resume came after. */
  readonly unattendedFills: number;
}

/** Everything that the rules compare, gathered before they run. A missing fact denies. */
export interface RiskFacts {
  readonly now: Millis;
  readonly gate: GateStanding;
  /** Why nothing is opened in the symbol until an operator resumes; absent: something may be. */
  readonly symbolHalt?: string;
  /** Why no quotes of the symbol arrive now; absent: they do, or its venue promises that no quote is lost. */
  readonly unheard?: string;
  /** Why nothing is opened for now, outside a schedule's hours; absent: something may be. */
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
  /** What the venue keeps already for the order that this one takes the place of, in the security's currency; absent: nothing. */
  readonly reservedCash?: Decimal;
  /** Decisions with orders open or unknown now, all symbols; slices of one algorithm are one, and the order's own is not counted. */
  readonly openOrders: number;
  /** The latest quote, at which the order is judged. */
  readonly reference: QuoteFact | undefined;
  /** Trading time of the symbol's market since the quote's successor was due, milliseconds; counted to an hour at most. */
  readonly quoteAgeMs: number;
  /** Newest close of the symbol's own bars; undefined before the first. */
  readonly lastClose: Price | undefined;
  /** Account currency per unit of the security's currency; undefined when there is none, or none that is fresh. */
  readonly rate: Decimal | undefined;
  /** Currencies of the account without a usable exchange rate, so that equity is unknown. Empty for reducing orders. */
  readonly unrated?: readonly Currency[];
  /** Tick size at the order's price; undefined for an order without a price. */
  readonly tick: Decimal | undefined;
  /** All symbols but the order's; undefined when a price or a rate is missing. */
  readonly others: Exposure | undefined;
  /** Symbols for which `others` is undefined; absent where it is not. */
  readonly unpriced?: readonly SecuritySymbol[];
  /** Differences between our positions and the venue's, in words, when they were last compared. */
  readonly books: Aged<readonly string[]> | undefined;
  /** What the bot's symbols made since their exchanges' day began, in the account's currency; undefined: unknown. */
  readonly dayProfit: Decimal | undefined;
  /** Equity from which this day's loss counts instead, after an operator's resume of the same day. */
  readonly resumedEquity: Decimal | undefined;
  /** Highest equity at which an order was judged before; undefined before the first. */
  readonly peakEquity: Decimal | undefined;
  readonly recent: RecentFacts;
  /** Equity of the account; undefined for an order that only reduces exposure, and where the venue stated none. */
  readonly equity: Decimal | undefined;
  /** Undefined for an order that only reduces exposure. */
  readonly opening: OpeningFacts | undefined;
  /** The most that the order can execute where the venue cuts orders to what the account can pay for; absent: all of it. */
  readonly maxFillable?: Quantity;
  /** Questions that the venue did not answer, in words. */
  readonly unanswered: readonly string[];
}
