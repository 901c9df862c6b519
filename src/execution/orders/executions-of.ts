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
import { answerTo, type Task } from '../../ports/task.ts';

/** The reported executed quantity of an order, the booked part of it, and the earliest possible time. */
export interface Executed {
  readonly orderId: OrderId;
  readonly executed: Decimal;
  readonly booked: ReadonlyMap<ExecutionId, unknown> | ReadonlySet<ExecutionId>;
  readonly bookedQuantity: Decimal;
  readonly since: Millis;
}

/** Executions of one order: today's, and those of earlier days where today's do not add up to what is executed. */
export function* executionsOf(
  broker: Broker,
  order: Executed,
  purpose?: ReadPurpose,
): Task<never, Answer<readonly Execution[]>> {
  const today = yield* answerTo(broker.executionsToday(order.orderId, purpose));
  if (today.kind !== 'ok' || isWhole(today.value, order)) return today;
  return joined(yield* answerTo(broker.executionsBefore(order.since)), today.value, order);
}

/** Whether these rows, with what is booked, add up to the reported executed quantity. */
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

/** An average price is taken to be rounded to at least so many decimal places, and a price made of two averages has so many. */
const AVERAGE_PLACES_MIN = 3;
const PRICE_PLACES = 10;

/**
 * What an order's own figures say was executed beyond what is booked, as one execution; undefined when they say nothing new. Its id
 * consists of the order's id and the executed quantity, so that a second reading of the same figures, after a crash too, is the same
 * execution. For venues that do not list executions.
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

/** What an order has been charged in total beyond what was booked with its earlier fills, by code. */
export function chargesBeyond(
  total: readonly Charge[],
  booked: ReadonlyMap<string, Decimal>,
): readonly Charge[] {
  return total
    .map((charge) => ({ ...charge, amount: charge.amount.minus(booked.get(charge.code) ?? ZERO) }))
    .filter((charge) => !charge.amount.isZero());
}
