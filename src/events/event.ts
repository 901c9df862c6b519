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

/** What every event has. */
export interface EventOf<K extends string> {
  readonly kind: K;
  /** Market time at which it was written. */
  readonly at: Millis;
}

/** An event about one order of the bot. */
export interface OrderEventOf<K extends string> extends EventOf<K> {
  readonly intentId: IntentId;
}

/** A run started. The first one of a journal opens the books with the account; later runs continue with the journal's books. */
export interface RunStarted extends EventOf<'run-started'> {
  readonly schema: 1;
  readonly strategy: string;
  readonly config: string;
  readonly currency: Currency;
  readonly cash: Readonly<Record<Currency, Decimal>>;
  readonly positions: readonly Position[];
  /** Equity as the venue stated it, in the account's currency; absent in journals of earlier versions. */
  readonly equity?: Decimal;
  /** Executions of the day that `cash` and `positions` include already, at a journal's first start. */
  readonly executions?: readonly ExecutionId[];
}

/** A strategy requested an order; the gate has not judged it. */
export interface IntentDrafted extends OrderEventOf<'intent-drafted'> {
  readonly terms: OrderTerms;
  readonly reason: string;
  readonly cause: Cause;
  /** Leads to a target position; absent: it is for its quantity whatever is held. */
  readonly isTarget?: true;
  /** Cancel the rest this long after the venue accepted the order, in milliseconds of market time. */
  readonly cancelAfterMs?: number;
  /** The algorithm that requested it; absent if the strategy did. */
  readonly link?: OrderLink;
  /** The strategy, in a bot with several. */
  readonly strategy?: string;
  /** The strategy's state after the hook that requested this order; absent if unchanged. */
  readonly note?: StateNote;
}

/** The gate refused an intent (T-01, T-03). */
export interface IntentDenied extends OrderEventOf<'intent-denied'> {
  readonly rule: string;
  readonly reason: string;
  readonly numbers: readonly RiskNumber[];
  /** Affordable quantity, if a buy was denied only for insufficient funds. */
  readonly payable?: AffordableQuantity;
}

/** The gate let an intent through and its money is reserved (T-02). */
export interface IntentArmed extends OrderEventOf<'intent-armed'> {
  /** Shares that lead to its target now, of an order that waited for exits to be gone; absent: as it was drafted. */
  readonly quantity?: Quantity;
  readonly numbers: readonly RiskNumber[];
}

/**
 * A submit is about to be sent (T-04). It has its slot in the call budget, and this event is on disk before the first byte
 * leaves. A further attempt proves that no byte of the previous ones left.
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

/** Proof that the venue did not take the order (T-07). */
export interface SubmitRefused extends OrderEventOf<'submit-refused'> {
  readonly code: number;
  readonly message: string;
}

/** Proof that no byte left (T-08 when attempts are left). */
export interface SubmitNotSent extends OrderEventOf<'submit-not-sent'> {
  readonly message: string;
}

/** No conclusive answer (T-06, T-09): the order may exist, so its funds stay reserved. */
export interface SubmitUnknown extends OrderEventOf<'submit-unknown'> {
  readonly message: string;
}

/** The search for an unknown order ended without a trace of it (T-13). It is never sent again; its reservation stays. */
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
  /** The source of the fill has no fees; they follow as `order-charged`, 0 if there are none. Absent: the fill has them. */
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

/** A gate restriction began, or some ended. Restrictions survive restarts until their cause ends or the operator resumes. */
export interface GateMoved extends EventOf<'gate-moved'> {
  /** Strictness of the restriction that began; `active` if restrictions ended. */
  readonly state: GateState;
  readonly by: GateActor;
  /** The rule that moved it, or what the operator used. */
  readonly rule: string;
  readonly reason: string;
  /** Equity then, in the account's currency, where it was known. */
  readonly equity?: Decimal;
  /** The cause, if it is not the rule itself. */
  readonly cause?: string;
  /** With `active`: keys of the restrictions that ended; absent in older journals, where all of the account ended. */
  readonly ends?: readonly string[];
}

/** Equity reached a new high when an order was judged. Drawdown is measured from it. */
export interface EquityPeaked extends EventOf<'equity-peaked'> {
  readonly equity: Decimal;
}

