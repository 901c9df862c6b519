import { isTerminalStatus, type ReadStatus } from './order.ts';
import {
  alarm,
  isOver,
  type OrderEffect,
  type OrderFacets,
  pull,
  type StatusMove,
  type Step,
  stay,
} from './order-facets.ts';
import { isWorkingStatus, rankOf } from './venue-rank.ts';

/** Delay before a read that contradicts a finished order is repeated; a confirmation counts from then on (T-31). */
export const SECOND_READ_MS = 2_000;

/** Folds the venue's report of an order's status into its facets (T-18 to T-21, T-27, T-28, T-30, T-31, T-53). */
export function stepStatus(order: OrderFacets, move: StatusMove): Step {
  if (order.submission.kind === 'settled') return settledStep(order, order.submission.outcome, move);
  if (order.submission.kind !== 'acked') return stay(order);
  if (move.by === 'push') return byPush(order, move.status);
  if (move.executedQuantity.lt(order.executed)) return shrunk(order, move);
  const { order: after, effects } = byPull(order, move);
  const most = order.replacement?.gt(order.ordered) === true ? order.replacement : order.ordered;
  if (move.executedQuantity.lte(most)) return { order: after, effects };
  const message = `Venue reports ${move.executedQuantity} executed of ${most} ordered`;
  return { order: after, effects: [...effects, alarm('overfilled', message, 'account')] };
}

/** Keeps an outcome settled by a person; a read that contradicts it is a divergence (T-55). */
function settledStep(order: OrderFacets, outcome: 'dead' | 'filled', move: StatusMove): Step {
  const agrees = isTerminalStatus(move.status) && move.executedQuantity.eq(order.executed);
  if (agrees || move.by === 'push') return stay(order);
  const message = `Order was settled as ${outcome} with ${order.executed} executed, now the venue reports ${move.status} with ${move.executedQuantity}`;
  return stay(order, alarm('settled-otherwise', message, 'account'));
}

/** Folds a push: it may advance a live order; anything else only triggers a read. */
function byPush(order: OrderFacets, status: ReadStatus): Step {
  if (order.venue === status) return stay(order);
  const leadsOn =
    status !== 'unrecognised' &&
    !isTerminalStatus(status) &&
    (order.venue === 'none' || rankOf(status) > rankOf(order.venue));
  return leadsOn ? { order: { ...order, venue: status }, effects: [pull()] } : stay(order, pull());
}

function byPull(order: OrderFacets, move: StatusMove): Step {
  const { status } = move;
  const { venue } = order;
  if (venue === status) return stay(withoutDoubt(order));
  if (isOver(order)) return isTerminalStatus(status) ? otherEnd(order, status) : liveAgain(order, move);
  if (isTerminalStatus(status)) return stay(ended(order, status));
  if (status === 'unrecognised') return stay(withStatus(order, status), unrecognised(), pull());
  const back = venue !== 'none' && rankOf(status) < rankOf(venue);
  if (!back || venue === 'unrecognised' || (isWorkingStatus(status) && isWorkingStatus(venue)))
    return stay(withStatus(order, status));
  return stay(order, pull(SECOND_READ_MS));
}

function withStatus(order: OrderFacets, status: ReadStatus): OrderFacets {
  return { ...order, venue: status, doubt: undefined };
}

function ended(order: OrderFacets, status: ReadStatus): OrderFacets {
  return { ...withStatus(order, status), pending: 'none', replacement: undefined };
}

function withoutDoubt(order: OrderFacets): OrderFacets {
  return order.doubt === undefined ? order : { ...order, doubt: undefined };
}

/**
 * Folds a second, different end of an order (T-30): the end that its executions prove wins; without proof it is a
 * divergence.
 */
function otherEnd(order: OrderFacets, status: ReadStatus): Step {
  const whole = order.executed.gte(order.ordered);
  const part = !order.executed.isZero() && !whole;
  if (whole && status === 'FilledStatus') return stay(ended(order, status));
  if (whole && order.venue === 'FilledStatus') return stay(withoutDoubt(order));
  if (part && withdrawal(status) > withdrawal(order.venue)) return stay(ended(order, status));
  if (part && withdrawal(order.venue) > 0 && status !== 'FilledStatus') return stay(withoutDoubt(order));
  const message = `Order ended as ${order.venue} with ${order.executed} of ${order.ordered} executed, now the venue reports ${status}`;
  return stay(order, alarm('terminal-conflict', message, 'account'));
}

/** Ranks how clearly a status means that the rest was cancelled after partial execution. */
function withdrawal(status: ReadStatus | 'none'): number {
  if (status === 'PartialWithdrawal') return 2;
  return status === 'CanceledStatus' ? 1 : 0;
}

/** Reopens a finished order that is read as live, once a later read confirms it (T-31). */
function liveAgain(order: OrderFacets, { status, at }: StatusMove): Step {
  const { doubt } = order;
  if (doubt?.kind !== 'live')
    return { order: { ...order, doubt: { kind: 'live', since: at } }, effects: [pull(SECOND_READ_MS)] };
  if (at - doubt.since < SECOND_READ_MS) return stay(order);
  const message = `Order had ended as ${order.venue} and is read as ${status} twice: it counts as live again`;
  const effects = status === 'unrecognised' ? [unrecognised()] : [];
  return stay(withStatus(order, status), alarm('reopened', message), ...effects);
}

/** Handles fewer executed shares than booked (T-27): reads again; a confirmation is a divergence. */
function shrunk(order: OrderFacets, { executedQuantity, at }: StatusMove): Step {
  if (order.doubt?.kind !== 'shrunk')
    return { order: { ...order, doubt: { kind: 'shrunk', since: at } }, effects: [pull(SECOND_READ_MS)] };
  if (at - order.doubt.since < SECOND_READ_MS) return stay(order);
  const message = `Venue reports ${executedQuantity} executed, ${order.executed} are booked`;
  return stay(order, alarm('shrunk', message, 'account'));
}

function unrecognised(): OrderEffect {
  return alarm('unrecognised-status', 'Venue gave the order a status that we do not know: it counts as live');
}
