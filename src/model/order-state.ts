import { type Quantity, ZERO } from './decimal.ts';
import { type ExecutionId, isTerminalStatus, type OrderId, type ReadStatus } from './order.ts';
import { unreachable } from './unreachable.ts';

/** How far the submit of an intent got. @see reliability.md 2.1 */
export type Submission =
  | { readonly kind: 'drafted' }
  | { readonly kind: 'denied'; readonly rule: string }
  | { readonly kind: 'armed' }
  | { readonly kind: 'sending'; readonly attempt: number }
  | { readonly kind: 'acked'; readonly orderId: OrderId }
  | { readonly kind: 'refused'; readonly code: number }
  | { readonly kind: 'not-sent' }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'abandoned' };

/** A change of ours that the venue has not finished. */
export type Pending = 'none' | 'cancel-sending' | 'cancel-unknown' | 'cancel-acked';

/** An order as four small facets; what people see ("working", "unknown", "done") is derived from them. */
export interface OrderFacets {
  readonly submission: Submission;
  /** Last accepted word of the venue. */
  readonly venue: ReadStatus | 'none';
  readonly pending: Pending;
  readonly executions: ReadonlySet<ExecutionId>;
  readonly executed: Quantity;
}

/** Everything that can move an order. @see reliability.md 2.3 */
export type OrderMove =
  | { readonly kind: 'denied'; readonly rule: string }
  | { readonly kind: 'armed' }
  | { readonly kind: 'sending'; readonly attempt: number }
  | { readonly kind: 'acked'; readonly orderId: OrderId }
  | { readonly kind: 'refused'; readonly code: number }
  | { readonly kind: 'not-sent' }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'abandoned' }
  | { readonly kind: 'status'; readonly status: ReadStatus }
  | { readonly kind: 'executed'; readonly executionId: ExecutionId; readonly quantity: Quantity }
  | { readonly kind: 'cancel-sending' }
  | { readonly kind: 'cancel-answered'; readonly answer: 'accepted' | 'refused' | 'unknown' };

/** An order that a strategy asked for and nobody has judged yet. */
export const DRAFTED: OrderFacets = {
  submission: { kind: 'drafted' },
  venue: 'none',
  pending: 'none',
  executions: new Set(),
  executed: ZERO,
};

/** What a step of the submit may follow; anywhere else it is a late word and moves nothing. @see reliability.md 2.3 */
const FOLLOWS: Readonly<Record<Submission['kind'], readonly Submission['kind'][]>> = {
  drafted: [],
  denied: ['drafted', 'armed'],
  armed: ['drafted', 'sending'],
  sending: ['armed'],
  acked: ['sending', 'refused', 'unknown', 'abandoned'],
  refused: ['sending'],
  'not-sent': ['sending'],
  unknown: ['sending'],
  abandoned: ['unknown'],
};

/** Folds one move into the facets; a move that says nothing new gives back the same object. */
export function moveOrder(order: OrderFacets, move: OrderMove): OrderFacets {
  switch (move.kind) {
    case 'denied':
    case 'armed':
    case 'sending':
    case 'acked':
    case 'refused':
    case 'not-sent':
    case 'unknown':
    case 'abandoned':
      return FOLLOWS[move.kind].includes(order.submission.kind) ? { ...order, submission: move } : order;
    case 'status':
      return moveStatus(order, move.status);
    case 'executed':
      if (order.executions.has(move.executionId)) return order;
      return {
        ...order,
        executions: new Set([...order.executions, move.executionId]),
        executed: order.executed.plus(move.quantity),
      };
    case 'cancel-sending':
      return isLive(order) ? { ...order, pending: 'cancel-sending' } : order;
    case 'cancel-answered':
      return moveCancel(order, move.answer);
    default:
      return unreachable(move);
  }
}

function moveStatus(order: OrderFacets, status: ReadStatus): OrderFacets {
  if (order.venue === status) return order;
  if (order.venue !== 'none' && isTerminalStatus(order.venue)) return order;
  return isTerminalStatus(status)
    ? { ...order, venue: status, pending: 'none' }
    : { ...order, venue: status };
}

function moveCancel(order: OrderFacets, answer: 'accepted' | 'refused' | 'unknown'): OrderFacets {
  if (order.pending === 'none') return order;
  if (answer === 'refused') return { ...order, pending: 'none' };
  return { ...order, pending: answer === 'accepted' ? 'cancel-acked' : 'cancel-unknown' };
}

/** True while the order may still add exposure: sent or unproved, and not finished by the venue's word. */
export function isLive(order: OrderFacets): boolean {
  switch (order.submission.kind) {
    case 'armed':
    case 'sending':
    case 'unknown':
    case 'abandoned':
      return true;
    case 'acked':
      return order.venue === 'none' || !isTerminalStatus(order.venue);
    case 'drafted':
    case 'denied':
    case 'refused':
    case 'not-sent':
      return false;
    default:
      return unreachable(order.submission);
  }
}
