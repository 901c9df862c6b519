import type { TrackedOrder } from '../../events/bot-state.ts';
import type { ReplaceEvent } from '../../events/event.ts';
import { isTerminalStatus, type OrderId } from '../../model/order.ts';
import { hasFigures } from '../../model/replaceable-figures.ts';
import type { Millis } from '../../model/time.ts';
import type { ListedOrder } from '../../ports/broker.ts';
import type { OrderTrackingContext } from './order-tracking-context.ts';
import { type OrderUpdate, orderUpdate } from './order-update.ts';

/** Minimum time between the two reads after which an unconfirmed amend counts as lost. */
const SECOND_READ_MS = 2_000;
/** Time after which an accepted amend that no read shows counts as rejected by the exchange. */
const SHOWN_AFTER_MS = 30_000;

/** Determines from reads of an order whether the venue applied an amend. */
export function createAmendConfirmation({
  recorder,
  clock,
  known,
  schedule,
}: Pick<OrderTrackingContext, 'recorder' | 'clock' | 'known' | 'schedule'>) {
  /** Time of the first read with the old terms, by order with an unconfirmed amend. */
  const unconfirmedSince = new Map<OrderId, Millis>();
  /** Time of the amend, by order with a scheduled confirmation read. */
  const pendingAmends = new Map<OrderId, Millis>();

  /**
   * Records the result of a read (T-41, T-42). An unconfirmed amend is lost if two reads, at least 2 s apart, show
   * the old terms. Returns the update for the strategy; undefined without a decision.
   */
  function read(order: TrackedOrder, detail: ListedOrder): OrderUpdate | undefined {
    const { intentId, replacing, facets } = order;
    if (isTerminalStatus(detail.status))
      return isFilledAtOther(order, detail) ? recordLateAmend(order, detail) : undefined;
    if (replacing === undefined) return recordLateAmend(order, detail);
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

  /** Handles an amend that counted as rejected or lost but is visible now: the venue's terms apply. */
  function recordLateAmend(order: TrackedOrder, { terms: read }: ListedOrder): OrderUpdate | undefined {
    const { intentId, change } = order;
    const terms = hasFigures(read, order.terms)
      ? undefined
      : change?.asked.find((asked) => hasFigures(read, asked));
    if (terms === undefined) return undefined;
    return record({ kind: 'replace-read', at: clock.now(), intentId, terms }, 'new terms, late');
  }

  /** Handles an accepted amend that a read does not show: records it as rejected after 30 s (T-41). */
  function handleMissingAmend(
    order: TrackedOrder,
    { orderId, status }: ListedOrder,
  ): OrderUpdate | undefined {
    const { intentId, change } = order;
    const since = change?.at ?? clock.now();
    if (status === 'WaitToReplace' || status === 'PendingReplaceStatus') return undefined;
    if (clock.now() - since < SHOWN_AFTER_MS) {
      if (pendingAmends.get(orderId) !== since) schedule(SHOWN_AFTER_MS, { kind: 'follow-up', orderId });
      pendingAmends.set(orderId, since);
      return undefined;
    }
    pendingAmends.delete(orderId);
    const message = `Accepted, but not visible after ${SHOWN_AFTER_MS / 1_000} s`;
    const no = { kind: 'replace-answered', answer: 'refused', message } as const;
    return record({ ...no, at: clock.now(), intentId }, `new terms refused: ${message}`);
  }

  /** Records the event; the order remains working with the resulting terms. */
  function record(event: ReplaceEvent, why: string): OrderUpdate {
    recorder.record(event);
    return orderUpdate(known(event.intentId), { outcome: 'working', why, time: clock.now() });
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

/**
 * True if the venue filled a different quantity than we know: an amend was applied, and its fills were read first
 * (T-44).
 */
function isFilledAtOther({ facets: { executed }, terms }: TrackedOrder, detail: ListedOrder): boolean {
  return (
    detail.status === 'FilledStatus' && detail.terms.quantity.eq(executed) && !terms.quantity.eq(executed)
  );
}
