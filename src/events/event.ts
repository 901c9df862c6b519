import type { Position } from '../model/account.ts';
import type { AffordableQuantity } from '../model/affordable-quantity.ts';
import type { OrderLink } from '../model/algorithm.ts';
import type { CashPostingKind } from '../model/cash-posting.ts';
import type { CorporateAction } from '../model/corporate-action.ts';
import type { Decimal, Price, Quantity } from '../model/decimal.ts';
import type { Fill } from '../model/fill.ts';
import type { GateActor, GateState } from '../model/gate.ts';
import type { StateNote } from '../model/kept-state.ts';
import type { Currency } from '../model/money.ts';
import type {
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
import type { AlgorithmEvent } from './algorithm-events.ts';
import type { Cause } from './cause.ts';
import type { OperatorEvent } from './operator-events.ts';
import type { RecoveryEvent } from './recovery-events.ts';
import type { ReplaceEvent } from './replace-events.ts';
import type { StrategyStateSaved } from './state-events.ts';

/** A run begins: what ran, on whose money. At a journal's first start the books open with it; later ones go on with theirs. */
export interface RunStarted {
  readonly kind: 'run-started';
  readonly at: Millis;
  readonly schema: 1;
  readonly strategy: string;
  readonly config: string;
  readonly currency: Currency;
  readonly cash: Readonly<Record<Currency, Decimal>>;
  readonly positions: readonly Position[];
  /** Equity as the venue stated it, in the account's currency; absent in journals of earlier versions. */
  readonly equity?: Decimal;
  /** Executions of that day which cash and positions hold already, at a journal's first start. */
  readonly executions?: readonly ExecutionId[];
}

/** A strategy decided on an order; risk has not seen it. */
export interface IntentDrafted {
  readonly kind: 'intent-drafted';
  readonly at: Millis;
  readonly intentId: IntentId;
  readonly terms: OrderTerms;
  readonly reason: string;
  readonly cause: Cause;
  /** Cancel what is still open this long after the venue took it, milliseconds of market time. */
  readonly cancelAfterMs?: number;
  /** The algorithm that wants it; absent when the strategy asked for this very order. */
  readonly link?: OrderLink;
  /** Which of the bot's strategies wants it; absent in a bot with one. */
  readonly strategy?: string;
  /** What the strategy remembers from the answer on that this order is part of; absent when that changed nothing. */
  readonly note?: StateNote;
}

/** The gate refused an intent (T-01, T-03). */
export interface IntentDenied {
  readonly kind: 'intent-denied';
  readonly at: Millis;
  readonly intentId: IntentId;
  readonly rule: string;
  readonly reason: string;
  readonly numbers: readonly RiskNumber[];
  /** What could have been paid for, where a purchase was denied for want of money alone. */
  readonly payable?: AffordableQuantity;
}

/** The gate let an intent through and its money is reserved (T-02). */
export interface IntentArmed {
  readonly kind: 'intent-armed';
  readonly at: Millis;
  readonly intentId: IntentId;
  readonly numbers: readonly RiskNumber[];
}

/**
 * Bytes of a submit are about to leave (T-04): it has its place in the call budget, and this is written before the first of
 * them does. A further attempt proves that no byte of those before it left.
 */
export interface SubmitSending {
  readonly kind: 'submit-sending';
  readonly at: Millis;
  readonly intentId: IntentId;
  readonly attempt: number;
  /** What leaves (I-1); absent at a venue that is asked without a wire, and in older journals. */
  readonly written?: WrittenRequest;
}

/** The venue gave the order an id (T-05, T-10, T-11). */
export interface SubmitAcked {
  readonly kind: 'submit-acked';
  readonly at: Millis;
  readonly intentId: IntentId;
  readonly orderId: OrderId;
  /** How the id came to be known. */
  readonly by: 'answer' | 'late-answer' | 'listing' | 'push' | 'operator';
}

/** Proof that the venue did not take the order (T-07). */
export interface SubmitRefused {
  readonly kind: 'submit-refused';
  readonly at: Millis;
  readonly intentId: IntentId;
  readonly code: number;
  readonly message: string;
}

/** Proof that no byte left (T-08 when attempts are left). */
export interface SubmitNotSent {
  readonly kind: 'submit-not-sent';
  readonly at: Millis;
  readonly intentId: IntentId;
  readonly message: string;
}

/** No answer, or none that proves anything (T-06, T-09): the order may live, its money stays reserved. */
export interface SubmitUnknown {
  readonly kind: 'submit-unknown';
  readonly at: Millis;
  readonly intentId: IntentId;
  readonly message: string;
}

/** Window and reads used up without a trace of the order (T-13): never sent again, reservation kept. */
export interface SubmitAbandoned {
  readonly kind: 'submit-abandoned';
  readonly at: Millis;
  readonly intentId: IntentId;
  readonly reads: number;
}

/** The venue's word on an order moved (T-18, T-21). */
export interface OrderMoved {
  readonly kind: 'order-moved';
  readonly at: Millis;
  readonly intentId: IntentId;
  readonly status: ReadStatus;
  readonly rawStatus: string;
  readonly executedQuantity: Quantity;
  readonly message: string;
}

/** One execution entered the books (T-22, T-29). */
export interface OrderFilled {
  readonly kind: 'order-filled';
  readonly at: Millis;
  readonly intentId: IntentId;
  readonly fill: Fill;
  /** Whoever told of it does not tell charges: they follow as `order-charged`, 0 when there are none. Absent: they are in the fill. */
  readonly chargesOpen?: true;
}

/** The venue lists a further order under the tag of this one (T-16); it is cancelled once if it is live. */
export interface OrderDoubled {
  readonly kind: 'order-doubled';
  readonly at: Millis;
  readonly intentId: IntentId;
  /** The order that is one too many. */
  readonly orderId: OrderId;
}

/** Somebody wants an order cancelled of which we have no id yet (T-33). */
export interface CancelAsked {
  readonly kind: 'cancel-asked';
  readonly at: Millis;
  readonly intentId: IntentId;
}

/** Bytes of a cancel are about to leave (T-32). */
export interface CancelSending {
  readonly kind: 'cancel-sending';
  readonly at: Millis;
  readonly intentId: IntentId;
}

/** The venue's answer to a cancel (T-34, T-35, T-36). */
export interface CancelAnswered {
  readonly kind: 'cancel-answered';
  readonly at: Millis;
  readonly intentId: IntentId;
  readonly answer: ChangeWord;
  readonly message: string;
}

/** A restriction of the gate began, or some ended; what is in force holds across restarts until its cause ends or an operator resumes. */
export interface GateMoved {
  readonly kind: 'gate-moved';
  readonly at: Millis;
  /** How strict the restriction is that began; `active` where restrictions ended. */
  readonly state: GateState;
  readonly by: GateActor;
  /** The rule that moved it, or what the operator used. */
  readonly rule: string;
  readonly reason: string;
  /** Equity then, in the account's currency, where it was known. */
  readonly equity?: Decimal;
  /** What restricts, where it is not the rule itself. */
  readonly cause?: string;
  /** With `active`: keys of the restrictions that ended; absent in journals of earlier versions, where all of the account did. */
  readonly ends?: readonly string[];
}

/** Equity stood higher than ever before when an order was judged: what drawdown is measured from. */
export interface EquityPeaked {
  readonly kind: 'equity-peaked';
  readonly at: Millis;
  readonly equity: Decimal;
}

/** A dividend was paid, or a split happened, on what is held: what that did to the books. */
export interface CorporateActionBooked {
  readonly kind: 'corporate-action';
  readonly at: Millis;
  readonly action: CorporateAction['kind'];
  readonly symbol: SecuritySymbol;
  readonly currency: Currency;
  /** Change of the quantity held. */
  readonly quantity: Quantity;
  /** Average cost per share from then on. */
  readonly averageCost: Decimal;
  /** What it does to each share, for the books of several strategies; absent in journals of earlier versions. */
  readonly terms?:
    | { readonly perShare: Decimal; readonly withheld?: Decimal }
    | { readonly perShare?: never; readonly ratio: Decimal; readonly price: Price }
    | { readonly perShare?: never; readonly ratio?: never; readonly paidOut: Price };
  /** Cash that came in: the dividend, what a delisting pays, or the payment for a fraction of a share; below zero on a short position. */
  readonly amount: Decimal;
}

/** The venue booked interest, or a fee for borrowed shares. */
export interface InterestBooked {
  readonly kind: 'interest-booked';
  readonly at: Millis;
  readonly move: CashPostingKind;
  readonly currency: Currency;
  /** Below zero where the account paid. */
  readonly amount: Decimal;
  /** What was borrowed; absent for interest. */
  readonly symbol?: SecuritySymbol;
}

/** The strategy threw or broke its contract; it is not asked again. */
export interface StrategyFailed {
  readonly kind: 'strategy-failed';
  readonly at: Millis;
  readonly message: string;
  readonly stack: string;
  /** Which of the bot's strategies; absent in a bot with one. */
  readonly strategy?: string;
}

/** A run ended, and why. */
export interface RunEnded {
  readonly kind: 'run-ended';
  readonly at: Millis;
  readonly reason: 'finished' | 'interrupted' | 'failed';
  readonly message: string;
}

/** Everything worth remembering. State is a fold over these, and nothing else. */
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
  | CancelAsked
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
