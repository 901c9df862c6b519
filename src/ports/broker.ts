import type { Observable } from 'rxjs';
import type { AccountBalance, BuyLimit, Position } from '../model/account.ts';
import type { CashPosting } from '../model/cash-posting.ts';
import type { Decimal } from '../model/decimal.ts';
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
import type { Question } from './task.ts';

/** What came back from a submit. No answer is not "no": everything unproved is `unknown`. */
export type SubmitAnswer =
  | { readonly kind: 'accepted'; readonly orderId: OrderId }
  | { readonly kind: 'refused'; readonly code: number; readonly message: string }
  /** Proof that no byte left. */
  | { readonly kind: 'not-sent'; readonly message: string }
  | { readonly kind: 'unknown'; readonly message: string };

/** What came back from a cancel or replace; `accepted` means asked, not done. */
export type ChangeAnswer =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'refused'; readonly code: number; readonly message: string }
  /** Proof that no byte left: nothing changed, and it may be asked again. */
  | { readonly kind: 'not-sent'; readonly message: string }
  | { readonly kind: 'unknown'; readonly message: string };

/** What a change is for: flattening, reducing or protecting a position, or adding exposure. Absent: adding. */
export type ChangePurpose = 'kill' | 'protect' | 'open';

/** How a change is sent. */
export interface Sending {
  readonly purpose?: ChangePurpose;
  /**
   * Called once the request has its place and is about to leave, before its first byte; what it throws keeps it from leaving.
   * Undefined where nothing is written, as at a simulated venue. Absent: nothing is to be done.
   */
  readonly sending?: (written: WrittenRequest | undefined) => void;
  /** Asked right before the first byte leaves; a reason why it must not makes the answer `not-sent`. */
  readonly barred?: () => string | undefined;
}

/** An order as it is to be. */
export interface ReplaceRequest extends Sending {
  readonly orderId: OrderId;
  readonly intentId: IntentId;
  readonly terms: OrderTerms;
}

/** What a question is for, where calls are counted: see `CallKind`. */
export type ReadPurpose = 'kill' | 'poll' | 'watch' | 'read';

/** Result of a request. A `code` of 0 is not from the venue: no answer, or one that cannot be parsed. */
export type Answer<T> =
  | { readonly kind: 'ok'; readonly value: T }
  | { readonly kind: 'failed'; readonly code: number; readonly message: string; readonly retryable: boolean }
  /** Proof that no byte left, so the question may be asked again even when asking changes something. */
  | { readonly kind: 'not-sent'; readonly code: 0; readonly message: string; readonly retryable: true };

/** The late answer to a submit that was reported as unknown. */
export interface LateAnswer {
  readonly intentId: IntentId;
  readonly answer: SubmitAnswer;
}

/** The question behind `estimate/buy_limit`, for these very parameters. */
export interface BuyLimitQuestion {
  readonly symbol: SecuritySymbol;
  readonly side: Side;
  readonly type: OrderType;
  readonly price?: Decimal;
}

/** An order as listed, with the intent that its remark names when it is one of ours. */
export interface ListedOrder extends OrderDetail {
  /** Undefined for a foreign order. */
  readonly intentId: IntentId | undefined;
}

/** An order that the newest list of the day names and that could not be read whole: it may be executed unless its status is final. */
export interface UnreadOrder {
  readonly orderId: OrderId;
  /** Undefined where not even its symbol could be read. */
  readonly symbol: SecuritySymbol | undefined;
  /** Undefined for a foreign order. */
  readonly intentId: IntentId | undefined;
  readonly status: ReadStatus;
  readonly rawStatus: string;
  /** The venue's status and the reason, in words. */
  readonly why: string;
  /** When it was submitted; undefined where that could not be read. */
  readonly since: Millis | undefined;
}

/** A hint that an order changed; it moves no cash and no position, it makes us look. */
export interface OrderHint {
  readonly orderId: OrderId;
  readonly intentId: IntentId | undefined;
  readonly detail: OrderDetail;
}

