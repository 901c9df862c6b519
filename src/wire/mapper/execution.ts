import { type Execution, executionId, type OrderId, orderId, type Side } from '../../model/order.ts';
import { readSide, writeSide } from '../order-enums.ts';
import { parseShape, readResponse } from '../request.ts';
import { wireExecution } from '../schemas/order-responses.ts';
import { type ReadRows, readRows } from './rows.ts';
import * as value from './values.ts';

/** Returns the side of a known order; older services omit it from executions. */
export type SideOf = (orderId: OrderId) => Side | undefined;

/**
 * Parses `data` of an executions listing; invalid rows are reported, not thrown. A row without a side takes its
 * order's side, and is invalid if `sideOf` does not know the order.
 */
export function readExecutions(
  data: unknown,
  sideOf: SideOf,
): ReadRows<Execution> & { readonly hasMore: boolean } {
  const list = readResponse('todayExecutions', data);
  return { ...readRows(list.trades, (row) => readExecution(row, sideOf)), hasMore: list.has_more };
}

function readExecution(raw: unknown, sideOf: SideOf): Execution {
  const row = parseShape(wireExecution, raw, 'an execution');
  const order = orderId(row.order_id);
  return {
    executionId: executionId(row.trade_id),
    orderId: order,
    symbol: value.readSymbol(row.symbol, 'symbol'),
    side: value.readEnum(row.side, 'side', (word) => (word === '' ? sideOf(order) : readSide(word))),
    quantity: value.readPositive(row.quantity, 'quantity'),
    price: value.readPositive(row.price, 'price'),
    time: value.readSeconds(row.trade_done_at, 'trade_done_at'),
  };
}

export function writeExecutions(executions: readonly Execution[], hasMore: boolean) {
  return {
    has_more: hasMore,
    trades: executions.map((each) => ({
      order_id: each.orderId,
      trade_id: each.executionId,
      symbol: each.symbol,
      trade_done_at: value.writeSeconds(each.time),
      quantity: each.quantity.toFixed(),
      price: each.price.toFixed(),
      side: writeSide(each.side),
    })),
  };
}
