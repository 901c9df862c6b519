import { ordersAtVenue } from '../../events/records/open-orders.ts';
import { type IntentId, isTerminalStatus, type OrderId, orderId } from '../../model/order.ts';
import { type ChangeAnswer, failureReason, type ListedOrder, type UnreadOrder } from '../../ports/broker.ts';
import { type OpenOrder, UNREAD_SYMBOL, UNREADABLE_READS_MAX } from '../../ports/operator.ts';
import {
  awaitAnswer,
  type Request,
  type RunConcurrently,
  type Task,
  type TaskFactory,
} from '../../ports/task.ts';
import type { Cancelled } from '../orders/order-canceller.ts';
import type { OrderTracker } from '../orders/order-tracker.ts';
import type { TrackerParts } from '../orders/order-tracking-context.ts';
import type { OrderUpdate } from '../orders/order-update.ts';

/** Cancels all orders at once. */
export interface KillSwitch {
  /**
   * Cancels all our orders that have an id, outside the event queue and before the cancels are journaled: a repeated
   * cancel is harmless, so a kill waits for no disk (I-1, I-14). Resolves when all cancels are answered; concurrent
   * callers share them.
   */
  cancelAll(): Request<readonly Cancelled[]>;
  /**
   * Journals the immediate cancels, then cancels the remaining and the failed ones in the usual way. Runs in the
   * event queue.
   */
  completeCancels(sentCancels: readonly Cancelled[]): Task<OrderUpdate>;
  /**
   * Lists live orders that are not ours, cancels those whose id is not in `accepted`, and adds to it the ids whose
   * cancel the venue accepted. Used only if the operator's kill includes foreign orders.
   */
  cancelForeign(accepted: AcceptedCancels): Task<never, ForeignOrders>;
}

/** Orders whose cancel the venue accepted, each with the number of lists since then that showed an unrecognised status. */
export type AcceptedCancels = Map<string, number>;

/** Live orders that are not ours, as listed before their cancels; `unread`: why they could not be listed. */
type ForeignOrders =
  | {
      readonly kind: 'listed';
      readonly orders: readonly OpenOrder[];
      /** Whether the next list may show the end of one of them. */
      readonly mayEnd: boolean;
    }
  | { readonly kind: 'unread'; readonly why: string };

interface KillSwitchParts extends Pick<TrackerParts, 'broker' | 'recorder' | 'clock'> {
  readonly tracker: Pick<OrderTracker, 'cancelAll' | 'handleCancelAnswers'>;
  readonly runConcurrently: RunConcurrently;
}

export function createKillSwitch(parts: KillSwitchParts): KillSwitch {
  const { broker, recorder, clock, tracker, runConcurrently } = parts;
  const { state } = recorder;

  function cancels(): readonly TaskFactory<Cancelled>[] {
    if (broker.facts.changesOrders === false) return [];
    return ordersAtVenue(state).flatMap(({ orderId, order: { intentId, facets } }) =>
      facets.pending === 'cancel-sending' || facets.pending === 'cancel-acked'
        ? []
        : [() => cancel(intentId, orderId)],
    );
  }

  function* cancel(intentId: IntentId, orderId: OrderId): Task<Cancelled> {
    let answer: ChangeAnswer;
    try {
      answer = yield* awaitAnswer(broker.cancel(orderId));
    } catch (error) {
      answer = { kind: 'unknown', message: String(error) };
    }
    yield { intentId, answer };
  }

  function* follow(sentCancels: readonly Cancelled[]): Task<OrderUpdate> {
    for (const { intentId, answer } of sentCancels) {
      const message = answer.kind === 'accepted' ? '' : answer.message;
      const at = clock.now();
      recorder.record({ kind: 'cancel-sending', at, intentId });
      recorder.record({ kind: 'cancel-answered', at, intentId, answer: answer.kind, message });
    }
    yield* tracker.handleCancelAnswers(sentCancels);
    yield* tracker.cancelAll([...state.live.keys()]);
  }

  function* cancelForeign(accepted: AcceptedCancels): Task<never, ForeignOrders> {
    const answer = yield* awaitAnswer(broker.ordersToday('kill'));
    if (answer.kind !== 'ok') return { kind: 'unread', why: failureReason(answer) };
    const listed = answer.value.filter(isForeignLive);
    const unread = (broker.unread?.() ?? []).filter(isForeignLive);
    const orders = [...listed.map(openListed), ...unread.map(openUnread)];
    for (const { orderId: id, status } of [...listed, ...unread]) {
      const reads = accepted.get(id);
      if (reads !== undefined && status === 'unrecognised') accepted.set(id, reads + 1);
    }
    yield* awaitAnswer(
      runConcurrently(
        orders
          .filter(({ id }) => !accepted.has(id))
          .map(
            ({ id }) =>
              function* cancelOne(): Task {
                const { kind } = yield* awaitAnswer(broker.cancel(orderId(id)));
                if (kind === 'accepted') accepted.set(id, 0);
              },
          ),
      ),
    );
    const mayEnd = orders.some(({ id }) => (accepted.get(id) ?? 0) < UNREADABLE_READS_MAX);
    return { kind: 'listed', orders, mayEnd };
  }

  function isForeignLive({ intentId, status }: Pick<ListedOrder, 'intentId' | 'status'>): boolean {
    return intentId === undefined && !isTerminalStatus(status);
  }

  return { cancelAll: () => runConcurrently(cancels()), completeCancels: follow, cancelForeign };
}

/** Formats an order of the list that could not be parsed. */
function openUnread({ orderId: id, symbol, why }: UnreadOrder): OpenOrder {
  return { id, symbol: symbol ?? UNREAD_SYMBOL, state: `${why}, not ours` };
}

function openListed({ orderId: id, terms: { symbol }, status }: ListedOrder): OpenOrder {
  return { id, symbol, state: `${status}, not ours` };
}
