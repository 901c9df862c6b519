import { type Price, type Quantity, ZERO } from './decimal.ts';
import type { ExecutionId, OrderId } from './order.ts';
import {
  alarm,
  isOver,
  type OrderEffect,
  type OrderFacets,
  pull,
  type StatusMove,
  type Step,
  type Submission,
  stay,
} from './order-facets.ts';
import { type ChangeMove, stepChange } from './pending-step.ts';
import { stepStatus } from './status-step.ts';
import { unreachable } from './unreachable.ts';

type SubmitMove = Exclude<Submission, { kind: 'drafted' | 'acked' | 'settled' }>;

/**
 * All moves of an order.
 * @see docs/reliability.md, "Transitions"
 */
export type OrderMove =
  | SubmitMove
  | { readonly kind: 'acked'; readonly orderId: OrderId }
  | { readonly kind: 'doubled'; readonly orderId: OrderId }
  | { readonly kind: 'settled'; readonly outcome: 'dead' | 'filled' }
  | StatusMove
  | ExecutedMove
  | ChangeMove;

interface ExecutedMove {
  readonly kind: 'executed';
  readonly executionId: ExecutionId;
  readonly quantity: Quantity;
  readonly price: Price;
}

/** Returns the facets of an order that risk has not checked yet. */
export function draftOrder(ordered: Quantity): OrderFacets {
  return {
    submission: { kind: 'drafted' },
    venue: 'none',
    pending: 'none',
    executions: new Map(),
    executed: ZERO,
    ordered,
    replacement: undefined,
    cancelWanted: false,
    cancels: 0,
    unsentCancels: 0,
    cancelAcks: 0,
    doubt: undefined,
    twins: new Set(),
  };
}

/**
 * The states that each submit step may follow; in any other state the step is late and ignored.
 * @see docs/reliability.md, "Transitions"
 */
const FOLLOWS: Readonly<Record<SubmitMove['kind'], readonly Submission['kind'][]>> = {
  denied: ['drafted', 'armed'],
  armed: ['drafted', 'sending'],
  sending: ['armed'],
  refused: ['sending'],
  // From `armed`, when the call budget had no free place.
  'not-sent': ['armed', 'sending'],
  unknown: ['sending'],
  abandoned: ['unknown'],
};

/** Folds a move into the facets and returns its effects; a move without news keeps the same facets. */
export function stepOrder(order: OrderFacets, move: OrderMove): Step {
  switch (move.kind) {
    case 'denied':
    case 'armed':
    case 'sending':
    case 'refused':
    case 'not-sent':
    case 'unknown':
    case 'abandoned':
      return stepSubmit(order, move);
    case 'acked':
      return bind(order, move.orderId);
    case 'doubled':
      return doubled(order, move.orderId);
    case 'settled':
      return settle(order, move.outcome);
    case 'status':
      return stepStatus(order, move);
    case 'executed':
      return execute(order, move);
    default:
      return stepChange(order, move);
  }
}

/** Folds a move into the facets, without its effects. */
export function moveOrder(order: OrderFacets, move: OrderMove): OrderFacets {
  return stepOrder(order, move).order;
}

function stepSubmit(order: OrderFacets, move: SubmitMove): Step {
  if (!FOLLOWS[move.kind].includes(order.submission.kind)) return stay(order);
  const unproven = 'Order was not found: it is never sent again and its money stays reserved';
  const effects = move.kind === 'abandoned' ? [alarm('unproven', unproven)] : [];
  return { order: { ...order, submission: move }, effects };
}

/** Binds the order to the venue's id, whatever its state (T-05, T-10 to T-12, T-15, T-17, T-46). */
function bind(order: OrderFacets, orderId: OrderId): Step {
  const { submission, cancelWanted, pending } = order;
  const bound: OrderFacets = { ...order, submission: { kind: 'acked', orderId }, cancelWanted: false };
  const cancel: readonly OrderEffect[] = cancelWanted ? [{ kind: 'cancel' }] : [];
  switch (submission.kind) {
    case 'sending':
    case 'unknown':
      return { order: bound, effects: [pull(), ...cancel] };
    case 'abandoned': {
      const found = alarm('abandoned-found', `Order "${orderId}" turned up after it had been given up`);
      return { order: bound, effects: [found, pull(), { kind: 'cancel' }] };
    }
    case 'refused': {
      const message = `Order "${orderId}" lives although it was refused with code ${submission.code}`;
      return { order: bound, effects: [alarm('refusal-was-false', message), pull(), ...cancel] };
    }
    case 'not-sent': {
      const message = `Order "${orderId}" lives although no byte of it had left`;
      return { order: bound, effects: [alarm('refusal-was-false', message), pull(), ...cancel] };
    }
    case 'acked':
      if (submission.orderId === orderId) return stay(order);
      return pending.startsWith('replace-') ? { order: bound, effects: [pull()] } : doubled(order, orderId);
    case 'settled': {
      const message = `Order "${orderId}" lives although it was settled as ${submission.outcome}`;
      return { order: bound, effects: [alarm('settled-otherwise', message, 'account'), pull()] };
    }
    case 'drafted':
    case 'denied':
    case 'armed': {
      const message = `Order "${orderId}" carries the tag of an intent that was never sent`;
      return stay(order, alarm('never-sent-found', message, 'account'));
    }
    default:
      return unreachable(submission);
  }
}

