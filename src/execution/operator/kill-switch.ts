import { catchError, defer, from, map, mergeMap, Observable, of, shareReplay, toArray } from 'rxjs';
import { type IntentId, isTerminalStatus, type OrderId } from '../../model/order.ts';
import { isOver } from '../../model/order-facets.ts';
import type { ChangeAnswer, ListedOrder } from '../../ports/broker.ts';
import { answerTo, type Question, type Task } from '../../ports/task.ts';
import type { Cancelled } from '../orders/order-canceller.ts';
import type { OrderNews } from '../orders/order-news.ts';
import type { OrderTracker } from '../orders/order-tracker.ts';
import type { TrackerParts } from '../orders/order-tracking-context.ts';

/** One cancel that left before anything of it was journaled, and what came back. */
export type SentCancel = Cancelled;

/** Where everything is cancelled at once. */
export interface KillSwitch {
  /**
   * Cancels every order of ours that has an id, beside the lane and before the journal hears of it: cancelling twice is
   * harmless, so a cancel under kill waits for no disk (I-1, I-14). Emits once, when all are answered; share it.
   */
  cancelAll(): Observable<readonly SentCancel[]>;
  /** Writes down what was rushed, and cancels by the book what was not or did not help. For the lane. */
  follow(sentCancels: readonly SentCancel[]): Task<OrderNews>;
  /** Cancels live orders that are not ours; only because an operator said so in a kill. */
  cancelForeign(): Task;
}

/** Cancels under way at once; the call budget spaces them. */
const AT_ONCE_MAX = 64;

/** Dependencies of the kill switch. */
export interface KillSwitchParts extends Pick<TrackerParts, 'broker' | 'recorder' | 'clock'> {
  readonly tracker: Pick<OrderTracker, 'cancelAll' | 'handleCancelAnswers'>;
}

/** Ties the broker's cancels to the book of orders. */
export function createKillSwitch({ broker, recorder, clock, tracker }: KillSwitchParts): KillSwitch {
  const { state } = recorder;

  function toCancel(): readonly (readonly [IntentId, OrderId])[] {
    if (broker.facts.changesOrders === false) return [];
    return [...state.live.values()].flatMap(({ intentId, facets }) => {
      const { submission, pending } = facets;
      const asked = pending === 'cancel-sending' || pending === 'cancel-acked';
      return submission.kind === 'acked' && !isOver(facets) && !asked
        ? [[intentId, submission.orderId] as const]
        : [];
    });
  }

  function cancelAll(): Observable<readonly SentCancel[]> {
    return defer(() => from(toCancel())).pipe(
      mergeMap(
        ([intentId, orderId]) =>
          asStream(broker.cancel(orderId)).pipe(
            catchError((error: unknown) => of<ChangeAnswer>({ kind: 'unknown', message: String(error) })),
            map((answer): SentCancel => ({ intentId, answer })),
          ),
        AT_ONCE_MAX,
      ),
      toArray(),
      shareReplay({ bufferSize: 1, refCount: true }),
    );
  }

  function* follow(sentCancels: readonly SentCancel[]): Task<OrderNews> {
    for (const { intentId, answer } of sentCancels) {
      const message = answer.kind === 'accepted' ? '' : answer.message;
      const at = clock.now();
      recorder.record({ kind: 'cancel-sending', at, intentId });
      recorder.record({ kind: 'cancel-answered', at, intentId, answer: answer.kind, message });
    }
    yield* tracker.handleCancelAnswers(sentCancels);
    yield* tracker.cancelAll([...state.live.keys()]);
  }

  function* cancelForeign(): Task {
    const answer = yield* answerTo(broker.ordersToday('kill'));
    const foreign = answer.kind === 'ok' ? answer.value.filter(isForeignLive) : [];
    yield* answerTo(
      from(foreign).pipe(
        mergeMap(({ orderId }) => asStream(broker.cancel(orderId)), AT_ONCE_MAX),
        toArray(),
      ),
    );
  }

  function isForeignLive({ intentId, status }: ListedOrder): boolean {
    return intentId === undefined && !isTerminalStatus(status);
  }

  return { cancelAll, follow, cancelForeign };
}

function asStream<T>(question: Question<T>): Observable<T> {
  return new Observable((subscriber) => question.subscribe(subscriber));
}
