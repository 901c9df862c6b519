import type { AffordableQuantity } from './affordable-quantity.ts';
import type { Price, Quantity } from './decimal.ts';
import { type ExecutionId, isTerminalStatus, type OrderId, type ReadStatus } from './order.ts';
import type { Millis } from './time.ts';

/**
 * Progress of an intent's submission.
 * @see docs/reliability.md, "States of an order"
 */
export type Submission =
  | { readonly kind: 'drafted' }
  /** `payable`: the affordable quantity, if only funds were insufficient. */
  | { readonly kind: 'denied'; readonly rule: string; readonly payable?: AffordableQuantity }
  | { readonly kind: 'armed' }
  | { readonly kind: 'sending'; readonly attempt: number }
  | { readonly kind: 'acked'; readonly orderId: OrderId }
  | { readonly kind: 'refused'; readonly code: number }
  | { readonly kind: 'not-sent' }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'abandoned' }
  /** A person settled the outcome (T-55); `orderId` is the venue's, if there was one. */
  | {
      readonly kind: 'settled';
      readonly outcome: 'dead' | 'filled';
      readonly orderId: OrderId | undefined;
    };

/** Our unfinished cancel or replace. */
export type Pending =
  | 'none'
  | 'cancel-sending'
  | 'cancel-unknown'
  | 'cancel-acked'
  | 'replace-sending'
  | 'replace-unknown'
  | 'replace-acked';

export interface Booked {
  readonly quantity: Quantity;
  readonly price: Price;
}

/** A read that contradicts an established fact; it counts once a second read confirms it. */
export interface Doubt {
  /** `live`: a finished order was read as live; `shrunk`: less was executed than before. */
  readonly kind: 'live' | 'shrunk';
  readonly since: Millis;
}

/**
 * The state of an order as independent facets; displayed states ("working", "unknown", "done") are derived from them.
 */
export interface OrderFacets {
  readonly submission: Submission;
  /** The last status accepted from the venue. */
  readonly venue: ReadStatus | 'none';
  readonly pending: Pending;
  readonly executions: ReadonlyMap<ExecutionId, Booked>;
  /** Sum of `executions`. */
  readonly executed: Quantity;
  readonly ordered: Quantity;
  /** Quantity of an unfinished replace. */
  readonly replacement: Quantity | undefined;
  /** A cancel was requested before the order had an id (T-33). */
  readonly cancelWanted: boolean;
  /** Cancels sent, and how many of them the venue accepted. */
  readonly cancels: number;
  /** Cancels of which no byte was sent. They do not count towards the limit, so that an outage uses up no attempt. */
  readonly unsentCancels: number;
  readonly cancelAcks: number;
  readonly doubt: Doubt | undefined;
  /** Further orders that the venue lists under this order's tag (T-16). */
  readonly twins: ReadonlySet<OrderId>;
}

/** An order status from the venue, and the channel that delivered it. */
export interface StatusMove {
  readonly kind: 'status';
  readonly status: ReadStatus;
  /** A push is a hint; only pulled statuses are authoritative. */
  readonly by: 'push' | 'pull';
  readonly executedQuantity: Quantity;
  readonly at: Millis;
}

/** An effect that a move requests; the caller of the fold decides whether to apply it. */
export type OrderEffect =
  | { readonly kind: 'pull'; readonly afterMs: number }
  | { readonly kind: 'cancel' }
  | AlarmEffect;

export interface AlarmEffect {
  readonly kind: 'alarm';
  readonly code: OrderAlarm;
  readonly message: string;
  /** Scope in which nothing may open until the operator has reviewed it. */
  readonly halt: HaltScope | undefined;
}

export type HaltScope = 'account' | 'symbol';

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

export interface Step {
  readonly order: OrderFacets;
  readonly effects: readonly OrderEffect[];
}

/** Returns the same facets with effects; for moves without news. */
export function stay(order: OrderFacets, ...effects: readonly OrderEffect[]): Step {
  return { order, effects };
}

export function pull(afterMs = 0): OrderEffect {
  return { kind: 'pull', afterMs };
}

/** Creates an alarm; for a divergence, `halt` names what to halt. */
export function alarm(code: OrderAlarm, message: string, halt?: HaltScope): AlarmEffect {
  return { kind: 'alarm', code, message, halt };
}

/** True once the venue has finished the order. */
export function isOver({ venue }: OrderFacets): boolean {
  return venue !== 'none' && isTerminalStatus(venue);
}

/**
 * Returns the venue's status, or the submit state before acceptance, and what is pending: `NewStatus, cancel-acked`.
 */
export function facetsText({ submission, venue, pending }: OrderFacets): string {
  const state = submission.kind === 'acked' ? venue : submission.kind;
  return pending === 'none' ? state : `${state}, ${pending}`;
}
