import type { Observable } from 'rxjs';
import type { AccountBalance, BuyLimit, Position } from '../model/account.ts';
import type { CashPosting } from '../model/cash-posting.ts';
import type { Decimal, Quantity } from '../model/decimal.ts';
import type { Currency } from '../model/money.ts';
import type {
  Execution,
  IntentId,
  OrderDetail,
  OrderId,
  OrderTerms,
  OrderType,
  ReadStatus,
  Side,
  WrittenRequest,
} from '../model/order.ts';
import type { MarginFactors } from '../model/security.ts';
import type { SecuritySymbol } from '../model/symbol.ts';
import type { Millis } from '../model/time.ts';
import type { Request } from './task.ts';

/** Answer to a submit. A missing answer is not a refusal: everything unproved is `unknown`. */
export type SubmitAnswer =
  | { readonly kind: 'accepted'; readonly orderId: OrderId }
  | { readonly kind: 'refused'; readonly code: number; readonly message: string }
  /** Proof that no byte was sent. */
  | { readonly kind: 'not-sent'; readonly message: string }
  | { readonly kind: 'unknown'; readonly message: string };

/** Answer to a cancel or replace; `accepted` means requested, not done. */
export type ChangeAnswer =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'refused'; readonly code: number; readonly message: string }
  /** Proof that no byte was sent: nothing changed, and it may be requested again. */
  | { readonly kind: 'not-sent'; readonly message: string }
  | { readonly kind: 'unknown'; readonly message: string };

/** Purpose of a change: flattening, reducing or protecting a position, or adding exposure. Default: adding. */
export type ChangePurpose = 'kill' | 'protect' | 'open';

/** The purpose of a change, and hooks that are called before it is sent. */
export interface SendHooks {
  readonly purpose?: ChangePurpose;
  /**
   * Called when the request has its permit of the call budget, right before its first byte; an error prevents the sending.
   * Receives undefined at a venue without a wire, such as the simulated one.
   */
  readonly beforeSend?: (written: WrittenRequest | undefined) => void;
  /**
   * Called right before the first byte; returns a reason why the change must not be sent, which makes the answer
   * `not-sent`.
   */
  readonly blockedReason?: () => string | undefined;
}

/** The new terms of an order. */
export interface ReplaceRequest extends SendHooks {
  readonly orderId: OrderId;
  readonly intentId: IntentId;
  readonly terms: OrderTerms;
}

/** Purpose of a query, where calls are counted: see `CallKind`. */
export type ReadPurpose = 'kill' | 'poll' | 'watch' | 'read';

/** Result of a request. A `code` of 0 is not from the venue: no answer, or one that cannot be parsed. */
export type Answer<T> =
  | { readonly kind: 'ok'; readonly value: T }
  | { readonly kind: 'failed'; readonly code: number; readonly message: string; readonly retryable: boolean }
  /** Proof that no byte was sent, so the request may be repeated even if it changes something. */
  | { readonly kind: 'not-sent'; readonly code: 0; readonly message: string; readonly retryable: true };

/** Returns the reason of a failed request: the venue's code, if the venue answered, and the message. */
export function failureReason({
  code,
  message,
}: {
  readonly code: number;
  readonly message: string;
}): string {
  return code === 0 ? message : `${code}, ${message}`;
}

/** The late answer to a submit that was reported as unknown. */
export interface LateAnswer {
  readonly intentId: IntentId;
  readonly answer: SubmitAnswer;
}

/** Parameters of `estimate/buy_limit`. */
export interface BuyLimitRequest {
  readonly symbol: SecuritySymbol;
  readonly side: Side;
  readonly type: OrderType;
  readonly price?: Decimal;
}

/** An order in a list, with the intent that its remark names if it is one of ours. */
export interface ListedOrder extends OrderDetail {
  /** Undefined for a foreign order. */
  readonly intentId: IntentId | undefined;
}

/**
 * An order in the newest list of the day that could not be read completely: it may be executed unless its status is
 * final.
 */
export interface UnreadOrder {
  readonly orderId: OrderId;
  /** Undefined if not even its symbol could be read. */
  readonly symbol: SecuritySymbol | undefined;
  /** Undefined for a foreign order. */
  readonly intentId: IntentId | undefined;
  readonly status: ReadStatus;
  readonly rawStatus: string;
  /** The venue's status and the reason, as text. */
  readonly why: string;
  /** Undefined if it could not be read. */
  readonly executedQuantity: Quantity | undefined;
  /** When it was submitted; undefined if that could not be read. */
  readonly since: Millis | undefined;
}

