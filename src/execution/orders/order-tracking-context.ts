import type { TrackedOrder } from '../../events/bot-state.ts';
import type { Currency } from '../../model/money.ts';
import type { Execution, IntentId, OrderId, OrderIntent } from '../../model/order.ts';
import type { AlarmEffect, OrderEffect } from '../../model/order-facets.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import { type Millis, millis } from '../../model/time.ts';
import type { Broker, ListedOrder } from '../../ports/broker.ts';
import type { CallBudget } from '../../ports/call-budget.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Task } from '../../ports/task.ts';
import { createPollLimiter, type PollLimiter } from '../call-budget/poll-limiter.ts';
import type { Recorder } from '../recorder.ts';
import { incidentOf, type OrderIncident, oncePerOrder } from './order-incident.ts';

/** Task of one order. Tasks run one at a time. */
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
  | { readonly kind: 'external' }
  | { readonly kind: 'external-charges' }
  | { readonly kind: 'listing' };

/** Records orders that are not ours: they are displayed and count in risk checks, but are never changed (T-52). */
export interface ExternalOrders {
  /**
   * Journals changes in rows of external orders, and books their executions. Returns false if some executions could
   * not be read: those orders are not journaled, so that the next list shows them again.
   */
  handle(rows: readonly ListedOrder[], reads: ExternalReads): Task<never, boolean>;
  /** Reads one external order after a push; returns false if it must be read again. */
  read(orderId: OrderId, reads: ExternalReads): Task<never, boolean>;
  /** Reads the charges of one order whose fills were booked without them. */
  readCharges(orderId: OrderId): Task;
}

/** Resources for reading external orders: calls are few, and external orders may be many. */
export interface ExternalReads {
  /** Executions of the day that were read after the rows. */
  readonly executions?: readonly Execution[] | undefined;
  readonly isLimited: boolean;
  /** Reserves spare calls for one order if at least `left` remain; returns false otherwise. */
  take(calls: number, left: number): boolean;
}

export interface TrackerParts {
  readonly broker: Broker;
  readonly recorder: Recorder;
  readonly clock: Clock;
  readonly queueTask: (task: OrderTask) => void;
  /** Handles listed orders that are not the bot's; absent if only the bot trades the account. */
  readonly foreign?: ExternalOrders;
  readonly currencyOf?: (symbol: SecuritySymbol) => Currency | undefined;
  /** Call budget of the account; absent if the venue does not limit calls. */
  readonly budget?: Pick<CallBudget, 'hasCapacity'> | undefined;
  /** Called once for each incident of an order; the incident decides whether trading halts. */
  readonly onIncident?: (incident: OrderIncident) => void;
}

/** Context shared by all parts of the order tracker. */
export interface OrderTrackingContext extends TrackerParts {
  readonly limiter: PollLimiter;
  known(intentId: IntentId): TrackedOrder;
  schedule(afterMs: number, task: OrderTask): void;
  raise(intentId: IntentId, effect: AlarmEffect): void;
  /** Executes the effects of a state transition, except the immediate read, which is up to the caller. */
  handle(intentId: IntentId, effects: readonly OrderEffect[]): void;
}

/** Creates the context. Cancels required by a transition are scheduled as tasks as well. */
export function createOrderTrackingContext(parts: TrackerParts): OrderTrackingContext {
  const { recorder, clock, queueTask } = parts;
  const reportOnce = oncePerOrder((incident) => parts.onIncident?.(incident));

  function known(intentId: IntentId): TrackedOrder {
    const order = recorder.state.order(intentId);
    if (order === undefined) throw new Error(`No intent "${intentId}" in the state`);
    return order;
  }

  function schedule(afterMs: number, task: OrderTask): void {
    clock.at(millis(clock.now() + afterMs), 'timer', () => queueTask(task));
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
  return { ...parts, limiter, known, schedule, raise, handle };
}
