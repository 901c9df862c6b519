import { Decimal } from '#src/model/decimal.ts';
import type { OrderId, OrderTerms, OrderType } from '#src/model/order.ts';
import { type SecuritySymbol, securitySymbol } from '#src/model/symbol.ts';
import type { Millis } from '#src/model/time.ts';
import type { OrderExtras } from '#src/simulation/orders/order-extras.ts';
import { instantOf } from './oracle-bars.ts';
import type { OracleFill, OracleOrder } from './oracle-file.ts';

/** More than any account can pay, for an order that states a share of the cash and no quantity. */
const ANY_QUANTITY = new Decimal('1000000000000');

const TYPES: ReadonlyMap<string, OrderType> = new Map([
  ['market', 'MO'],
  ['limit', 'LO'],
  ['stop', 'MIT'],
  ['stop_limit', 'LIT'],
  ['stop_trail', 'TSLPPCT'],
]);

/** The terms of a recorded order as the broker names them; throws RangeError for an unknown type of order. */
export function termsOf(order: OracleOrder, only: SecuritySymbol): OrderTerms {
  const type = order.trail_amount != null && order.type === 'stop_trail' ? 'TSLPAMT' : TYPES.get(order.type);
  if (type === undefined)
    throw new RangeError(`Cannot send order ${order.id}: no order type "${order.type}"`);
  const units = order.units ?? order.size;
  const trails = order.type === 'stop_trail';
  return {
    symbol: order.code === undefined ? only : securitySymbol(order.code),
    side: order.side,
    type,
    quantity: units == null ? ANY_QUANTITY : new Decimal(units).abs(),
    timeInForce: type === 'MO' ? 'day' : 'gtc',
    ...(order.limit == null ? {} : { price: new Decimal(order.limit) }),
    ...(order.stop == null || trails ? {} : { triggerPrice: new Decimal(order.stop) }),
    ...(trails ? trailOf(order) : {}),
  };
}

/** The distance of a trailing stop from the price; throws RangeError if the order does not state it. */
function trailOf({ id, trail_percent, trail_amount }: OracleOrder): Partial<OrderTerms> {
  const limitOffset = new Decimal(0);
  if (trail_percent != null) return { trailingPercent: new Decimal(trail_percent).times(100), limitOffset };
  if (trail_amount != null) return { trailingAmount: new Decimal(trail_amount), limitOffset };
  throw new RangeError(`Cannot send order ${id}: a stop_trail order wants "trail_percent" or "trail_amount"`);
}

/** Simulation time of a stamp of the oracle. */
export type Clock = (stamp: number) => Millis;

/** Our id of the order that opened what a recorded one closes; undefined if it closes no trade that was sent. */
export function closedBy(
  order: OracleOrder,
  fills: readonly OracleFill[],
  sent: ReadonlyMap<number, OrderId>,
): OrderId | undefined {
  const entry = order.closes_trade == null ? undefined : entryOf(order.closes_trade, fills);
  return entry === undefined ? undefined : sent.get(entry);
}

/** Parts of a recorded order beyond its terms; `sent` has our ids of the orders sent so far. */
export function extrasOf(
  order: OracleOrder,
  fills: readonly OracleFill[],
  sent: ReadonlyMap<number, OrderId>,
  clock: Clock,
): OrderExtras {
  const closes = closedBy(order, fills, sent);
  const parent = order.parent == null ? undefined : sent.get(order.parent);
  const sized = order.units == null && order.size == null;
  return {
    ...(sized ? { fraction: new Decimal(order.size_fraction ?? 1).abs() } : {}),
    ...(order.sl == null ? {} : { stopLoss: new Decimal(order.sl) }),
    ...(order.tp == null ? {} : { takeProfit: new Decimal(order.tp) }),
    ...(order.type === 'stop_trail' && order.stop != null ? { firstStop: new Decimal(order.stop) } : {}),
    ...(order.valid_until == null ? {} : { lastBar: clock(instantOf(order.valid_until)) }),
    ...(closes === undefined ? {} : { closes }),
    ...(parent === undefined ? {} : { parent }),
  };
}

/** The order that opened a trade. */
function entryOf(trade: number, fills: readonly OracleFill[]): number | undefined {
  return fills.find((fill) => fill.trade === trade && fill.action === 'open')?.order ?? undefined;
}
