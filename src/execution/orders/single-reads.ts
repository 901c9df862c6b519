import type { TrackedOrder } from '../../events/bot-state.ts';
import { ordersAtVenue } from '../../events/records/open-orders.ts';
import { hasTable } from '../../markets/market-records.ts';
import type { OrderId } from '../../model/order.ts';
import { marketOf } from '../../model/symbol.ts';
import type { Task } from '../../ports/task.ts';
import { sessionFact } from '../gate/trading-time.ts';
import type { OrderReader } from './order-reader.ts';
import type { OrderTrackingContext } from './order-tracking-context.ts';
import type { OrderUpdate } from './order-update.ts';
import { LISTING_EVERY_MS } from './polling-intervals.ts';

/**
 * Reads orders singly, for venues without order lists. On a replayed market, where hours pass quickly, an order is
 * read once after its market closed and not before it opens again, since it cannot change. In real time the calendar
 * is not relied on.
 */
export function createSingleReads(context: OrderTrackingContext, reader: Pick<OrderReader, 'pullLive'>) {
  const { broker, recorder, clock, limiter } = context;
  const skipsClosedHours = broker.facts.pushComplete;
  /** Round in which an order was last read. */
  const lastRead = new Map<OrderId, number>();
  const readAfterClose = new Set<OrderId>();
  let round = 0;

  /** Returns when the market of an order opens; undefined while it trades, and without a calendar. */
  function opensAt({ terms }: TrackedOrder): number | undefined {
    const market = marketOf(terms.symbol);
    if (!skipsClosedHours || !hasTable(market)) return undefined;
    const { kind, until } = sessionFact(market, clock.now());
    return kind === 'closed' ? until : undefined;
  }

  function remove(ids: ReadonlySet<OrderId>): void {
    for (const id of lastRead.keys()) if (!ids.has(id)) lastRead.delete(id);
    for (const id of readAfterClose) if (!ids.has(id)) readAfterClose.delete(id);
  }

  /** Reads all orders that are due, the least recently read first, as far as there are spare calls. */
  function* read(): Task<OrderUpdate> {
    round += 1;
    const orders = ordersAtVenue(recorder.state);
    remove(new Set(orders.map(({ orderId }) => orderId)));
    const due = orders.filter(({ orderId, order }) => {
      if (opensAt(order) === undefined) readAfterClose.delete(orderId);
      return !readAfterClose.has(orderId);
    });
    const oldestFirst = due.toSorted(
      (a, b) => (lastRead.get(a.orderId) ?? 0) - (lastRead.get(b.orderId) ?? 0),
    );
    for (const { orderId, order } of oldestFirst) {
      if (!limiter.take(1)) continue;
      lastRead.set(orderId, round);
      if (opensAt(order) !== undefined) readAfterClose.add(orderId);
      yield* reader.pullLive(orderId, 'poll');
    }
  }

  return {
    read,
    /** Returns the delay of the next round, in milliseconds. */
    nextAfterMs() {
      const opens = ordersAtVenue(recorder.state).map(({ orderId, order }) =>
        readAfterClose.has(orderId) ? (opensAt(order) ?? 0) : 0,
      );
      const earliest = Math.min(...opens);
      return Math.max(LISTING_EVERY_MS, Number.isFinite(earliest) ? earliest - clock.now() : 0);
    },
  };
}
