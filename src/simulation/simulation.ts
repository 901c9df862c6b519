import type { AccountBalance, BuyLimit, Position } from '../model/account.ts';
import type { CashPosting } from '../model/cash-posting.ts';
import type { Decimal, Quantity } from '../model/decimal.ts';
import type { Currency } from '../model/money.ts';
import type {
  Execution,
  OrderDetail,
  OrderId,
  OrderTerms,
  OrderType,
  Side,
  VenueStatus,
} from '../model/order.ts';
import type { LatestTrade, Quote } from '../model/quote.ts';
import type { MarginFactors, Security } from '../model/security.ts';
import type { SecuritySymbol } from '../model/symbol.ts';
import type { CalendarDay, Millis } from '../model/time.ts';
import type { Tick } from './market/live-columns.ts';
import type { BarFigures } from './market/prints.ts';
import type { OrderExtras } from './orders/order-extras.ts';
import type { ExogenousEvent } from './processes/exogenous-events.ts';

/** An event of the venue. The embedded venue pushes it; the simulated Broker forwards it. */
export type SimulationEvent =
  | { readonly kind: 'quote'; readonly quote: Quote }
  | { readonly kind: 'order'; readonly account: string; readonly change: OrderChange };

/** An order after a change, with the fill that caused it, as in an order-changed push. */
export interface OrderChange {
  readonly detail: OrderDetail;
  /** The execution behind this change; undefined if only the status changed. */
  readonly execution: Execution | undefined;
}

/** One past event of an order; `history` returns newest first. */
export interface OrderHistoryEntry {
  readonly price: Decimal | undefined;
  readonly quantity: Quantity;
  readonly status: VenueStatus;
  readonly message: string;
  readonly time: Millis;
}

/** The venue's response to a request; a refusal changes nothing. */
export type Submission =
  | { readonly kind: 'accepted'; readonly orderId: OrderId }
  | { readonly kind: 'refused'; readonly code: number; readonly message: string };
export type Acceptance =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'refused'; readonly code: number; readonly message: string };

/** New terms of a working order; `quantity` is the new total, not the rest. */
export interface Replacement {
  readonly quantity: Quantity;
  readonly price?: Decimal;
  readonly triggerPrice?: Decimal;
  readonly limitOffset?: Decimal;
  readonly trailingAmount?: Decimal;
  readonly trailingPercent?: Decimal;
  readonly remark?: string;
}

/** Filter of a listing; absent fields do not filter. Times are inclusive, by submission or fill. */
export interface ListingFilter {
  readonly symbol?: SecuritySymbol;
  readonly side?: Side;
  readonly statuses?: readonly VenueStatus[];
  readonly market?: string;
  readonly orderId?: OrderId;
  readonly from?: Millis;
  readonly to?: Millis;
}

export interface EstimateRequest {
  readonly symbol: SecuritySymbol;
  readonly type: OrderType;
  readonly side: Side;
  readonly price?: Decimal;
  /** An order to be replaced; the result is its maximum total quantity. */
  readonly replaces?: OrderId;
}

/** One account of the simulated venue. All results are as of `now()`. */
export interface SimulatedAccount {
  readonly id: string;
  /** Submits an order at `now()`; later steps return its events (report, fill, rejection). */
  submit(terms: OrderTerms, remark: string, extras?: OrderExtras): Submission;
  /** Requests the cancel of an open order; it may still fill until the cancel takes effect. */
  cancel(orderId: OrderId): Acceptance;
  replace(orderId: OrderId, replacement: Replacement): Acceptance;
  /**
   * Deposits an amount at `now()`, or withdraws it if negative. Throws RangeError for a currency without a rate into
   * the account's.
   */
  deposit(currency: Currency, amount: Decimal): void;
  order(orderId: OrderId): OrderDetail | undefined;
  history(orderId: OrderId): readonly OrderHistoryEntry[];
  /**
   * Returns open orders, and orders submitted or finished on the exchange's calendar day or held for the trading day
   * that begins on it, newest first. `ordersBefore` has all others.
   */
  ordersToday(filter?: ListingFilter): readonly OrderDetail[];
  ordersBefore(filter?: ListingFilter): readonly OrderDetail[];
  executionsToday(filter?: ListingFilter): readonly Execution[];
  executionsBefore(filter?: ListingFilter): readonly Execution[];
  /** `undefined` for an unknown symbol. */
  buyLimit(request: EstimateRequest): BuyLimit | undefined;
  balance(currency?: Currency): AccountBalance;
  positions(symbols?: readonly SecuritySymbol[]): readonly Position[];
  /** Returns interest, borrow fees and write-offs booked at or after an instant, oldest first. */
  cashPostings(from: Millis): readonly CashPosting[];
  /** Returns the double-entry books; amounts sum to exactly zero per currency. */
  books(): readonly BookBalance[];
}

/** Balance of one account of the books, as `Posting` names it; debit balances are positive. */
export interface BookBalance {
  readonly account: string;
  readonly currency: Currency;
  readonly amount: Decimal;
}

/**
 * A market and its venue in simulated time, shared by the embedded venue and the backtest. Its driver reads what is due
 * next and steps it. At one instant the venue's own events (an order arrival, an expiry, a session boundary) come
 * before prints.
 */
export interface Simulation {
  now(): Millis;
  /** Returns the time of the venue's next own event, never before `now()`; NEVER if nothing is due. */
  nextVenueEventAt(): Millis;
  /** Returns the time of the next relevant print (see `SimulationOptions.quotes`); NEVER after the last one. */
  nextPrintAt(): Millis;
  /** Advances the clock to `at`; throws RangeError if an event or print comes first. */
  moveTo(at: Millis): void;
  /**
   * Appends a live price to a symbol with `LiveColumns`, as a print; returns false for any other symbol. Throws
   * RangeError for a late or invalid price.
   */
  append(tick: Tick): boolean;
  /** Invalidates current live prices until the next one arrives. */
  invalidatePrices(): void;
  /**
   * Advances to the next own event, performs it and returns the resulting events in order; throws if a print comes
   * first.
   */
  stepVenueEvent(): readonly SimulationEvent[];
  /**
   * Advances to the next print, performs it (matching first, then its quote) and returns the resulting events in order;
   * throws if an own event comes first.
   */
  stepPrint(): readonly SimulationEvent[];
  /** Injects an event without a request, now or at a later time; returns the immediate results. */
  inject(what: ExogenousEvent, at?: Millis): readonly SimulationEvent[];
  account(id: string): SimulatedAccount | undefined;
  securities(): readonly Security[];
  security(symbol: SecuritySymbol): Security | undefined;
  marginFactors(symbol: SecuritySymbol): MarginFactors | undefined;
  /**
   * Returns the latest quote, with `volume` zero as in a pulled quote; undefined for an unknown symbol or before its
   * first print. A print at `now()` counts once it, or a later one of the instant, was stepped.
   */
  quote(symbol: SecuritySymbol): Quote | undefined;
  /** Like `quote`, without the day's other figures; the same object until another print happens. */
  latestTrade(symbol: SecuritySymbol): LatestTrade | undefined;
  /**
   * Returns all prints of a symbol from `from` on as one bar, prints during halts excluded; undefined if there are
   * none.
   */
  tradedSince(symbol: SecuritySymbol, from: Millis): BarFigures | undefined;
  /** Returns the trading day of an order sent at `now()`: the next one after the regular close. */
  tradingDay(market: string): CalendarDay;
}
