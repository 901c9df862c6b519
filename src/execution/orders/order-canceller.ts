import type { TrackedOrder } from '../../events/bot-state.ts';
import { isWaiting } from '../../events/records/open-orders.ts';
import type { IntentId, OrderId } from '../../model/order.ts';
import { alarm } from '../../model/order-facets.ts';
import { stepOrder } from '../../model/order-state.ts';
import type { ChangeAnswer } from '../../ports/broker.ts';
import { answerTo, type Task } from '../../ports/task.ts';
import { type OrderNews, orderNews } from './order-news.ts';
import type { OrderReader } from './order-reader.ts';
import type { OrderTrackingContext } from './order-tracking-context.ts';

/** Where orders are cancelled, and cancelled again until a read shows that they are over. */
export interface OrderCanceller {
  /** Cancels an order now, or as soon as it has an id; one that waits for exits is denied. Nothing happens when that is under way or done. */
  cancel(intentId: IntentId): Task<OrderNews>;
  /** Cancels several. Where calls are counted, one listing shows the outcome of all. */
  cancelAll(intentIds: readonly IntentId[]): Task<OrderNews>;
  /** Reads orders after the answers to cancels that are journaled, and reads them again while they live. */
  handleAnswers(cancels: readonly Cancelled[]): Task<OrderNews>;
  /** Reads an order whose cancel the venue accepted half a minute ago (T-39). */
  overdue(intentId: IntentId): Task<OrderNews>;
}

/** A cancel and what came back. */
export interface Cancelled {
  readonly intentId: IntentId;
  readonly answer: ChangeAnswer;
}

/** Waits between cancels without effect: at 1, 2, 4, 8, 15 s after the first, then every 15 s (T-35). */
const AGAIN_AFTER_MS = [1_000, 1_000, 2_000, 4_000, 7_000] as const;
const AGAIN_EVERY_MS = 15_000;
/** After an accepted cancel the order is looked at again this much later (T-39). */
export const OVERDUE_AFTER_MS = 30_000;

/** The denial of an order that was cancelled before it was sent. */
const CANCELLED = { rule: 'cancelled', reason: 'It was cancelled while it waited for exits to be gone' };

/** Journals each cancel before it is sent; only a read, never an answer, proves that an order is over. */
export function createOrderCanceller(
  context: OrderTrackingContext,
  reader: OrderReader,
  /** Reads the day's orders and takes them in. */
  confirm: () => Task<OrderNews>,
): OrderCanceller {
  const { broker, recorder, clock, known, limiter } = context;

  function* cancel(intentId: IntentId): Task<OrderNews> {
    const cancelled = yield* send(intentId);
    if (cancelled !== undefined) yield* handleAnswers([cancelled]);
  }

  function* cancelAll(intentIds: readonly IntentId[]): Task<OrderNews> {
    const sent: Cancelled[] = [];
    for (const intentId of intentIds) {
      const cancelled = yield* send(intentId);
      if (cancelled === undefined) continue;
      if (limiter.isLimited) sent.push(cancelled);
      else yield* handleAnswers([cancelled]);
    }
    if (limiter.isLimited) yield* handleAnswers(sent);
  }

  /** Journals and sends the cancel of an order; one without an id is cancelled once it has one. Returns undefined if none is sent. */
  function* send(intentId: IntentId): Task<OrderNews, Cancelled | undefined> {
    const order = known(intentId);
    const { submission, pending } = order.facets;
    if (isWaiting(order)) {
      yield deny(order);
      return undefined;
    }
    if (submission.kind !== 'acked') {
      remember(intentId);
      return undefined;
    }
    return pending === 'cancel-acked' ? undefined : yield* sendNow(intentId, submission.orderId);
  }

  function deny(order: TrackedOrder): OrderNews {
    const at = clock.now();
    recorder.record({ kind: 'intent-denied', at, intentId: order.intentId, ...CANCELLED, numbers: [] });
    return orderNews(order, {
      outcome: 'denied',
      why: `${CANCELLED.rule}: ${CANCELLED.reason}`,
      time: at,
    });
  }

  function remember(intentId: IntentId): void {
    const { facets } = known(intentId);
    if (stepOrder(facets, { kind: 'cancel-asked' }).order === facets) return;
    recorder.record({ kind: 'cancel-asked', at: clock.now(), intentId });
  }

  function* sendNow(intentId: IntentId, orderId: OrderId): Task<never, Cancelled | undefined> {
    if (broker.facts.changesOrders === false) {
      // Raised once for an order: nothing but its own end, or a person at the broker, ends it.
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
    const answer = yield* answerTo(broker.cancel(orderId));
    const message = answer.kind === 'accepted' ? '' : answer.message;
    recorder.record({ kind: 'cancel-answered', at: clock.now(), intentId, answer: answer.kind, message });
    return { intentId, answer };
  }

  /** A read decides; while it shows a live order, it is repeated. */
  function* handleAnswers(cancels: readonly Cancelled[]): Task<OrderNews> {
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
      context.schedule(AGAIN_AFTER_MS[facets.cancels - 1] ?? AGAIN_EVERY_MS, {
        kind: 'cancel-due',
        intentId,
      });
  }

  function* overdue(intentId: IntentId): Task<OrderNews> {
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
