import type { TrackedOrder } from '../../events/bot-state.ts';
import { isWaiting } from '../../events/records/open-orders.ts';
import type { IntentId, OrderId } from '../../model/order.ts';
import { alarm } from '../../model/order-facets.ts';
import { stepOrder } from '../../model/order-state.ts';
import type { ChangeAnswer } from '../../ports/broker.ts';
import { awaitAnswer, type Task } from '../../ports/task.ts';
import type { OrderReader } from './order-reader.ts';
import type { OrderTrackingContext } from './order-tracking-context.ts';
import { type OrderUpdate, orderUpdate } from './order-update.ts';

/** Cancels orders, and repeats cancels until a read shows that the order is over. */
export interface OrderCanceller {
  /**
   * Cancels an order now, or once it has an id; denies one that waits for exits. Does nothing if a cancel is pending
   * or done.
   */
  cancel(intentId: IntentId): Task<OrderUpdate>;
  /** Cancels several orders. With a call budget, one list shows the outcome of all. */
  cancelAll(intentIds: readonly IntentId[]): Task<OrderUpdate>;
  /** Reads orders after the journaled answers to their cancels, and again while they are live. */
  handleAnswers(cancels: readonly Cancelled[]): Task<OrderUpdate>;
  /** Reads an order whose cancel the venue accepted half a minute ago (T-39). */
  overdue(intentId: IntentId): Task<OrderUpdate>;
}

export interface Cancelled {
  readonly intentId: IntentId;
  readonly answer: ChangeAnswer;
}

/** Delays between cancels without effect: 1, 2, 4, 8 and 15 s after the first, then every 15 s (T-35). */
const RETRY_DELAYS_MS = [1_000, 1_000, 2_000, 4_000, 7_000] as const;
const RETRY_EVERY_MS = 15_000;
/** Time after an accepted cancel at which the order is checked (T-39). */
export const OVERDUE_AFTER_MS = 30_000;

const CANCELLED = { rule: 'cancelled', reason: 'It was cancelled while it waited for exits to be gone' };

/** Creates the canceller. It journals each cancel before sending; only a read proves that an order is over. */
export function createOrderCanceller(
  context: OrderTrackingContext,
  reader: OrderReader,
  confirm: () => Task<OrderUpdate>,
): OrderCanceller {
  const { broker, recorder, clock, known, limiter } = context;

  function* cancel(intentId: IntentId): Task<OrderUpdate> {
    const cancelled = yield* send(intentId);
    if (cancelled !== undefined) yield* handleAnswers([cancelled]);
  }

  function* cancelAll(intentIds: readonly IntentId[]): Task<OrderUpdate> {
    const sent: Cancelled[] = [];
    for (const intentId of intentIds) {
      const cancelled = yield* send(intentId);
      if (cancelled === undefined) continue;
      if (limiter.isLimited) sent.push(cancelled);
      else yield* handleAnswers([cancelled]);
    }
    if (limiter.isLimited) yield* handleAnswers(sent);
  }

  /**
   * Journals and sends the cancel of an order; without an id, it is cancelled once it has one. Returns undefined if
   * no cancel was sent.
   */
  function* send(intentId: IntentId): Task<OrderUpdate, Cancelled | undefined> {
    const order = known(intentId);
    const { submission, pending } = order.facets;
    if (isWaiting(order)) {
      yield deny(order);
      return undefined;
    }
    if (submission.kind !== 'acked') {
      recordRequest(intentId);
      return undefined;
    }
    return pending === 'cancel-acked' ? undefined : yield* sendNow(intentId, submission.orderId);
  }

  function deny(order: TrackedOrder): OrderUpdate {
    const at = clock.now();
    recorder.record({ kind: 'intent-denied', at, intentId: order.intentId, ...CANCELLED, numbers: [] });
    return orderUpdate(order, {
      outcome: 'denied',
      why: `${CANCELLED.rule}: ${CANCELLED.reason}`,
      time: at,
    });
  }

  function recordRequest(intentId: IntentId): void {
    const { facets } = known(intentId);
    if (stepOrder(facets, { kind: 'cancel-asked' }).order === facets) return;
    recorder.record({ kind: 'cancel-asked', at: clock.now(), intentId });
  }

  function* sendNow(intentId: IntentId, orderId: OrderId): Task<never, Cancelled | undefined> {
    if (broker.facts.changesOrders === false) {
      // Raised once per order: only its own end, or the broker, ends it.
      const message = `Order "${orderId}" cannot be cancelled: this API has no cancel. It works until it is filled or its day ends; cancel it at the broker, by hand`;
      context.raise(intentId, alarm('cancel-not-offered', message));
      return undefined;
    }
    const { facets } = known(intentId);
    const { order, effects } = stepOrder(facets, { kind: 'cancel-sending' });
    if (order === facets) {
      context.handle(intentId, effects);
      return undefined;
    }
    recorder.record({ kind: 'cancel-sending', at: clock.now(), intentId });
    const answer = yield* awaitAnswer(broker.cancel(orderId));
    const message = answer.kind === 'accepted' ? '' : answer.message;
    recorder.record({ kind: 'cancel-answered', at: clock.now(), intentId, answer: answer.kind, message });
    return { intentId, answer };
  }

  /** Reads the orders; while one is live, its cancel is repeated. */
  function* handleAnswers(cancels: readonly Cancelled[]): Task<OrderUpdate> {
    const ids = cancels.flatMap(({ intentId }) => {
      const { submission } = known(intentId).facets;
      return submission.kind === 'acked' ? [submission.orderId] : [];
    });
    if (limiter.isLimited && broker.facts.listsOrders !== false && ids.length > 1) yield* confirm();
    else for (const orderId of ids) yield* reader.pull(orderId);
    for (const each of cancels) followUp(each);
  }

  function followUp({ intentId, answer }: Cancelled): void {
    const { facets } = known(intentId);
    if (!recorder.state.live.has(intentId) || facets.submission.kind !== 'acked') return;
    if (answer.kind === 'accepted') context.schedule(OVERDUE_AFTER_MS, { kind: 'cancel-overdue', intentId });
    else
      context.schedule(RETRY_DELAYS_MS[facets.cancels - 1] ?? RETRY_EVERY_MS, {
        kind: 'cancel-due',
        intentId,
      });
  }

  function* overdue(intentId: IntentId): Task<OrderUpdate> {
    const { facets } = known(intentId);
    const { effects } = stepOrder(facets, { kind: 'cancel-overdue' });
    const { submission } = facets;
    context.handle(
      intentId,
      effects.filter((effect) => effect.kind !== 'cancel'),
    );
    if (submission.kind !== 'acked' || !effects.some((effect) => effect.kind === 'cancel')) return;
    const cancelled = yield* sendNow(intentId, submission.orderId);
    if (cancelled !== undefined) yield* handleAnswers([cancelled]);
  }

  return { cancel, cancelAll, handleAnswers, overdue };
}
