import { concat, concatMap, defer, EMPTY, ignoreElements, type Observable } from 'rxjs';
import type { IntentId, OrderId } from '../model/order.ts';
import { stepOrder } from '../model/order-state.ts';
import type { ChangeAnswer } from '../ports/broker.ts';
import type { OrderDesk } from './order-desk.ts';
import type { OrderNews } from './order-news.ts';
import type { OrderReader } from './order-reader.ts';

/** Where orders are cancelled, and cancelled again until a read shows that they are over. */
export interface CancelDesk {
  /** Cancels an order now, or as soon as it has an id; nothing happens when that is under way or done. */
  cancel(intentId: IntentId): Observable<OrderNews>;
  /** Reads an order after the answer to a cancel that is written down, and looks at it again while it lives. */
  answered(intentId: IntentId, answer: ChangeAnswer): Observable<OrderNews>;
  /** Looks at an order whose cancel the venue accepted half a minute ago (T-39). */
  overdue(intentId: IntentId): Observable<OrderNews>;
}

/** Waits between cancels without effect: at 1, 2, 4, 8, 15 s after the first, then every 15 s (T-35). */
const AGAIN_AFTER_MS = [1_000, 1_000, 2_000, 4_000, 7_000] as const;
const AGAIN_EVERY_MS = 15_000;
/** After an accepted cancel the order is looked at again this much later (T-39). */
export const OVERDUE_AFTER_MS = 30_000;

/** Journals each cancel before it is sent; only a read, never an answer, says that an order is over. */
export function createCancelDesk(desk: OrderDesk, reader: OrderReader): CancelDesk {
  const { broker, recorder, clock, known } = desk;

  function cancel(intentId: IntentId): Observable<OrderNews> {
    return defer(() => {
      const { facets } = known(intentId);
      const { submission, pending } = facets;
      if (submission.kind !== 'acked') return remember(intentId);
      if (pending === 'cancel-acked') return EMPTY;
      return send(intentId, submission.orderId);
    });
  }

  function remember(intentId: IntentId): Observable<OrderNews> {
    const { facets } = known(intentId);
    if (stepOrder(facets, { kind: 'cancel-asked' }).order === facets) return EMPTY;
    return recorder.record({ kind: 'cancel-asked', at: clock.now(), intentId }).pipe(ignoreElements());
  }

  function send(intentId: IntentId, orderId: OrderId): Observable<OrderNews> {
    const { facets } = known(intentId);
    const { order, wishes } = stepOrder(facets, { kind: 'cancel-sending' });
    if (order === facets) return desk.heed(intentId, wishes);
    return recorder.record({ kind: 'cancel-sending', at: clock.now(), intentId }).pipe(
      concatMap(() => broker.cancel(orderId)),
      concatMap((answer) => {
        const message = answer.kind === 'accepted' ? '' : answer.message;
        return recorder
          .record({ kind: 'cancel-answered', at: clock.now(), intentId, answer: answer.kind, message })
          .pipe(concatMap(() => afterAnswer(intentId, orderId, answer)));
      }),
    );
  }

  /** A read decides; while it says that the order lives, it is looked at again. */
  function afterAnswer(intentId: IntentId, orderId: OrderId, answer: ChangeAnswer): Observable<OrderNews> {
    return concat(
      reader.pull(orderId),
      defer(() => {
        const { facets } = known(intentId);
        if (!recorder.state.live.has(intentId)) return EMPTY;
        if (answer.kind === 'accepted') desk.remind(OVERDUE_AFTER_MS, { kind: 'cancel-overdue', intentId });
        else
          desk.remind(AGAIN_AFTER_MS[facets.cancels - 1] ?? AGAIN_EVERY_MS, { kind: 'cancel-due', intentId });
        return EMPTY;
      }),
    );
  }

  function overdue(intentId: IntentId): Observable<OrderNews> {
    return defer(() => {
      const { facets } = known(intentId);
      const { wishes } = stepOrder(facets, { kind: 'cancel-overdue' });
      const { submission } = facets;
      const again = wishes.some((wish) => wish.kind === 'cancel') && submission.kind === 'acked';
      const heeded$ = desk.heed(
        intentId,
        wishes.filter((wish) => wish.kind !== 'cancel'),
      );
      return again
        ? concat(
            heeded$,
            defer(() => send(intentId, submission.orderId)),
          )
        : heeded$;
    });
  }

  function answered(intentId: IntentId, answer: ChangeAnswer): Observable<OrderNews> {
    const { submission } = known(intentId).facets;
    return submission.kind === 'acked' ? afterAnswer(intentId, submission.orderId, answer) : EMPTY;
  }

  return { cancel, answered: (intentId, answer) => defer(() => answered(intentId, answer)), overdue };
}