/** A dividend, split or delisting of a held security was booked. */
export interface CorporateActionBooked extends EventOf<'corporate-action'> {
  readonly action: CorporateAction['kind'];
  readonly symbol: SecuritySymbol;
  readonly currency: Currency;
  /** Change of the quantity held. */
  readonly quantity: Quantity;
  /** Average cost per share from then on; absent where it is not known. */
  readonly averageCost?: Decimal;
  /** What it does to each share, for the books of several strategies; absent in journals of earlier versions. */
  readonly terms?:
    | { readonly perShare: Decimal; readonly withheld?: Decimal }
    | { readonly perShare?: never; readonly ratio: Decimal; readonly price: Price }
    | { readonly perShare?: never; readonly ratio?: never; readonly paidOut: Price };
  /** Cash that came in: the dividend, what a delisting pays, or the payment for a fraction of a share; below zero on a short position. */
  readonly amount: Decimal;
}

/** The venue booked interest, or a fee for borrowed shares. */
export interface InterestBooked extends EventOf<'interest-booked'> {
  readonly move: CashPostingKind;
  readonly currency: Currency;
  /** Below zero where the account paid. */
  readonly amount: Decimal;
  /** What was borrowed; absent for interest. */
  readonly symbol?: SecuritySymbol;
}

/** The strategy threw or broke its contract; it is not called again. */
export interface StrategyFailed extends EventOf<'strategy-failed'> {
  readonly message: string;
  readonly stack: string;
  /** Which of the bot's strategies; absent in a bot with one. */
  readonly strategy?: string;
}

/** A run ended, and why. */
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

/** Bytes of a replace are about to leave (T-40), with the verdict on the new terms; both versions are reserved from now on. */
export interface ReplaceSending extends OrderEventOf<'replace-sending'> {
  /** The order as it is to be; its quantity is the new total. */
  readonly terms: OrderTerms;
  readonly numbers: readonly RiskNumber[];
  /** The request as sent (I-1); absent at a venue without a wire, and in older journals. */
  readonly written?: WrittenRequest;
}

/** The venue's answer to a replace (T-41, T-42). */
export interface ReplaceAnswered extends OrderEventOf<'replace-answered'> {
  readonly answer: ChangeWord;
  readonly message: string;
}

/** A read shows which version the venue holds: the new one, or the old one after a replace in doubt. */
export interface ReplaceRead extends OrderEventOf<'replace-read'> {
  readonly terms: OrderTerms;
}

/** The gate refused new terms; the order lives on with its old ones. */
export interface ReplaceDenied extends OrderEventOf<'replace-denied'> {
  readonly terms: OrderTerms;
  readonly rule: string;
  readonly reason: string;
  readonly numbers: readonly RiskNumber[];
}

/** Everything about replaces that is worth remembering. */
export type ReplaceEvent = ReplaceSending | ReplaceAnswered | ReplaceRead | ReplaceDenied;

/** Names of what an operator, or a schedule, may ask of a running bot. */
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
  /** What a `cancel-all` or `flatten` is about, or a schedule's `stop-opening` and `start-opening`, those of one market; absent: everything. */
  readonly symbols?: readonly SecuritySymbol[];
  readonly taken: boolean;
  /** Particulars of the command, or why it was refused. */
  readonly message: string;
}

/** Which positions a flatten still closes from now on. Absent in journals of earlier versions, whose flattens ended with their run. */
export interface FlattenChanged extends EventOf<'flatten-changed'> {
  /** All of them; empty once none is left. */
  readonly symbols: readonly SecuritySymbol[];
  /**
   * A symbol of which the account holds nothing although several strategies do: their opposite positions are closed against each other at
   * this price, without an order. Absent: there are none.
   */
  readonly offset?: { readonly symbol: SecuritySymbol; readonly price: Price; readonly currency: Currency };
}

/** Nothing is opened in a symbol any more until an operator resumes (T-39). */
export interface SymbolHalted extends EventOf<'symbol-halted'> {
  readonly symbol: SecuritySymbol;
  readonly rule: string;
  readonly reason: string;
}

export type OperatorEvent = OperatorCommanded | FlattenChanged | SymbolHalted;

