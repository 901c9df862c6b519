import type { OrderId, Side } from '../../model/order.ts';
import type { SideOf } from '../../wire/mapper/execution.ts';

/** Maximum number of remembered orders; the oldest are dropped. */
const ORDERS_MAX = 10_000;

/** Remembers the side of orders, because older services omit it in executions. */
export function createOrderSides(): { add(orderId: OrderId, side: Side): void; readonly of: SideOf } {
  const sides = new Map<OrderId, Side>();
  return {
    add(orderId, side) {
      sides.set(orderId, side);
      if (sides.size <= ORDERS_MAX) return;
      for (const oldest of sides.keys()) {
        sides.delete(oldest);
        break;
      }
    },
    of: (orderId) => sides.get(orderId),
  };
}
