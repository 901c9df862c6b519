import type { AffordableQuantity } from './affordable-quantity.ts';
import type { Price, Quantity } from './decimal.ts';
import { type ExecutionId, isTerminalStatus, type OrderId, type ReadStatus } from './order.ts';
import type { Millis } from './time.ts';

/** How far the submit of an intent got. @see docs/reliability.md, "States of an order" */
export type Submission =
  | { readonly kind: 'drafted' }
  /** `payable`: what could have been paid for, where nothing but money was missing. */
  | { readonly kind: 'denied'; readonly rule: string; readonly payable?: AffordableQuantity }
  | { readonly kind: 'armed' }
  | { readonly kind: 'sending'; readonly attempt: number }
  | { readonly kind: 'acked'; readonly orderId: OrderId }
  | { readonly kind: 'refused'; readonly code: number }
  | { readonly kind: 'not-sent' }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'abandoned' }
  /** A person settled its outcome (T-55); `orderId` is the venue's, where there was one. */
  | {
      readonly kind: 'settled';
      readonly outcome: 'dead' | 'filled';
      readonly orderId: OrderId | undefined;
    };

/** A change of ours that the venue has not finished. */
export type Pending =
  | 'none'
  | 'cancel-sending'
  | 'cancel-unknown'
  | 'cancel-acked'
  | 'replace-sending'
  | 'replace-unknown'
  | 'replace-acked';

/** What was booked under one execution id. */
export interface Booked {
  readonly quantity: Quantity;
  readonly price: Price;
}

/** A read that contradicts a certain fact; it counts when a second read confirms it. */
export interface Doubt {
  /** `live`: a finished order was read as live; `shrunk`: less was executed than before. */
  readonly kind: 'live' | 'shrunk';
  readonly since: Millis;
}

/** An order as small facets; what people see ("working", "unknown", "done") is derived from them. */
export interface OrderFacets {
  readonly submission: Submission;
  /** Last accepted word of the venue. */
  readonly venue: ReadStatus | 'none';
  readonly pending: Pending;
  readonly executions: ReadonlyMap<ExecutionId, Booked>;
  /** Sum over `executions`. */
  readonly executed: Quantity;
  readonly ordered: Quantity;
  /** Quantity of a replace that the venue has not finished. */
  readonly replacement: Quantity | undefined;
  /** A cancel was asked for before the order had an id (T-33). */
  readonly cancelWanted: boolean;
  /** Cancels sent so far, and how many of them the venue accepted. */
  readonly cancels: number;
  /** Cancels of which no byte left: none of them counts towards the limit, so that an outage uses up no attempt. */
  readonly unsentCancels: number;
  readonly cancelAcks: number;
  readonly doubt: Doubt | undefined;
  /** Further orders that the venue lists under the tag of this one (T-16). */
  readonly twins: ReadonlySet<OrderId>;
}

/** An order status from the venue, and the channel that delivered it. */
export interface StatusMove {
  readonly kind: 'status';
  readonly status: ReadStatus;
  /** A push is a hint; only what was pulled is taken for true. */
  readonly by: 'push' | 'pull';
  readonly executedQuantity: Quantity;
  readonly at: Millis;
}

/** What should be done because of a move, as a value: the caller of the fold decides whether to act on it. */
export type OrderEffect =
  | { readonly kind: 'pull'; readonly afterMs: number }
  | { readonly kind: 'cancel' }
  | AlarmEffect;

/** A person should be notified. */
export interface AlarmEffect {
  readonly kind: 'alarm';
  readonly code: OrderAlarm;
  readonly message: string;
  /** What must not open any more until that person has looked. */
  readonly halt: HaltScope | undefined;
}

/** How much of the account a halt stops from opening. */
export type HaltScope = 'account' | 'symbol';

/** Stable names of what can be wrong with an order. */
export type OrderAlarm =
  | 'abandoned-found'
  | 'cancel-given-up'
  | 'cancel-ignored'
  | 'cancel-not-offered'
  | 'day-order-lives'
  | 'execution-changed'
  | 'executions-missing'
  | 'late-fill'
  | 'never-sent-found'
  | 'order-doubled'
  | 'overfilled'
  | 'refusal-was-false'
  | 'reopened'
  | 'replace-doubled'
  | 'replace-missing'
  | 'settled-otherwise'
  | 'shrunk'
  | 'status-missing'
  | 'terminal-conflict'
  | 'unproven'
  | 'unrecognised-status';

/** The facets after a move, and what the move calls for. */
export interface Step {
  readonly order: OrderFacets;
  readonly effects: readonly OrderEffect[];
}

/** A move without news keeps the very same facets. */
export function stay(order: OrderFacets, ...effects: readonly OrderEffect[]): Step {
  return { order, effects };
}

/** Wishes for a read of the order. */
export function pull(afterMs = 0): OrderEffect {
  return { kind: 'pull', afterMs };
}

/** An alarm to a person; a divergence also names what to halt. */
export function alarm(code: OrderAlarm, message: string, halt?: HaltScope): AlarmEffect {
  return { kind: 'alarm', code, message, halt };
}

/** True once the venue reported that it will do nothing more with the order. */
export function isOver({ venue }: OrderFacets): boolean {
  return venue !== 'none' && isTerminalStatus(venue);
}

/** The venue's status, or how far the submit got, and what is pending, as `NewStatus, cancel-acked`. */
export function facetsText({ submission, venue, pending }: OrderFacets): string {
  const state = submission.kind === 'acked' ? venue : submission.kind;
  return pending === 'none' ? state : `${state}, ${pending}`;
}