/** A strategy asked for an order algorithm; its orders follow as intents that name it. */
export interface AlgorithmStarted extends EventOf<'algorithm-started'> {
  readonly algorithmId: AlgorithmId;
  readonly spec: AlgorithmSpec;
  readonly reason: string;
  readonly cause: Cause;
  /** Which of the bot's strategies wants it; absent in a bot with one. */
  readonly strategy?: string;
  /** What the strategy remembers from the answer on that this is part of; absent when that changed nothing. */
  readonly note?: StateNote;
}

/** An algorithm withdraws one of its orders; the cancel follows. */
export interface AlgorithmWithdrew extends EventOf<'algorithm-withdrew'> {
  readonly algorithmId: AlgorithmId;
  readonly intentId: IntentId;
  readonly why: string;
}

/** An algorithm wants nothing more: `done` as it was meant, `canceled` because its orders were ended by another party, or `failed`. */
export interface AlgorithmEnded extends EventOf<'algorithm-ended'> {
  readonly algorithmId: AlgorithmId;
  readonly outcome: 'done' | 'canceled' | 'failed';
  readonly why: string;
}

/** A drafted order waits until the exits of the position that it closes are cancelled; risk checks it after that. */
export type IntentHeld = OrderEventOf<'intent-held'>;

/** Everything about algorithms that is worth remembering. */
export type AlgorithmEvent = AlgorithmStarted | AlgorithmWithdrew | AlgorithmEnded | IntentHeld;

/** A process became the one writer of an account's journal (I-25): the first record of every start that holds a lease. */
export interface LeaseTaken extends EventOf<'lease-taken'> {
  /** Counts the holders of this journal, from 1; a writer of an earlier one is refused. */
  readonly epoch: number;
  /** Version of this program. */
  readonly version: string;
  /** SHA-256 of the config as it was read. */
  readonly configHash: string;
  /** Machine time of the start. */
  readonly machineAt: Millis;
}

/**
 * The first record of a journal whose earlier records were archived: the state after them, and the name of their file. A fold continues
 * from it as it would from them.
 */
export interface JournalSnapshot {
  readonly kind: 'journal-carried';
  /** Time of the last archived record. */
  readonly at: Millis;
  /** How many were archived, from the first record of the account on. */
  readonly records: number;
  /** The end of the chain over them, from which it continues. */
  readonly chain: string;
  /** Name of the archive file next to the journal. */
  readonly archive: string;
  /** How `state` is written, and what is in it; a program that writes another form reads the archive instead. */
  readonly form: number;
  readonly state: string;
}

/** An order was charged more, or less, than was booked with its fills. */
export interface OrderCharged extends OrderEventOf<'order-charged'> {
  readonly currency: Currency;
  /** Sum of `charges`; below zero where the venue gave something back. */
  readonly fee: Decimal;
  readonly charges: readonly Charge[];
}

/** An order on the account that is not ours: shown and counted, never touched (T-52). */
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

/** An execution against an order that is not ours. */
export type ForeignFill = BookedFill;

/** An execution of an external order was booked, since it changes the same account. */
export interface ForeignFilled extends EventOf<'foreign-filled'> {
  readonly fill: ForeignFill;
  /** The source of the fill has no fees; they follow as `foreign-charged`, 0 if there are none. Absent: the fill has them. */
  readonly chargesOpen?: true;
}

/** An external order was charged more, or less, than was booked with its fills. */
export interface ForeignCharged extends EventOf<'foreign-charged'> {
  readonly orderId: OrderId;
  readonly currency: Currency;
  /** Below zero where the venue gave something back. */
  readonly fee: Decimal;
}

/** An operator took the venue's cash and positions for ours, after a difference that no order explains. */
export interface BooksAdopted extends EventOf<'books-adopted'> {
  readonly cash: Readonly<Record<Currency, Decimal>>;
  readonly positions: readonly Position[];
  /** The person who did it, and why. */
  readonly by: string;
  readonly reason: string;
}

/** An operator settled an order whose outcome could not be read (T-55). */
export interface OrderSettled extends OrderEventOf<'order-settled'> {
  readonly outcome: 'dead' | 'filled';
  /** Executed beyond what is booked, where it was filled. */
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
