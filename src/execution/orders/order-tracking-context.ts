import type { TrackedOrder } from '../../events/bot-state.ts';
import type { Currency } from '../../model/money.ts';
import type { IntentId, OrderId, OrderIntent } from '../../model/order.ts';
import type { AlarmWish, OrderEffect } from '../../model/order-facets.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import { type Millis, millis } from '../../model/time.ts';
import type { Broker, ListedOrder } from '../../ports/broker.ts';
import type { CallBudget } from '../../ports/call-budget.ts';
import type { Cancel, Clock } from '../../ports/clock.ts';
import type { Task } from '../../ports/task.ts';
import { createPollLimiter, type PollLimiter } from '../call-budget/poll-limiter.ts';
import type { Recorder } from '../recorder.ts';
import { incidentOf, type OrderIncident, oncePerOrder } from './order-incident.ts';

/** One reason to look at an order; each is followed in turn. */
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

/** What a tracker works with. */
export interface TrackerParts {
  readonly broker: Broker;
  readonly recorder: Recorder;
  readonly clock: Clock;
  /** Hears of the rows of a listing that belong to no order of ours; absent: nobody else trades on the account. */
  readonly foreign?: {
    handle(rows: readonly ListedOrder[]): Task;
    look(orderId: OrderId): Task;
  };
  /** Currency of a security that the bot trades. */
  readonly currencyOf?: (symbol: SecuritySymbol) => Currency | undefined;
  /** Where the account may make only so many calls; absent: calls are not counted. */
  readonly budget?: Pick<CallBudget, 'hasRoom'> | undefined;
  /** Hears of everything that is wrong with an order, each thing once, and whether it should halt trading. */
  readonly onIncident?: (incident: OrderIncident) => void;
}

/** What every part of the tracker needs. */
export interface OrderTrackingContext extends TrackerParts {
  /** What may be read of single orders. */
  readonly limiter: PollLimiter;
  known(intentId: IntentId): TrackedOrder;
  /** Has a lead followed so much later. */
  schedule(afterMs: number, task: OrderTask): void;
  /** Nobody follows leads any more: those to come are let go, so that nothing keeps a process alive. */
  dispose(): void;
  raise(intentId: IntentId, effect: AlarmWish): void;
  /** Does what a move called for, except the read that whoever made the move does anyway. */
  handle(intentId: IntentId, effects: readonly OrderEffect[]): void;
}

/** Reminders go to `due`; a cancel that a move calls for goes through the lane, too. */
export function createOrderTrackingContext(
  parts: TrackerParts,
  due: (task: OrderTask) => void,
): OrderTrackingContext {
  const { recorder, clock } = parts;
  const reminders = new Set<Cancel>();
  let isOver = false;
  const hear = oncePerOrder((incident) => parts.onIncident?.(incident));

  function known(intentId: IntentId): TrackedOrder {
    const order = recorder.state.order(intentId);
    if (order === undefined) throw new Error(`No intent "${intentId}" in the state`);
    return order;
  }

  function schedule(afterMs: number, task: OrderTask): void {
    if (isOver) return;
    const cancel = clock.at(millis(clock.now() + afterMs), 'timer', () => {
      reminders.delete(cancel);
      due(task);
    });
    reminders.add(cancel);
  }

  function dispose(): void {
    isOver = true;
    for (const cancel of reminders) cancel();
    reminders.clear();
  }

  function raise(intentId: IntentId, effect: AlarmWish): void {
    const { terms, facets } = known(intentId);
    const orderId = facets.submission.kind === 'acked' ? facets.submission.orderId : '';
    hear(incidentOf(effect, { intentId, symbol: terms.symbol, orderId }, clock.now()));
  }

  function fulfil(intentId: IntentId, effect: OrderEffect): void {
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
    for (const effect of effects) fulfil(intentId, effect);
  }

  const limiter = createPollLimiter(clock, parts.broker.facts);
  return { ...parts, limiter, known, schedule, dispose, raise, handle };
}
