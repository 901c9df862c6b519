import type { Position } from '../model/account.ts';
import type { AffordableQuantity } from '../model/affordable-quantity.ts';
import type { AlgorithmId, AlgorithmSpec, OrderLink } from '../model/algorithm.ts';
import type { CashPostingKind } from '../model/cash-posting.ts';
import type { CorporateAction } from '../model/corporate-action.ts';
import type { Decimal, Price, Quantity } from '../model/decimal.ts';
import type { BookedFill, Fill } from '../model/fill.ts';
import type { GateActor, GateState } from '../model/gate.ts';
import type { KeptState, StateNote } from '../model/kept-state.ts';
import type { Currency } from '../model/money.ts';
import type {
  Charge,
  ExecutionId,
  IntentId,
  OrderId,
  OrderTerms,
  ReadStatus,
  WrittenRequest,
} from '../model/order.ts';
import type { ChangeWord } from '../model/pending-step.ts';
import type { RiskNumber } from '../model/risk-number.ts';
import type { SecuritySymbol } from '../model/symbol.ts';
import type { Millis } from '../model/time.ts';
import type { Cause } from './cause.ts';

/** Fields of every event. */
export interface EventOf<K extends string> {
  readonly kind: K;
  /** Market time of the record. */
  readonly at: Millis;
}

/** An event about one order of the bot. */
export interface OrderEventOf<K extends string> extends EventOf<K> {
  readonly intentId: IntentId;
}

/** A run started. The first run of a journal opens the books from the account. */
export interface RunStarted extends EventOf<'run-started'> {
  readonly schema: 1;
  readonly strategy: string;
  readonly config: string;
  readonly currency: Currency;
  readonly cash: Readonly<Record<Currency, Decimal>>;
  readonly positions: readonly Position[];
  /** Equity according to the venue, in the account's currency; absent in journals of earlier versions. */
  readonly equity?: Decimal;
  /** Executions of the day that `cash` and `positions` already include, at a journal's first start. */
  readonly executions?: readonly ExecutionId[];
}

/** A strategy requested an order; the gate has not judged it. */
export interface IntentDrafted extends OrderEventOf<'intent-drafted'> {
  readonly terms: OrderTerms;
  readonly reason: string;
  readonly cause: Cause;
  /** The order leads to a target position; absent if its quantity is independent of the position. */
  readonly isTarget?: true;
  /** Time after acknowledgement at which the rest is cancelled, in milliseconds of market time. */
  readonly cancelAfterMs?: number;
  /** The algorithm that requested it; absent if the strategy did. */
  readonly link?: OrderLink;
  /** The strategy, in a bot with several. */
  readonly strategy?: string;
  /** The strategy's state after the hook that requested this order; absent if unchanged. */
  readonly note?: StateNote;
}

/** The gate denied an intent (T-01, T-03). */
export interface IntentDenied extends OrderEventOf<'intent-denied'> {
  readonly rule: string;
  readonly reason: string;
  readonly numbers: readonly RiskNumber[];
  /** Affordable quantity, if a buy was denied only for insufficient funds. */
  readonly payable?: AffordableQuantity;
}

/** The gate approved an intent; its funds are reserved (T-02). */
export interface IntentArmed extends OrderEventOf<'intent-armed'> {
  /**
   * Quantity that leads to the target now, for an order that waited for exits to be cancelled; absent if unchanged.
   */
  readonly quantity?: Quantity;
  readonly numbers: readonly RiskNumber[];
}

/**
 * A submit is about to be sent (T-04). This event is on disk before the first byte is sent. A further attempt implies
 * that no byte of the previous ones was sent.
 */
export interface SubmitSending extends OrderEventOf<'submit-sending'> {
  readonly attempt: number;
  /** The request as sent (I-1); absent for simulated venues and in older journals. */
  readonly written?: WrittenRequest;
}

/** The venue gave the order an id (T-05, T-10, T-11). */
export interface SubmitAcked extends OrderEventOf<'submit-acked'> {
  readonly orderId: OrderId;
  /** Where the id came from. */
  readonly by: 'answer' | 'late-answer' | 'listing' | 'push' | 'operator';
}

/** Proof that the venue did not accept the order (T-07). */
export interface SubmitRefused extends OrderEventOf<'submit-refused'> {
  readonly code: number;
  readonly message: string;
}

/** Proof that no byte was sent (T-08 if attempts remain). */
export interface SubmitNotSent extends OrderEventOf<'submit-not-sent'> {
  readonly message: string;
}

