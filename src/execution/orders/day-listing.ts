import type { Execution, OrderId } from '../../model/order.ts';
import { isOver } from '../../model/order-facets.ts';
import type { ListedOrder, ReadPurpose } from '../../ports/broker.ts';
import { awaitAnswer, type Task } from '../../ports/task.ts';
import type { FeeReader } from './fee-reader.ts';
import type { OrderListReconciler } from './order-list-reconciler.ts';
import type { OrderReader } from './order-reader.ts';
import type { OrderTrackingContext } from './order-tracking-context.ts';
import type { OrderUpdate } from './order-update.ts';
import {
  CALLS_PER_READ,
  ENDED_SINGLY_MAX,
  FILTER_MISSES_MAX,
  LONG_DAY_ORDERS,
  WHOLE_DAY_EVERY_MS,
} from './polling-intervals.ts';

/** Parts of the tracker that read the day's orders. */
export interface DayListingParts {
  readonly listing: OrderListReconciler;
  readonly reader: Pick<OrderReader, 'pullLive'>;
  readonly fees: Pick<FeeReader, 'plan'>;
}

/**
 * Reads today's orders: all of them or, on a long day, only open ones if these are sufficient.
 * @see docs/reliability.md, "Reads on days with many orders"
 */
export function createDayListing(
  { broker, clock, limiter, recorder: { state } }: OrderTrackingContext,
  { listing, reader, fees }: DayListingParts,
) {
  /** When the whole day was last listed, and whether it had many orders then. */
  let wholeAt = clock.now();
  let isLongDay = false;
  /** False after the venue refused the status filter, or omitted working orders from a filtered list. */
  let isFilterTrusted = true;
  /** Consecutive filtered lists that omitted a working order of ours. */
  let misses = 0;

  /**
   * Reads and handles today's orders. The scope `day` forces a list of the whole day, which is needed for duplicates,
   * external orders and our finished orders; a list of open orders contains none of these.
   */
  function* read(purpose: ReadPurpose, scope?: 'day'): Task<OrderUpdate> {
    const isDue = clock.now() - wholeAt >= WHOLE_DAY_EVERY_MS;
    const isWhole = scope === 'day' || purpose === 'kill' || !isLongDay || !isFilterTrusted || isDue;
    // Without calls to read ended orders singly, a list of open orders would need a second list of the day.
    if (isWhole || !limiter.take(0, CALLS_PER_READ)) return yield* readDay(purpose);
    const answer = yield* awaitAnswer(broker.ordersToday(purpose, 'open'));
    if (answer.kind !== 'ok') {
      // The next read lists the whole day, because this one failed. A refusal would be repeated, so the filter is
      // dropped.
      isLongDay = false;
      if (answer.kind === 'not-sent' || answer.retryable) return;
      isFilterTrusted = false;
      return yield* readDay(purpose);
    }
    const rows = answer.value;
    const ended = listing.missing(rows);
    if (listing.hasUnknownIds(rows) || !canReadSingly(ended.length)) yield* readDay(purpose);
    else {
      yield* listing.handleRows(rows, 'open');
      for (const orderId of ended) yield* reader.pullLive(orderId);
      fees.plan();
    }
    countMisses(ended);
  }

  function* readDay(purpose: ReadPurpose): Task<OrderUpdate> {
    const answer = yield* awaitAnswer(broker.ordersToday(purpose));
    if (answer.kind === 'ok')
      yield* handle(answer.value, undefined, purpose === 'kill' ? purpose : undefined);
  }

  /** Handles a list of the whole day; `executions` that were read after it save a call. */
  function* handle(
    orders: readonly ListedOrder[],
    executions?: readonly Execution[],
    purpose?: ReadPurpose,
  ): Task<OrderUpdate> {
    wholeAt = clock.now();
    isLongDay = orders.length >= LONG_DAY_ORDERS;
    yield* listing.handleRows(orders, 'all', executions, purpose);
    fees.plan();
  }

  /** Reserves calls to read this many orders; without them a list of the day shows the end of all. */
  function canReadSingly(count: number): boolean {
    return count <= ENDED_SINGLY_MAX && (count === 0 || limiter.take(count * CALLS_PER_READ));
  }

  /** Counts a miss if an order that was not listed as open is still working. */
  function countMisses(ended: readonly OrderId[]): void {
    const isMissed = ended.some((orderId) => {
      const intentId = state.intentOf(orderId);
      const order = intentId === undefined ? undefined : state.live.get(intentId);
      return order !== undefined && !isOver(order.facets);
    });
    misses = isMissed ? misses + 1 : 0;
    if (misses >= FILTER_MISSES_MAX) isFilterTrusted = false;
  }

  return {
    read,
    handle,
    /** When the whole day was last listed. */
    listedAt: () => wholeAt,
    isLong: () => isLongDay,
  };
}
