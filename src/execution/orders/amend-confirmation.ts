import type { TrackedOrder } from '../../events/bot-state.ts';
import type { ReplaceEvent } from '../../events/replace-events.ts';
import { isTerminalStatus, type OrderId } from '../../model/order.ts';
import { hasFigures } from '../../model/replaceable-figures.ts';
import type { Millis } from '../../model/time.ts';
import type { ListedOrder } from '../../ports/broker.ts';
import { type OrderNews, orderNews } from './order-news.ts';
import type { OrderTrackingContext } from './order-tracking-context.ts';

/** Tells which version of an order the venue holds whose replace was sent. */
export interface AmendConfirmation {
  /**
   * Writes down what a read shows of it (T-41, T-42): one in doubt that reads as it was before was lost once a later read says
   * it again. Returns what a strategy hears of it.
   */
  read(order: TrackedOrder, detail: ListedOrder): OrderNews | undefined;
}

/** A replace in doubt counts as lost when a read this much later says again that nothing changed. */
const SECOND_READ_MS = 2_000;
/** One that was accepted, when a read this much later does not show it: the exchange turned it down. */
const SHOWN_AFTER_MS = 30_000;

/** Remembers which orders are looked at once more, and since when. */
export function createAmendConfirmation({
  recorder,
  clock,
  known,
  schedule,
}: Pick<OrderTrackingContext, 'recorder' | 'clock' | 'known' | 'schedule'>): AmendConfirmation {
  /** When an order whose replace is in doubt was first read as it was before. */
  const unconfirmedSince = new Map<OrderId, Millis>();
  /** Orders that are read once more to see whether a replace shows, and when that was sent. */
  const pendingAmends = new Map<OrderId, Millis>();

  function read(order: TrackedOrder, detail: ListedOrder): OrderNews | undefined {
    const { intentId, replacing, facets } = order;
    if (isTerminalStatus(detail.status)) return undefined;
    if (replacing === undefined) return scheduleRead(order, detail);
    const isNew = hasFigures(detail.terms, replacing);
    if (!isNew && facets.pending === 'replace-acked') return handleMissingAmend(order, detail);
    if (!isNew && (facets.pending !== 'replace-unknown' || !isConfirmedBySecondRead(detail.orderId)))
      return undefined;
    unconfirmedSince.delete(detail.orderId);
    pendingAmends.delete(detail.orderId);
    const terms = isNew ? replacing : order.terms;
    const event = { kind: 'replace-read', at: clock.now(), intentId, terms } as const;
    return record(event, isNew ? 'new terms' : 'old terms');
  }

  /** New terms that were taken for refused, or for lost, and that the venue shows after all: what it holds is what executes. */
  function scheduleRead(order: TrackedOrder, { terms: read }: ListedOrder): OrderNews | undefined {
    const { intentId, change } = order;
    const terms = hasFigures(read, order.terms)
      ? undefined
      : change?.asked.find((asked) => hasFigures(read, asked));
    if (terms === undefined) return undefined;
    return record({ kind: 'replace-read', at: clock.now(), intentId, terms }, 'new terms, late');
  }

  /** The old terms while the exchange has not said no for all we know, and then for good (T-41). */
  function handleMissingAmend(order: TrackedOrder, { orderId, status }: ListedOrder): OrderNews | undefined {
    const { intentId, change } = order;
    const since = change?.at ?? clock.now();
    if (status === 'WaitToReplace' || status === 'PendingReplaceStatus') return undefined;
    if (clock.now() - since < SHOWN_AFTER_MS) {
      if (pendingAmends.get(orderId) !== since) schedule(SHOWN_AFTER_MS, { kind: 'follow-up', orderId });
      pendingAmends.set(orderId, since);
      return undefined;
    }
    pendingAmends.delete(orderId);
    const message = `Accepted, and not to be seen ${SHOWN_AFTER_MS / 1_000} s later`;
    const no = { kind: 'replace-answered', answer: 'refused', message } as const;
    return record({ ...no, at: clock.now(), intentId }, `new terms refused: ${message}`);
  }

  /** The order lives on, by the terms that the event leaves it with. */
  function record(event: ReplaceEvent, why: string): OrderNews {
    recorder.record(event);
    return orderNews(known(event.intentId), { outcome: 'working', why, time: clock.now() });
  }

  function isConfirmedBySecondRead(orderId: OrderId): boolean {
    const first = unconfirmedSince.get(orderId);
    if (first === undefined) {
      unconfirmedSince.set(orderId, clock.now());
      schedule(SECOND_READ_MS, { kind: 'moved', orderId });
    }
    return first !== undefined && clock.now() - first >= SECOND_READ_MS;
  }

  return { read };
}