/** An order as it is handed over to be sent, once. */
export interface OrderToSend extends Sending {
  readonly intentId: IntentId;
  readonly terms: OrderTerms;
}

/** What a venue does by itself; a fact about it, never a mode of ours. */
export interface BrokerFacts {
  /**
   * True when every change is pushed without loss (simulated and stepped venues): then nothing is polled on a timer, except orders
   * where `listsOrders` is false.
   */
  readonly pushComplete: boolean;
  /** True when a repeated request key gives back the first answer. */
  readonly requestKey: boolean;
  /** Calls per 30 s that the account may make; undefined when the venue does not limit. */
  readonly callsPer30s: number | undefined;
  /** False where orders and executions are neither listed nor pushed: each order is read by its id. Absent: they are listed. */
  readonly listsOrders?: false;
  /** False where orders can neither be cancelled nor replaced. Absent: they can. */
  readonly changesOrders?: false;
  /**
   * How orders are paid for where nothing is checked or reserved before they fill: `at-fill` rejects what an account cannot pay
   * for in full then, `cut` cuts it to what it can. Absent: covered when sent, and set aside from then on.
   */
  readonly cover?: 'at-fill' | 'cut';
  /**
   * True where orders meet whole bars: a trigger there is a stop by its side, so a target is a plain limit order, which has nothing to wait
   * for. Absent: a trigger waits for the price from whichever side it is on.
   */
  readonly wholeBars?: true;
}

/**
 * Where orders go. Every method returns a question: subscribing sends it, and it is answered exactly once; expected refusals are
 * values. An error means that the connection is beyond repair.
 */
export interface Broker {
  readonly facts: BrokerFacts;
  /** Order changes as the venue pushes them. */
  readonly hints$: Observable<OrderHint>;
  /** Emits when pushes are no longer received, and when they are again; absent where none is ever lost. */
  readonly pushes$?: Observable<'down' | 'up'>;
  /** Answers to submits that had been called unknown by then; absent where an answer always comes in time. */
  readonly late$?: Observable<LateAnswer>;
  submit(order: OrderToSend): Question<SubmitAnswer>;
  cancel(orderId: OrderId): Question<ChangeAnswer>;
  /** Asks for new figures of an order; `quantity` is the new total. The tag goes along, as a replace without it may blank it. */
  replace(order: ReplaceRequest): Question<ChangeAnswer>;
  orderDetail(orderId: OrderId, purpose?: ReadPurpose): Question<Answer<ListedOrder>>;
  /** Orders of the trading day; `open`: only those that the venue may still execute, where it can leave out the others. */
  ordersToday(purpose?: ReadPurpose, scope?: 'all' | 'open'): Question<Answer<readonly ListedOrder[]>>;
  /**
   * Orders that the newest complete list of the day names and that could not be read, also those that are over; absent where every one
   * can be read.
   */
  readonly unread?: () => readonly UnreadOrder[];
  /** Orders of earlier days that were submitted at or after `from`; what is still open may stand among today's instead. */
  ordersBefore(from: Millis): Question<Answer<readonly ListedOrder[]>>;
  /** All pages, newest last. */
  executionsToday(orderId?: OrderId, purpose?: ReadPurpose): Question<Answer<readonly Execution[]>>;
  /** Executions of earlier days, at or after `from`; all pages, newest last. */
  executionsBefore(from: Millis): Question<Answer<readonly Execution[]>>;
  buyLimit(question: BuyLimitQuestion): Question<Answer<BuyLimit>>;
  marginFactors(symbol: SecuritySymbol): Question<Answer<MarginFactors>>;
  balance(currency?: Currency, purpose?: ReadPurpose): Question<Answer<AccountBalance>>;
  positions(purpose?: ReadPurpose): Question<Answer<readonly Position[]>>;
  /** Interest and fees for borrowed shares that the venue booked between two instants, both included, oldest first. */
  cashPostings(span: {
    readonly from: Millis;
    readonly to: Millis;
  }): Question<Answer<readonly CashPosting[]>>;
}
