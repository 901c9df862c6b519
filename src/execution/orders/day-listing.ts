import type { Execution, OrderId } from '../../model/order.ts';
import { isOver } from '../../model/order-facets.ts';
import type { ListedOrder, ReadPurpose } from '../../ports/broker.ts';
import { answerTo, type Task } from '../../ports/task.ts';
import type { FeeReader } from './fee-reader.ts';
import type { OrderListReconciler } from './order-list-reconciler.ts';
import type { OrderNews } from './order-news.ts';
import type { OrderReader } from './order-reader.ts';
import type { OrderTrackingContext } from './order-tracking-context.ts';
import {
  CALLS_OF_A_LOOK,
  ENDED_SINGLY_MAX,
  FILTER_MISSES_MAX,
  LONG_DAY_ORDERS,
  WHOLE_DAY_EVERY_MS,
} from './polling-intervals.ts';

/** The parts of the tracker that a day's listing uses. */
export interface DayListingParts {
  readonly listing: OrderListReconciler;
  readonly reader: Pick<OrderReader, 'pullLive'>;
  readonly fees: Pick<FeeReader, 'plan'>;
}

/**
 * Reads today's orders: the whole day, or on a long day the open orders alone where they tell everything that is looked for.
 * @see docs/reliability.md, "Reads on days with many orders"
 */
export function createDayListing(
  { broker, clock, limiter, recorder: { state } }: OrderTrackingContext,
  { listing, reader, fees }: DayListingParts,
) {
  /** When the whole day was listed last, and whether it had many orders then. */
  let wholeAt = clock.now();
  let isLongDay = false;
  /** False once the venue refused the status filter, or left working orders out of what it filtered. */
  let isFilterTrusted = true;
  /** Filtered lists in a row that left out an order of ours which works. */
  let misses = 0;

  /**
   * Reads today's orders and handles them. With the scope `day` the whole day is listed, whatever its length: for duplicates, external orders and
   * orders of ours that are over, which a list of open orders does not show.
   */
  function* read(purpose: ReadPurpose, scope?: 'day'): Task<OrderNews> {
    const isDue = clock.now() - wholeAt >= WHOLE_DAY_EVERY_MS;
    const isWhole = scope === 'day' || purpose === 'kill' || !isLongDay || !isFilterTrusted || isDue;
    // Without calls to read an order that ended, the list of open orders would have to be followed by one of the day.
    if (isWhole || !limiter.take(0, CALLS_OF_A_LOOK)) return yield* readDay(purpose);
    const answer = yield* answerTo(broker.ordersToday(purpose, 'open'));
    if (answer.kind !== 'ok') {
      // The next reading lists the whole day, as this one returned nothing. A refusal would only be repeated.
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
    noteMisses(ended);
  }

  function* readDay(purpose: ReadPurpose): Task<OrderNews> {
    const answer = yield* answerTo(broker.ordersToday(purpose));
    if (answer.kind === 'ok')
      yield* handle(answer.value, undefined, purpose === 'kill' ? purpose : undefined);
  }

  /** Handles a list of the whole day; `executions` that were read after it spare a call. */
  function* handle(
    orders: readonly ListedOrder[],
    executions?: readonly Execution[],
    purpose?: ReadPurpose,
  ): Task<OrderNews> {
    wholeAt = clock.now();
    isLongDay = orders.length >= LONG_DAY_ORDERS;
    yield* listing.handleRows(orders, 'all', executions, purpose);
    fees.plan();
  }

  /** Takes the calls for so many orders; without them one list of the day shows what became of all of them. */
  function canReadSingly(count: number): boolean {
    return count <= ENDED_SINGLY_MAX && (count === 0 || limiter.take(count * CALLS_OF_A_LOOK));
  }

  /** An order that is read and still works should have been among the open ones. */
  function noteMisses(ended: readonly OrderId[]): void {
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
    /** When the whole day was listed last. */
    listedAt: () => wholeAt,
    /** Whether it had many orders then. */
    isLong: () => isLongDay,
  };
}