/** No conclusive answer (T-06, T-09): the order may exist, so its funds stay reserved. */
export interface SubmitUnknown extends OrderEventOf<'submit-unknown'> {
  readonly message: string;
}

/** The search for an unknown order found nothing (T-13). It is never sent again; its reservation remains. */
export interface SubmitAbandoned extends OrderEventOf<'submit-abandoned'> {
  readonly reads: number;
}

/** The venue's status of an order changed (T-18, T-21). */
export interface OrderMoved extends OrderEventOf<'order-moved'> {
  readonly status: ReadStatus;
  readonly rawStatus: string;
  readonly executedQuantity: Quantity;
  readonly message: string;
}

/** An execution was booked (T-22, T-29). */
export interface OrderFilled extends OrderEventOf<'order-filled'> {
  readonly fill: Fill;
  /** The fees follow as `order-charged`, even if they are 0; absent: the fill includes them. */
  readonly chargesOpen?: true;
}

/** The venue lists a further order under the tag of this one (T-16); it is cancelled once if it is live. */
export interface OrderDoubled extends OrderEventOf<'order-doubled'> {
  /** The duplicate. */
  readonly orderId: OrderId;
}

/** A cancel was requested for an order whose venue id is not known yet (T-33). */
export type CancelRequested = OrderEventOf<'cancel-asked'>;

/** A cancel is about to be sent (T-32). */
export type CancelSending = OrderEventOf<'cancel-sending'>;

/** The venue's answer to a cancel (T-34, T-35, T-36). */
export interface CancelAnswered extends OrderEventOf<'cancel-answered'> {
  readonly answer: ChangeWord;
  readonly message: string;
}

/**
 * A gate restriction began, or some ended. Restrictions survive restarts until their cause ends or the operator
 * resumes.
 */
export interface GateMoved extends EventOf<'gate-moved'> {
  /** Strictness of the restriction that began; `active` if restrictions ended. */
  readonly state: GateState;
  readonly by: GateActor;
  /** The rule, or the operator's command or channel. */
  readonly rule: string;
  readonly reason: string;
  /** Equity at that time, in the account's currency; absent if unknown. */
  readonly equity?: Decimal;
  /** The cause, if it is not the rule. */
  readonly cause?: string;
  /**
   * With `active`: keys of the restrictions that ended; absent in older journals, where all restrictions of the
   * account ended.
   */
  readonly ends?: readonly string[];
}

/** Equity reached a new high when an order was checked. Drawdown is measured from it. */
export interface EquityPeaked extends EventOf<'equity-peaked'> {
  readonly equity: Decimal;
}

/** A dividend, split or delisting of a held security was booked. */
export interface CorporateActionBooked extends EventOf<'corporate-action'> {
  readonly action: CorporateAction['kind'];
  readonly symbol: SecuritySymbol;
  readonly currency: Currency;
  /** Change of the position. */
  readonly quantity: Quantity;
  /** New average cost per share; absent if unknown. */
  readonly averageCost?: Decimal;
  /** Effect on each share, for the books of several strategies; absent in journals of earlier versions. */
  readonly terms?:
    | { readonly perShare: Decimal; readonly withheld?: Decimal }
    | { readonly perShare?: never; readonly ratio: Decimal; readonly price: Price }
    | { readonly perShare?: never; readonly ratio?: never; readonly paidOut: Price };
  /** Cash received: a dividend, the payout of a delisting or of a fractional share; negative on a short position. */
  readonly amount: Decimal;
}

/** The venue booked interest, or a fee for borrowed shares. */
export interface InterestBooked extends EventOf<'interest-booked'> {
  readonly move: CashPostingKind;
  readonly currency: Currency;
  /** Negative if the account paid. */
  readonly amount: Decimal;
  /** The borrowed security; absent for interest. */
  readonly symbol?: SecuritySymbol;
}

/** The strategy threw or broke its contract; it is not called again. */
export interface StrategyFailed extends EventOf<'strategy-failed'> {
  readonly message: string;
  readonly stack: string;
  /** Name of the strategy; absent in a bot with one. */
  readonly strategy?: string;
  /** True if its orders remain, by `execution.whenStrategyFails: keep`. */
  readonly keepsOrders?: true;
}

/** A run ended. */
export interface RunEnded extends EventOf<'run-ended'> {
  readonly reason: 'finished' | 'interrupted' | 'failed';
  readonly message: string;
}