/** A hint that an order changed. It changes no cash and no position; it triggers a read. */
export interface OrderHint {
  readonly orderId: OrderId;
  readonly intentId: IntentId | undefined;
  readonly detail: OrderDetail;
}

/** An order to send, once. */
export interface OrderToSend extends SendHooks {
  readonly intentId: IntentId;
  readonly terms: OrderTerms;
}

/** Facts about a venue. */
export interface BrokerFacts {
  /**
   * True if every change is pushed without loss (simulated and stepped venues): then nothing is polled on a timer,
   * except orders if `listsOrders` is false.
   */
  readonly pushComplete: boolean;
  /** True if a repeated request key returns the first answer. */
  readonly requestKey: boolean;
  /** Number of calls per 30 s that the account may make; undefined if the venue has no limit. */
  readonly callsPer30s: number | undefined;
  /**
   * False if orders and executions are neither listed nor pushed: each order is read by its id. Absent: they are
   * listed.
   */
  readonly listsOrders?: false;
  /** False if orders can neither be cancelled nor replaced. Absent: they can. */
  readonly changesOrders?: false;
  /**
   * When orders must be covered at a venue that checks and reserves nothing before a fill: `at-fill` rejects what an
   * account cannot pay in full then, `cut` reduces it. Absent: covered when sent, and reserved from then on.
   */
  readonly cover?: 'at-fill' | 'cut';
  /**
   * True if orders match whole bars: a trigger there is a stop by its side, so a target is a plain limit order.
   * Absent: a trigger waits for the price from either side.
   */
  readonly wholeBars?: true;
}

/**
 * Sends orders and queries. Every method returns a request: subscribing sends it, and it is answered exactly once.
 * Expected refusals are values; an error means that the connection cannot be repaired.
 */
export interface Broker {
  readonly facts: BrokerFacts;
  /** Order changes that the venue pushes. */
  readonly hints$: Observable<OrderHint>;
  /** Emits when pushes are interrupted and restored; absent if none is ever lost. */
  readonly pushes$?: Observable<'down' | 'up'>;
  /** Answers to submits that were already reported as unknown; absent if answers always arrive in time. */
  readonly late$?: Observable<LateAnswer>;
  submit(order: OrderToSend): Request<SubmitAnswer>;
  cancel(orderId: OrderId): Request<ChangeAnswer>;
  /**
   * Requests new terms of an order; `quantity` is the new total. The request includes the tag, because a replace
   * without it may remove it.
   */
  replace(order: ReplaceRequest): Request<ChangeAnswer>;
  orderDetail(orderId: OrderId, purpose?: ReadPurpose): Request<Answer<ListedOrder>>;
  /** Orders of the trading day; `open`: only those that the venue may still execute, if it can omit the others. */
  ordersToday(purpose?: ReadPurpose, scope?: 'all' | 'open'): Request<Answer<readonly ListedOrder[]>>;
  /**
   * Orders in the newest complete list of the day that could not be read, including finished ones; absent if every
   * order can be read.
   */
  readonly unread?: () => readonly UnreadOrder[];
  /** Orders of earlier days that were submitted at or after `from`; open ones may be in today's list instead. */
  ordersBefore(from: Millis): Request<Answer<readonly ListedOrder[]>>;
  /** All pages, newest last. */
  executionsToday(orderId?: OrderId, purpose?: ReadPurpose): Request<Answer<readonly Execution[]>>;
  /** Executions of earlier days, at or after `from`; all pages, newest last. */
  executionsBefore(from: Millis): Request<Answer<readonly Execution[]>>;
  buyLimit(request: BuyLimitRequest): Request<Answer<BuyLimit>>;
  marginFactors(symbol: SecuritySymbol): Request<Answer<MarginFactors>>;
  balance(currency?: Currency, purpose?: ReadPurpose): Request<Answer<AccountBalance>>;
  positions(purpose?: ReadPurpose): Request<Answer<readonly Position[]>>;
  /** Interest and fees for borrowed shares that the venue booked between two times, both included, oldest first. */
  cashPostings(span: { readonly from: Millis; readonly to: Millis }): Request<Answer<readonly CashPosting[]>>;
}
