import { Decimal, ZERO } from '../../model/decimal.ts';
import {
  type Charge,
  type Execution,
  type ExecutionId,
  executionId,
  type OrderDetail,
  type OrderId,
} from '../../model/order.ts';
import type { Booked } from '../../model/order-facets.ts';
import type { Millis } from '../../model/time.ts';
import type { Answer, Broker, ReadPurpose } from '../../ports/broker.ts';
import { awaitAnswer, type Task } from '../../ports/task.ts';

/** Executed quantity that the venue reports for an order, the booked part, and the earliest time of an execution. */
export interface ExecutedOrder {
  readonly orderId: OrderId;
  readonly executed: Decimal;
  readonly booked: ReadonlyMap<ExecutionId, unknown> | ReadonlySet<ExecutionId>;
  readonly bookedQuantity: Decimal;
  readonly since: Millis;
}

/**
 * Reads executions of an order: today's, plus those of earlier days if today's do not add up to the executed
 * quantity.
 */
export function* executionsOf(
  broker: Broker,
  order: ExecutedOrder,
  purpose?: ReadPurpose,
): Task<never, Answer<readonly Execution[]>> {
  const today = yield* awaitAnswer(broker.executionsToday(order.orderId, purpose));
  if (today.kind !== 'ok' || isWhole(today.value, order)) return today;
  return merged(yield* awaitAnswer(broker.executionsBefore(order.since)), today.value, order);
}

/** True if these rows and the booked executions add up to the reported executed quantity. */
export function isWhole(
  rows: readonly Execution[],
  order: Omit<ExecutedOrder, 'orderId' | 'since'>,
): boolean {
  return totalOf(rows, order).gte(order.executed);
}

/** Returns the quantity of the booked executions and of these rows. */
export function totalOf(
  rows: readonly Execution[],
  { booked, bookedQuantity }: Pick<ExecutedOrder, 'booked' | 'bookedQuantity'>,
): Decimal {
  const fresh = rows.filter((row) => !booked.has(row.executionId));
  return fresh.reduce((sum, row) => sum.plus(row.quantity), bookedQuantity);
}

function merged(
  earlier: Answer<readonly Execution[]>,
  today: readonly Execution[],
  { orderId }: ExecutedOrder,
): Answer<readonly Execution[]> {
  if (earlier.kind !== 'ok') return { kind: 'ok', value: today };
  return { kind: 'ok', value: [...earlier.value.filter((row) => row.orderId === orderId), ...today] };
}

/** Minimum decimal places of an average price, and those of a price derived from two averages. */
const AVERAGE_PLACES_MIN = 3;
const PRICE_PLACES = 10;

/**
 * Derives an execution from an order's executed quantity and average price, less the booked part; undefined if there
 * is none. Its id combines order id and executed quantity, so that a repeated read, even after a crash, gives the
 * same execution. For venues that do not list executions.
 */
export function executionInDetail(
  detail: Pick<OrderDetail, 'orderId' | 'terms' | 'executedQuantity' | 'executedPrice' | 'updatedAt'>,
  booked: ReadonlyMap<ExecutionId, Booked>,
): Execution | undefined {
  const { orderId, terms, executedQuantity: executed, executedPrice: average, updatedAt: time } = detail;
  const before = [...booked.values()].reduce(
    (sum, { quantity, price }) => ({
      quantity: sum.quantity.plus(quantity),
      money: sum.money.plus(quantity.times(price)),
    }),
    { quantity: ZERO, money: ZERO },
  );
  const quantity = executed.minus(before.quantity);
  if (average === undefined || quantity.lte(0)) return undefined;
  const money = executed.times(average).minus(before.money);
  const price =
    before.quantity.isZero() || money.lte(0)
      ? average
      : money.div(quantity).toDecimalPlaces(PRICE_PLACES, Decimal.ROUND_HALF_UP);
  const places = Math.max(AVERAGE_PLACES_MIN, average.decimalPlaces());
  const rounding = executed.times(new Decimal(5).times(new Decimal(10).pow(-places - 1)));
  const { symbol, side } = terms;
  return {
    executionId: executionId(`${orderId}:${executed}`),
    orderId,
    symbol,
    side,
    quantity,
    price,
    time,
    rounding,
  };
}

/** Returns the charges of an order that were not booked with its earlier fills, by code. */
export function chargesBeyond(
  total: readonly Charge[],
  booked: ReadonlyMap<string, Decimal>,
): readonly Charge[] {
  return total
    .map((charge) => ({ ...charge, amount: charge.amount.minus(booked.get(charge.code) ?? ZERO) }))
    .filter((charge) => !charge.amount.isZero());
}
