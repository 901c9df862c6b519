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

/** What happened at the venue at one instant; the embedded venue pushes it, the simulated Broker hands it on. */
export type SimulationEvent =
  | { readonly kind: 'quote'; readonly quote: Quote }
  | { readonly kind: 'order'; readonly account: string; readonly change: OrderChange };

/** An order right after a change, with the fill that caused it, as an order-changed push tells it. */
export interface OrderChange {
  readonly detail: OrderDetail;
  /** The execution behind this change; undefined for a change of status alone. */
  readonly execution: Execution | undefined;
}

/** One past event of an order, newest first in `history`. */
export interface OrderHistoryEntry {
  readonly price: Decimal | undefined;
  readonly quantity: Quantity;
  readonly status: VenueStatus;
  readonly message: string;
  readonly time: Millis;
}

/** The venue's response to a request that changes something; a refusal leaves the books untouched. */
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

/** Which orders or executions a listing wants; absent fields do not filter. Times are inclusive, by submission or fill. */
export interface ListingFilter {
  readonly symbol?: SecuritySymbol;
  readonly side?: Side;
  readonly statuses?: readonly VenueStatus[];
  readonly market?: string;
  readonly orderId?: OrderId;
  readonly from?: Millis;
  readonly to?: Millis;
}

/** The question behind `estimate/buy_limit`. */
export interface EstimateRequest {
  readonly symbol: SecuritySymbol;
  readonly type: OrderType;
  readonly side: Side;
  readonly price?: Decimal;
  /** An order that would be replaced: the answer is the most that it may be for in all. */
  readonly replaces?: OrderId;
}

/** One account of the simulated venue: its orders, its books, its view of margin. All answers are as of `now()`. */
export interface SimulatedAccount {
  readonly id: string;
  /** Takes an order at `now()`; what follows (report, fill, rejection) comes as events of later steps. */
  submit(terms: OrderTerms, remark: string, extras?: OrderExtras): Submission;
  /** Asks for the end of an open order; it may still fill until the own event that cancels it. */
  cancel(orderId: OrderId): Acceptance;
  /** Asks for new terms of a working order, or of a conditional one that nothing has triggered yet. */
  replace(orderId: OrderId, replacement: Replacement): Acceptance;
  /**
   * Pays money in at `now()`, or out where the amount is below zero. Throws RangeError for a currency without a rate into
   * the account's.
   */
  deposit(currency: Currency, amount: Decimal): void;
  order(orderId: OrderId): OrderDetail | undefined;
  history(orderId: OrderId): readonly OrderHistoryEntry[];
  /**
   * Orders submitted or finished on the exchange's calendar day, or held for the trading day that begins on it, and all
   * open ones, newest first. Everything else is in `ordersBefore`; nothing is in both.
   */
  ordersToday(filter?: ListingFilter): readonly OrderDetail[];
  ordersBefore(filter?: ListingFilter): readonly OrderDetail[];
  executionsToday(filter?: ListingFilter): readonly Execution[];
  executionsBefore(filter?: ListingFilter): readonly Execution[];
  /** `undefined` for a symbol that the venue does not know. */
  buyLimit(request: EstimateRequest): BuyLimit | undefined;
  balance(currency?: Currency): AccountBalance;
  positions(symbols?: readonly SecuritySymbol[]): readonly Position[];
  /** Interest and fees for borrowed shares that were booked at or after an instant, oldest first. */
  moneyMoves(from: Millis): readonly CashPosting[];
  /** The books behind all this, double entry: per currency the amounts sum to exactly zero. */
  books(): readonly BookBalance[];
}

/** What one account of the books holds, as `Posting` names it; debit balances are positive. */
export interface BookBalance {
  readonly account: string;
  readonly currency: Currency;
  readonly amount: Decimal;
}

/**
 * A market and its venue in simulated time, shared by the embedded venue and the backtest. It never moves by itself:
 * its driver reads what is next and lets it happen. At one instant the venue's own events (an order reaching the
 * exchange, an expiry, a session boundary) come before prints.
 */
export interface Simulation {
  now(): Millis;
  /** When the venue itself does something next; NEVER when nothing is due. Never before `now()`. */
  nextOwnAt(): Millis;
  /** When the next relevant print comes (see `SimulationOptions.quotes`); NEVER after the last one. */
  nextPrintAt(): Millis;
  /** Moves the clock to `at` without anything happening; throws RangeError when something comes before it. */
  moveTo(at: Millis): void;
  /**
   * Adds a live price to a symbol whose bars are `LiveColumns`; it becomes a print. False for any
   * other symbol. Throws RangeError for a price that comes too late or is none.
   */
  append(tick: Tick): boolean;
  /** Ends the current live prices, until the next one arrives: the market is not known. */
  fallSilent(): void;
  /**
   * Moves to the next own event, lets exactly that happen and returns what it caused, in order; throws when a print is
   * first.
   */
  stepOwn(): readonly SimulationEvent[];
  /**
   * Moves to the next print, lets exactly that happen (matching first, then its quote) and returns what it caused, in
   * order; throws when an own event is first.
   */
  stepPrint(): readonly SimulationEvent[];
  /** Lets happen what no request asked for, now or at a later time; returns what it caused at once. */
  interfere(what: ExogenousEvent, at?: Millis): readonly SimulationEvent[];
  account(id: string): SimulatedAccount | undefined;
  securities(): readonly Security[];
  security(symbol: SecuritySymbol): Security | undefined;
  marginFactors(symbol: SecuritySymbol): MarginFactors | undefined;
  /**
   * The latest quote, its `volume` zero as in a pulled one; undefined for an unknown symbol or before its first print.
   * A print of this very instant counts once it, or a later one of the instant, was stepped.
   */
  quote(symbol: SecuritySymbol): Quote | undefined;
  /** The same without the day's other figures; the same object until another print happens. */
  latest(symbol: SecuritySymbol): LatestTrade | undefined;
  /** All that has printed of a symbol from `from` on, as one bar; undefined where nothing has. Prints of a halt do not count. */
  traded(symbol: SecuritySymbol, from: Millis): BarFigures | undefined;
  /** The trading day that an order sent at `now()` belongs to: from the regular close on it is the next one. */
  tradingDay(market: string): CalendarDay;
}
