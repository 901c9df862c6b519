import type { Observable } from 'rxjs';
import { type Decimal, ZERO } from '../model/decimal.ts';
import type { Execution, ExecutionId, OrderId } from '../model/order.ts';
import type { Millis } from '../model/time.ts';
import type { Answer, Broker } from '../ports/broker.ts';
import { andThen, atOnce, eachAs } from '../ports/steps.ts';

/** How much of an order is said to be executed, which of it is booked, and since when it can have been. */
export interface Executed {
  readonly orderId: OrderId;
  readonly executed: Decimal;
  readonly booked: ReadonlyMap<ExecutionId, unknown> | ReadonlySet<ExecutionId>;
  readonly bookedQuantity: Decimal;
  readonly since: Millis;
}

/** Executions of one order: today's, and those of earlier days where today's do not add up to what is executed. Emits once. */
export function executionsOf(broker: Broker, order: Executed): Observable<Answer<readonly Execution[]>> {
  return andThen(broker.executionsToday(order.orderId), (today) => {
    if (today.kind !== 'ok' || isWhole(today.value, order)) return atOnce(() => today);
    return eachAs(broker.executionsBefore(order.since), (earlier) => joined(earlier, today.value, order));
  });
}

/** Whether these rows, with what is booked, add up to what is said to be executed. */
export function isWhole(
  rows: readonly Execution[],
  { executed, booked, bookedQuantity }: Omit<Executed, 'orderId' | 'since'>,
): boolean {
  const fresh = rows.filter((row) => !booked.has(row.executionId));
  return fresh
    .reduce((sum, row) => sum.plus(row.quantity), ZERO)
    .plus(bookedQuantity)
    .gte(executed);
}

function joined(
  earlier: Answer<readonly Execution[]>,
  today: readonly Execution[],
  { orderId }: Executed,
): Answer<readonly Execution[]> {
  if (earlier.kind !== 'ok') return { kind: 'ok', value: today };
  return { kind: 'ok', value: [...earlier.value.filter((row) => row.orderId === orderId), ...today] };
}