/** All journaled events. The bot's state is a fold over them. */
export type SluiceEvent =
  | AlgorithmEvent
  | ReplaceEvent
  | RunStarted
  | IntentDrafted
  | IntentDenied
  | IntentArmed
  | SubmitSending
  | SubmitAcked
  | SubmitRefused
  | SubmitNotSent
  | SubmitUnknown
  | SubmitAbandoned
  | OrderMoved
  | OrderFilled
  | OrderDoubled
  | CancelRequested
  | CancelSending
  | CancelAnswered
  | GateMoved
  | EquityPeaked
  | OperatorEvent
  | StrategyStateSaved
  | StrategyFailed
  | RunEnded
  | CorporateActionBooked
  | InterestBooked
  | RecoveryEvent;

/** A strategy's state changed, or it handled an execution, without an order that records it. */
export interface StrategyStateSaved extends EventOf<'state-kept'> {
  readonly note: StateNote;
}

/** Saved state of each strategy, by name. */
export type KeptStates = ReadonlyMap<string, KeptState>;

/**
 * A replace is about to be sent (T-40), with the gate's verdict; the funds of both versions are reserved from now on.
 */
export interface ReplaceSending extends OrderEventOf<'replace-sending'> {
  /** The requested terms; the quantity is the new total. */
  readonly terms: OrderTerms;
  readonly numbers: readonly RiskNumber[];
  /** The request as sent (I-1); absent for simulated venues and in older journals. */
  readonly written?: WrittenRequest;
}

/** The venue's answer to a replace (T-41, T-42). */
export interface ReplaceAnswered extends OrderEventOf<'replace-answered'> {
  readonly answer: ChangeWord;
  readonly message: string;
}

/** A read shows the terms at the venue: the new ones, or after an unknown outcome the old ones. */
export interface ReplaceRead extends OrderEventOf<'replace-read'> {
  readonly terms: OrderTerms;
}

/** The gate denied new terms; the order continues with the old ones. */
export interface ReplaceDenied extends OrderEventOf<'replace-denied'> {
  readonly terms: OrderTerms;
  readonly rule: string;
  readonly reason: string;
  readonly numbers: readonly RiskNumber[];
}

export type ReplaceEvent = ReplaceSending | ReplaceAnswered | ReplaceRead | ReplaceDenied;

/** Commands of an operator, or a schedule, to a running bot. */
export type CommandName =
  | 'kill'
  | 'halt'
  | 'reduce-only'
  | 'resume'
  | 'cancel-all'
  | 'flatten'
  | 'settle'
  | 'adopt-books'
  | 'stop-opening'
  | 'start-opening';

/** A command to the running bot, and whether it was carried out. */
export interface OperatorCommanded extends EventOf<'operator-commanded'> {
  readonly command: CommandName;
  /** Origin of the command: `cli`, `signal`, `kill file`, `schedule`. */
  readonly by: string;
  readonly reason: string;
  /**
   * Symbols of a `cancel-all` or `flatten`, or of the market of a scheduled `stop-opening` or `start-opening`;
   * absent: all.
   */
  readonly symbols?: readonly SecuritySymbol[];
  readonly taken: boolean;
  /** Details of the command, or why it was refused. */
  readonly message: string;
}

/**
 * The positions that a flatten still closes. Absent in journals of earlier versions, whose flattens ended with their
 * run.
 */
export interface FlattenChanged extends EventOf<'flatten-changed'> {
  /** All remaining symbols; empty if none. */
  readonly symbols: readonly SecuritySymbol[];
  /**
   * A symbol in which positions of strategies cancel out in the account, so that they are closed at this price
   * without an order.
   */
  readonly offset?: { readonly symbol: SecuritySymbol; readonly price: Price; readonly currency: Currency };
}

/** Opening orders in a symbol are denied until an operator resumes (T-39). */
export interface SymbolHalted extends EventOf<'symbol-halted'> {
  readonly symbol: SecuritySymbol;
  readonly rule: string;
  readonly reason: string;
}

export type OperatorEvent = OperatorCommanded | FlattenChanged | SymbolHalted;

/** A strategy started an order algorithm; its orders follow as intents that refer to it. */
export interface AlgorithmStarted extends EventOf<'algorithm-started'> {
  readonly algorithmId: AlgorithmId;
  readonly spec: AlgorithmSpec;
  readonly reason: string;
  readonly cause: Cause;
  /** Name of the strategy; absent in a bot with one. */
  readonly strategy?: string;
  /** The strategy's state after the hook that started the algorithm; absent if unchanged. */
  readonly note?: StateNote;
}

