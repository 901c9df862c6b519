import type { EngineKind } from './engines.ts';
import type { Oracle, OracleOrder } from './oracle-file.ts';

/** An order that the strategy cancelled, and the bar at whose end it did. */
export interface Cancellation {
  readonly order: OracleOrder;
  readonly bar: number;
}

/**
 * Cancels by the strategy of an oracle. Some programs record the deciding bar, others the next one. An order that
 * ended because another order of its bracket did was not cancelled by the strategy and is left out.
 */
export function cancellations(oracle: Oracle, engine: EngineKind): readonly Cancellation[] {
  const cancelled = oracle.orders.filter(
    ({ status, ended_bar }) => status === 'cancelled' && ended_bar != null,
  );
  if (engine !== 'backtrader') return cancelled.map((order) => ({ order, bar: order.ended_bar ?? 0 }));
  const filledAt = new Map<number | null, number>(oracle.fills.map(({ order, bar }) => [order, bar]));
  return cancelled
    .filter((order) => !endsWithBracket(order, oracle.orders, filledAt))
    .map((order) => ({ order, bar: (order.ended_bar ?? 0) - 1 }));
}

function endsWithBracket(
  order: OracleOrder,
  orders: readonly OracleOrder[],
  filledAt: ReadonlyMap<number | null, number>,
): boolean {
  const entry = order.parent ?? order.id;
  const family = orders.filter((other) => other.id !== order.id && (other.parent ?? other.id) === entry);
  return family.some((other) => {
    if (other.status === 'filled') return other.parent != null && filledAt.get(other.id) === order.ended_bar;
    return (
      ['expired', 'margin', 'refused', 'rejected'].includes(other.status) &&
      other.ended_bar === order.ended_bar
    );
  });
}
