import type { TrackedOrder } from '../events/fold.ts';
import type { Currency } from '../model/money.ts';
import type { IntentId, OrderId, OrderIntent } from '../model/order.ts';
import type { AlarmWish, Wish } from '../model/order-facets.ts';
import type { SecuritySymbol } from '../model/symbol.ts';
import { type Millis, millis } from '../model/time.ts';
import type { Broker, ListedOrder } from '../ports/broker.ts';
import type { CallBudget } from '../ports/call-budget.ts';
import type { Cancel, Clock } from '../ports/clock.ts';
import type { Task } from '../ports/task.ts';
import { type Concern, concernOf, oncePerOrder } from './concern.ts';
import { createReadPace, type ReadPace } from './read-pace.ts';
import type { Recorder } from './recorder.ts';

/** One reason to look at an order; each is followed in turn. */
export type OrderLead =
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
    heed(rows: readonly ListedOrder[]): Task;
    look(orderId: OrderId): Task;
  };
  /** Currency of a security that the bot trades. */
  readonly currencyOf?: (symbol: SecuritySymbol) => Currency | undefined;
  /** Where the account may make only so many calls; absent: calls are not counted. */
  readonly budget?: Pick<CallBudget, 'hasRoom'> | undefined;
  /** Hears of everything that is wrong with an order, each thing once, and whether it should halt trading. */
  readonly onConcern?: (concern: Concern) => void;
}

/** What every part of the tracker needs. */
export interface OrderDesk extends TrackerParts {
  /** What may be read of single orders. */
  readonly pace: ReadPace;
  known(intentId: IntentId): TrackedOrder;
  /** Has a lead followed so much later. */
  remind(afterMs: number, lead: OrderLead): void;
  /** Nobody follows leads any more: those to come are let go, so that nothing keeps a process alive. */
  forget(): void;
  raise(intentId: IntentId, wish: AlarmWish): void;
  /** Does what a move called for, except the read that whoever made the move does anyway. */
  heed(intentId: IntentId, wishes: readonly Wish[]): void;
}

/** Reminders go to `due`; a cancel that a move calls for goes through the lane, too. */
export function createOrderDesk(parts: TrackerParts, due: (lead: OrderLead) => void): OrderDesk {
  const { recorder, clock } = parts;
  const reminders = new Set<Cancel>();
  let isOver = false;
  const hear = oncePerOrder((concern) => parts.onConcern?.(concern));

  function known(intentId: IntentId): TrackedOrder {
    const order = recorder.state.order(intentId);
    if (order === undefined) throw new Error(`No intent "${intentId}" in the state`);
    return order;
  }

  function remind(afterMs: number, lead: OrderLead): void {
    if (isOver) return;
    const cancel = clock.at(millis(clock.now() + afterMs), 'timer', () => {
      reminders.delete(cancel);
      due(lead);
    });
    reminders.add(cancel);
  }

  function forget(): void {
    isOver = true;
    for (const cancel of reminders) cancel();
    reminders.clear();
  }

  function raise(intentId: IntentId, wish: AlarmWish): void {
    const { terms, facets } = known(intentId);
    const orderId = facets.submission.kind === 'acked' ? facets.submission.orderId : '';
    hear(concernOf(wish, { intentId, symbol: terms.symbol, orderId }, clock.now()));
  }

  function fulfil(intentId: IntentId, wish: Wish): void {
    switch (wish.kind) {
      case 'alarm':
        raise(intentId, wish);
        return;
      case 'cancel':
        remind(0, { kind: 'cancel-due', intentId });
        return;
      case 'pull': {
        const { submission } = known(intentId).facets;
        if (wish.afterMs > 0 && submission.kind === 'acked')
          remind(wish.afterMs, { kind: 'moved', orderId: submission.orderId });
        return;
      }
    }
  }

  function heed(intentId: IntentId, wishes: readonly Wish[]): void {
    for (const wish of wishes) fulfil(intentId, wish);
  }

  const pace = createReadPace(clock, parts.broker.facts);
  return { ...parts, pace, known, remind, forget, raise, heed };
}