/**
 * Records a person's settlement of an unknown outcome (T-55). An order that never left or is finished has nothing to
 * settle.
 */
function settle(order: OrderFacets, outcome: 'dead' | 'filled'): Step {
  const { submission } = order;
  if (submission.kind === 'armed' || submission.kind === 'drafted' || !isLive(order)) return stay(order);
  const orderId = submission.kind === 'acked' ? submission.orderId : undefined;
  return stay({
    ...order,
    submission: { kind: 'settled', outcome, orderId },
    pending: 'none',
    replacement: undefined,
    cancelWanted: false,
  });
}

/**
 * Records a second order under one tag (T-16): the account holds more than intended, and only a person can explain it.
 */
function doubled(order: OrderFacets, orderId: OrderId): Step {
  const known = order.submission.kind === 'acked' && order.submission.orderId === orderId;
  if (known || order.twins.has(orderId)) return stay(order);
  const message = `Order "${orderId}" carries a tag that another order carries already`;
  return {
    order: { ...order, twins: new Set([...order.twins, orderId]) },
    effects: [alarm('order-doubled', message, 'account')],
  };
}

/**
 * Books an execution once (T-22 to T-24, T-28, T-29). An unexpected execution is booked too, because it has happened.
 */
function execute(order: OrderFacets, { executionId, quantity, price }: ExecutedMove): Step {
  const before = order.executions.get(executionId);
  if (before !== undefined) {
    if (before.quantity.eq(quantity) && before.price.eq(price)) return stay(order);
    const message = `Execution "${executionId}" was ${before.quantity} at ${before.price}, now it is ${quantity} at ${price}`;
    return stay(order, alarm('execution-changed', message, 'account'));
  }
  const executed = order.executed.plus(quantity);
  const executions = new Map(order.executions).set(executionId, { quantity, price });
  const effects: OrderEffect[] = [];
  if (order.submission.kind === 'settled') effects.push(settledOtherwise(order.submission.outcome, executed));
  if (isOver(order) && !isLive(order))
    effects.push(
      alarm('late-fill', `${quantity} at ${price} were executed after the order ended as ${order.venue}`),
    );
  const most = order.replacement?.gt(order.ordered) === true ? order.replacement : order.ordered;
  if (executed.gt(most))
    effects.push(alarm('overfilled', `${executed} are executed of ${most} ordered`, 'account'));
  const overtaken = order.replacement?.lte(executed) === true && order.pending.startsWith('replace-');
  if (!overtaken) return { order: { ...order, executed, executions }, effects };
  // More executed than the old quantity proves the new one. A replace to fewer shares has no such proof: it needs a
  // read.
  return {
    order: { ...order, executed, executions, ordered: most, pending: 'none', replacement: undefined },
    effects: [...effects, pull()],
  };
}

function settledOtherwise(outcome: 'dead' | 'filled', executed: Quantity): OrderEffect {
  const message = `Order was settled as ${outcome}, now the venue reports ${executed} executed`;
  return alarm('settled-otherwise', message, 'account');
}

/** True while the order may add exposure: sent or unproven, and not finished by the venue. */
export function isLive(order: OrderFacets): boolean {
  switch (order.submission.kind) {
    case 'armed':
    case 'sending':
    case 'unknown':
    case 'abandoned':
      return true;
    case 'acked':
      return !isOver(order) || isShort(order);
    case 'drafted':
    case 'denied':
    case 'refused':
    case 'not-sent':
    case 'settled':
      return false;
    default:
      return unreachable(order.submission);
  }
}

/** True if the venue reports the order as filled but its executions do not prove it (T-26). */
export function isShort(order: OrderFacets): boolean {
  return order.venue === 'FilledStatus' && order.executed.lt(order.ordered);
}

/** Returns the shares that may still execute; with an unfinished replace, the larger of both versions (T-41, I-6). */
export function openRest(order: OrderFacets): Quantity {
  const most = order.replacement?.gt(order.ordered) === true ? order.replacement : order.ordered;
  const rest = most.minus(order.executed);
  return rest.isNegative() ? ZERO : rest;
}

/** True if a code of the venue reports too many calls. */
export function isTooManyCalls(code: number): boolean {
  return code >= 429_000 && code < 430_000;
}
