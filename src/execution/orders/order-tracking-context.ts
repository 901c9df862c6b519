import type { TrackedOrder } from '../../events/bot-state.ts';
import type { Currency } from '../../model/money.ts';
import type { IntentId, OrderId, OrderIntent } from '../../model/order.ts';
import type { AlarmEffect, OrderEffect } from '../../model/order-facets.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import { type Millis, millis } from '../../model/time.ts';
import type { Broker, ListedOrder } from '../../ports/broker.ts';
import type { CallBudget } from '../../ports/call-budget.ts';
import type { Cancel, Clock } from '../../ports/clock.ts';
import type { Task } from '../../ports/task.ts';
import { createPollLimiter, type PollLimiter } from '../call-budget/poll-limiter.ts';
import type { Recorder } from '../recorder.ts';
import { incidentOf, type OrderIncident, oncePerOrder } from './order-incident.ts';

/** Work to be done for one order. Tasks run one at a time. */
export type OrderTask =
  | { readonly kind: 'moved'; readonly orderId: OrderId; readonly intentId?: IntentId | undefined }
  | { readonly kind: 'late'; readonly intentId: IntentId; readonly orderId: OrderId }
  | { readonly kind: 'follow-up'; readonly orderId: OrderId }
  | { readonly kind: 'recheck'; readonly orderId: OrderId }
  | { readonly kind: 'charges'; readonly intentId: IntentId; readonly reads: number }
  | { readonly kind: 'cancel-due'; readonly intentId: IntentId }
  | { readonly kind: 'cancel-overdue'; readonly intentId: IntentId }
  | { readonly kind: 'day-over'; readonly intentId: IntentId; readonly reads: number }
  | {
      readonly kind: 'look-for';
      readonly intent: OrderIntent;
      readonly reads: number;
      readonly since: Millis;
    }
  | { readonly kind: 'listing' };

/** What an order tracker is created from. */
export interface TrackerParts {
  readonly broker: Broker;
  readonly recorder: Recorder;
  readonly clock: Clock;
  /** Handles listed orders that are not the bot's own; absent if only the bot trades the account. */
  readonly foreign?: {
    handle(rows: readonly ListedOrder[]): Task;
    look(orderId: OrderId): Task;
  };
  /** Currency of a security that the bot trades. */
  readonly currencyOf?: (symbol: SecuritySymbol) => Currency | undefined;
  /** Call budget of the account; absent if the venue does not limit calls. */
  readonly budget?: Pick<CallBudget, 'hasRoom'> | undefined;
  /** Called once for each incident of an order; the incident says whether it halts trading. */
  readonly onIncident?: (incident: OrderIncident) => void;
}

/** Shared by all parts of the order tracker. */
export interface OrderTrackingContext extends TrackerParts {
  /** Limits how often single orders are read. */
  readonly limiter: PollLimiter;
  known(intentId: IntentId): TrackedOrder;
  /** Runs a task after a delay. */
  schedule(afterMs: number, task: OrderTask): void;
  /** Cancels all scheduled tasks, so that no timer keeps the process alive. */
  dispose(): void;
  raise(intentId: IntentId, effect: AlarmEffect): void;
  /** Carries out the effects of a state transition, except the immediate read, which the caller does. */
  handle(intentId: IntentId, effects: readonly OrderEffect[]): void;
}

/** Creates the context. Scheduled tasks are passed to `due`; a cancel that a transition asks for is one of them. */
export function createOrderTrackingContext(
  parts: TrackerParts,
  due: (task: OrderTask) => void,
): OrderTrackingContext {
  const { recorder, clock } = parts;
  const timers = new Set<Cancel>();
  let isOver = false;
  const reportOnce = oncePerOrder((incident) => parts.onIncident?.(incident));

  function known(intentId: IntentId): TrackedOrder {
    const order = recorder.state.order(intentId);
    if (order === undefined) throw new Error(`No intent "${intentId}" in the state`);
    return order;
  }

  function schedule(afterMs: number, task: OrderTask): void {
    if (isOver) return;
    const cancel = clock.at(millis(clock.now() + afterMs), 'timer', () => {
      timers.delete(cancel);
      due(task);
    });
    timers.add(cancel);
  }

  function dispose(): void {
    isOver = true;
    for (const cancel of timers) cancel();
    timers.clear();
  }

  function raise(intentId: IntentId, effect: AlarmEffect): void {
    const { terms, facets } = known(intentId);
    const orderId = facets.submission.kind === 'acked' ? facets.submission.orderId : '';
    reportOnce(incidentOf(effect, { intentId, symbol: terms.symbol, orderId }, clock.now()));
  }

  function apply(intentId: IntentId, effect: OrderEffect): void {
    switch (effect.kind) {
      case 'alarm':
        raise(intentId, effect);
        return;
      case 'cancel':
        schedule(0, { kind: 'cancel-due', intentId });
        return;
      case 'pull': {
        const { submission } = known(intentId).facets;
        if (effect.afterMs > 0 && submission.kind === 'acked')
          schedule(effect.afterMs, { kind: 'moved', orderId: submission.orderId });
        return;
      }
    }
  }

  function handle(intentId: IntentId, effects: readonly OrderEffect[]): void {
    for (const effect of effects) apply(intentId, effect);
  }

  const limiter = createPollLimiter(clock, parts.broker.facts);
  return { ...parts, limiter, known, schedule, dispose, raise, handle };
}
