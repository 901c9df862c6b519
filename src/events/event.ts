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
import type { ExecutionId, OrderId, OrderTerms, ReadStatus, WrittenRequest } from '../model/order.ts';
import type { ChangeWord } from '../model/pending-step.ts';
import type { RiskNumber } from '../model/risk-number.ts';
import type { SecuritySymbol } from '../model/symbol.ts';
import type { AlgorithmEvent } from './algorithm-events.ts';
import type { Cause } from './cause.ts';
import type { EventOf, OrderEventOf } from './event-base.ts';
import type { OperatorEvent } from './operator-events.ts';
import type { RecoveryEvent } from './recovery-events.ts';
import type { ReplaceEvent } from './replace-events.ts';
import type { StrategyStateSaved } from './state-events.ts';

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
