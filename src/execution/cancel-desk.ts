import { concat, concatMap, defer, EMPTY, from, ignoreElements, map, type Observable, toArray } from 'rxjs';
import type { IntentId, OrderId } from '../model/order.ts';
import { alarm } from '../model/order-facets.ts';
import { stepOrder } from '../model/order-state.ts';
import type { ChangeAnswer } from '../ports/broker.ts';
import { act } from '../ports/steps.ts';
import { inTurn } from './in-turn.ts';
import type { OrderDesk } from './order-desk.ts';
import type { OrderNews } from './order-news.ts';
import type { OrderReader } from './order-reader.ts';

/** Where orders are cancelled, and cancelled again until a read shows that they are over. */
export interface CancelDesk {
  /** Cancels an order now, or as soon as it has an id; nothing happens when that is under way or done. */
  cancel(intentId: IntentId): Observable<OrderNews>;
  /** The same for several. Where calls are counted one listing tells what all of them came to. */
  cancelAll(intentIds: readonly IntentId[]): Observable<OrderNews>;
  /** Reads orders after the answers to cancels that are written down, and looks at them again while they live. */
  answered(cancels: readonly Cancelled[]): Observable<OrderNews>;
  /** Looks at an order whose cancel the venue accepted half a minute ago (T-39). */
  overdue(intentId: IntentId): Observable<OrderNews>;
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

/** Journals each cancel before it is sent; only a read, never an answer, says that an order is over. */
export function createCancelDesk(
  desk: OrderDesk,
  reader: OrderReader,
  /** Reads the day's orders and takes them in. */
  confirm: () => Observable<OrderNews>,
): CancelDesk {
  const { broker, recorder, clock, known, pace } = desk;

  function cancel(intentId: IntentId): Observable<OrderNews> {
    return send(intentId).pipe(concatMap((cancelled) => answered([cancelled])));
  }

  function cancelAll(intentIds: readonly IntentId[]): Observable<OrderNews> {
    if (!pace.isLimited) return from(intentIds).pipe(inTurn(cancel));
    return from(intentIds).pipe(inTurn(send), toArray(), concatMap(answered));
  }

  /** Journals and sends the cancel of an order; one without an id is cancelled once it has one. */
  function send(intentId: IntentId): Observable<Cancelled> {
    return defer(() => {
      const { facets } = known(intentId);
      const { submission, pending } = facets;
      if (submission.kind !== 'acked') return remember(intentId);
      return pending === 'cancel-acked' ? EMPTY : sendNow(intentId, submission.orderId);
    });
  }

  function remember(intentId: IntentId): Observable<never> {
    const { facets } = known(intentId);
    if (stepOrder(facets, { kind: 'cancel-asked' }).order === facets) return EMPTY;
    return recorder.record({ kind: 'cancel-asked', at: clock.now(), intentId }).pipe(ignoreElements());
  }

  /** Told once for an order: nothing but its own end, or a person at the broker, ends it. */
  function cannotCancel(intentId: IntentId, orderId: OrderId): Observable<never> {
    const message = `Order "${orderId}" cannot be cancelled: this API has no cancel. It works until it is filled or its day ends; cancel it at the broker, by hand`;
    return act(() => desk.raise(intentId, alarm('cancel-not-offered', message)));
  }

  function sendNow(intentId: IntentId, orderId: OrderId): Observable<Cancelled> {
    if (broker.facts.changesOrders === false) return cannotCancel(intentId, orderId);
    const { facets } = known(intentId);
    const { order, wishes } = stepOrder(facets, { kind: 'cancel-sending' });
    if (order === facets) return desk.heed(intentId, wishes).pipe(ignoreElements());
    return recorder.record({ kind: 'cancel-sending', at: clock.now(), intentId }).pipe(
      concatMap(() => broker.cancel(orderId)),
      concatMap((answer) => {
        const message = answer.kind === 'accepted' ? '' : answer.message;
        return recorder
          .record({ kind: 'cancel-answered', at: clock.now(), intentId, answer: answer.kind, message })
          .pipe(map(() => ({ intentId, answer })));
      }),
    );
  }

  /** A read decides; while it says that an order lives, it is looked at again. */
  function answered(cancels: readonly Cancelled[]): Observable<OrderNews> {
    return concat(
      defer(() => readAfter(cancels)),
      defer(() => {
        for (const each of cancels) followUp(each);
        return EMPTY;
      }),
    );
  }

  function readAfter(cancels: readonly Cancelled[]): Observable<OrderNews> {
    const ids = cancels.flatMap(({ intentId }) => {
      const { submission } = known(intentId).facets;
      return submission.kind === 'acked' ? [submission.orderId] : [];
    });
    const isOneCall = pace.isLimited && broker.facts.listsOrders !== false;
    return isOneCall && ids.length > 1 ? confirm() : from(ids).pipe(inTurn(reader.pull));
  }

  function followUp({ intentId, answer }: Cancelled): void {
    const { facets } = known(intentId);
    if (!recorder.state.live.has(intentId) || facets.submission.kind !== 'acked') return;
    if (answer.kind === 'accepted') desk.remind(OVERDUE_AFTER_MS, { kind: 'cancel-overdue', intentId });
    else desk.remind(AGAIN_AFTER_MS[facets.cancels - 1] ?? AGAIN_EVERY_MS, { kind: 'cancel-due', intentId });
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
            defer(() => sendNow(intentId, submission.orderId)).pipe(concatMap((each) => answered([each]))),
          )
        : heeded$;
    });
  }

  return { cancel, cancelAll, answered, overdue };
}
