import { omitUndefined } from '../../model/omit-undefined.ts';
import type { Execution, OrderDetail } from '../../model/order.ts';
import type { Simulation } from '../../simulation/simulation.ts';
import { writeExecutions } from '../../wire/mapper/execution.ts';
import { writeOrder, writeOrderList } from '../../wire/mapper/order.ts';
import { type Call, type CallResult, type Handler, ok } from '../calls/call.ts';
import { historyWindow } from './listing-window.ts';
import type { OrderFactsBook } from './order-facts.ts';
import { pageOf, WHOLE } from './page.ts';

export interface ListingParts {
  readonly facts: OrderFactsBook;
  readonly simulation: Pick<Simulation, 'now'>;
}

/** Orders are listed newest first, executions oldest first. */
export function listingHandlers({ facts, simulation }: ListingParts) {
  const orders = (
    details: readonly OrderDetail[],
    { language }: Call,
    query: { readonly page?: number; readonly size?: number },
  ): CallResult => {
    const { rows, hasMore } = pageOf(details, query.page, query.size);
    const written = rows.map((detail) => writeOrder(detail, facts.of(detail, language)));
    return ok(writeOrderList(written, hasMore));
  };

  const todayOrders: Handler<'todayOrders'> = (query, call) =>
    orders(query.isAttached === true ? [] : call.account.ordersToday(query), call, whole(query));

  const historyOrders: Handler<'historyOrders'> = (query, call) =>
    orders(call.account.ordersBefore({ ...query, ...historyWindow(query, simulation.now()) }), call, query);

  const todayExecutions: Handler<'todayExecutions'> = ({ symbol, orderId, page }, { account }) => {
    const filter = {
      ...omitUndefined({ symbol, orderId }),
    };
    return executions(account.executionsToday(filter), page, page === undefined ? WHOLE : undefined);
  };

  const historyExecutions: Handler<'historyExecutions'> = (query, { account }) =>
    executions(account.executionsBefore({ ...query, ...historyWindow(query, simulation.now()) }), query.page);

  const allExecutions: Handler<'allExecutions'> = (query, { account }) => {
    const filter = { ...query, ...historyWindow(query, simulation.now()) };
    return executions([...account.executionsBefore(filter), ...account.executionsToday(filter)], query.page);
  };

  return { todayOrders, historyOrders, todayExecutions, historyExecutions, allExecutions };
}

/** Requests all of today's orders if the query has neither page nor size. */
function whole<Query extends { readonly page?: number; readonly size?: number }>(query: Query) {
  return query.page === undefined && query.size === undefined ? { size: WHOLE } : query;
}

function executions(rows: readonly Execution[], page: number | undefined, size?: number): CallResult {
  const pageRows = pageOf(rows, page, size);
  return ok(writeExecutions(pageRows.rows, pageRows.hasMore));
}