/** An algorithm cancels one of its orders; the cancel follows. */
export interface AlgorithmWithdrew extends EventOf<'algorithm-withdrew'> {
  readonly algorithmId: AlgorithmId;
  readonly intentId: IntentId;
  readonly why: string;
}

/** An algorithm ended: `done` as planned, `canceled` because another party ended its orders, or `failed`. */
export interface AlgorithmEnded extends EventOf<'algorithm-ended'> {
  readonly algorithmId: AlgorithmId;
  readonly outcome: 'done' | 'canceled' | 'failed';
  readonly why: string;
}

/** A drafted order waits for the cancellation of exits; the gate checks it after that. */
export type IntentHeld = OrderEventOf<'intent-held'>;

export type AlgorithmEvent = AlgorithmStarted | AlgorithmWithdrew | AlgorithmEnded | IntentHeld;

/** A process became the only writer of an account's journal (I-25). The first record of every start with a lease. */
export interface LeaseTaken extends EventOf<'lease-taken'> {
  /** Number of the journal's writer, from 1; a writer with a lower one is refused. */
  readonly epoch: number;
  /** Version of this program. */
  readonly version: string;
  /** SHA-256 of the config text. */
  readonly configHash: string;
  /** Machine time of the start. */
  readonly machineAt: Millis;
}

/** The state after archived records, as the first record of a journal. */
export interface JournalSnapshot {
  readonly kind: 'journal-carried';
  /** Time of the last archived record. */
  readonly at: Millis;
  /** Number of archived records, from the first record of the account on. */
  readonly records: number;
  /** Hash of the last archived record, from which the hash chain continues. */
  readonly chain: string;
  /** Name of the archive file next to the journal. */
  readonly archive: string;
  /** Format version of `state`; a program with another version reads the archive instead. */
  readonly form: number;
  readonly state: string;
}

/** A charge, or a refund, in addition to those booked with an order's fills. */
export interface OrderCharged extends OrderEventOf<'order-charged'> {
  readonly currency: Currency;
  /** Sum of `charges`; negative for a refund. */
  readonly fee: Decimal;
  readonly charges: readonly Charge[];
}

/** An external order on the account changed: displayed and counted, never modified (T-52). */
export interface ForeignMoved extends EventOf<'foreign-moved'> {
  readonly orderId: OrderId;
  readonly terms: OrderTerms;
  readonly status: ReadStatus;
  readonly rawStatus: string;
  readonly executedQuantity: Quantity;
  readonly remark: string;
  /** Absent in journals of earlier versions. */
  readonly currency?: Currency;
}

/** An execution of an external order. */
export type ForeignFill = BookedFill;

/** An execution of an external order was booked, because it changes the same account. */
export interface ForeignFilled extends EventOf<'foreign-filled'> {
  readonly fill: ForeignFill;
  /** The fees follow as `foreign-charged`, even if they are 0; absent: the fill includes them. */
  readonly chargesOpen?: true;
}

/** A charge, or a refund, in addition to those booked with an external order's fills. */
export interface ForeignCharged extends EventOf<'foreign-charged'> {
  readonly orderId: OrderId;
  readonly currency: Currency;
  /** Negative for a refund. */
  readonly fee: Decimal;
}

/** An operator replaced our cash and positions by the venue's. */
export interface BooksAdopted extends EventOf<'books-adopted'> {
  readonly cash: Readonly<Record<Currency, Decimal>>;
  readonly positions: readonly Position[];
  /** The operator, and the reason. */
  readonly by: string;
  readonly reason: string;
}

/** An operator settled an order whose outcome could not be read (T-55). */
export interface OrderSettled extends OrderEventOf<'order-settled'> {
  readonly outcome: 'dead' | 'filled';
  /** Executed quantity in addition to what is booked, if it was filled. */
  readonly quantity: Quantity;
  readonly price?: Price;
  readonly currency: Currency;
  readonly by: string;
  readonly reason: string;
}

export type RecoveryEvent =
  | LeaseTaken
  | JournalSnapshot
  | OrderCharged
  | ForeignMoved
  | ForeignFilled
  | ForeignCharged
  | BooksAdopted
  | OrderSettled;
