import { type Decimal, ZERO } from '#src/model/decimal.ts';
import type { Fill } from '#src/model/fill.ts';
import { intentId, type OrderId } from '#src/model/order.ts';
import { tradesOf } from '#src/reports/trades.ts';
import type { Oracle } from './oracle-file.ts';
import type { Replayed } from './replay.ts';
import type { StageFill } from './stage.ts';

/** A closed trade of our run, in the account's currency. */
export interface ClosedTrade {
  readonly code: string;
  readonly side: 'long' | 'short';
  readonly units: number;
  readonly entryBar: number;
  readonly exitBar: number;
  readonly entryPrice: number;
  readonly exitPrice: number;
  readonly gross: number;
  readonly commission: number;
}

/** Trades from flat to flat, as our reports count them. */
export function tripsByNet(fills: readonly StageFill[]): readonly ClosedTrade[] {
  const barAt = new Map(fills.map(({ bar, execution }) => [execution.time, bar]));
  return tradesOf(withoutDust(fills).map(reportFill)).closed.map((trip) => {
    const sign = trip.direction === 'long' ? 1 : -1;
    const gross = trip.exitPrice.minus(trip.entryPrice).times(trip.quantity).times(sign);
    return {
      code: trip.symbol,
      side: trip.direction,
      units: trip.quantity.toNumber(),
      entryBar: barAt.get(trip.openedAt) ?? -1,
      exitBar: barAt.get(trip.closedAt) ?? -1,
      entryPrice: trip.entryPrice.toNumber(),
      exitPrice: trip.exitPrice.toNumber(),
      gross: gross.toNumber(),
      commission: trip.fees.toNumber(),
    };
  });
}

/** Maximum remainder, as a share of a position, that adding doubles can leave. */
const DUST = 1e-12;

/** Fills that leave exactly nothing where the remainder is only the rounding of added doubles. */
function withoutDust(fills: readonly StageFill[]): readonly StageFill[] {
  const held = new Map<string, Decimal>();
  return fills.map((fill) => {
    const { symbol, side, quantity } = fill.execution;
    const signed = side === 'buy' ? quantity : quantity.neg();
    const left = (held.get(symbol) ?? ZERO).plus(signed);
    const dust = !left.eq(ZERO) && left.abs().lte(quantity.times(DUST));
    held.set(symbol, dust ? ZERO : left);
    if (!dust) return fill;
    const exact = side === 'buy' ? quantity.minus(left) : quantity.plus(left);
    return { ...fill, execution: { ...fill.execution, quantity: exact } };
  });
}

function reportFill({ execution, commission }: StageFill): Fill {
  return {
    ...execution,
    intentId: intentId(execution.orderId),
    currency: 'USD',
    fee: commission,
    charges: [],
  };
}

interface Lot {
  readonly fill: StageFill;
  readonly entry: OrderId;
  left: Decimal;
}

/**
 * Trades by lot: each closing fill ends (a part of) the lot that its order names, otherwise of the oldest one on the
 * other side.
 */
export function tripsByLot(oracle: Oracle, { stage, sent }: Replayed): readonly ClosedTrade[] {
  const named = closesByOrder(oracle, { stage, sent });
  let lots: Lot[] = [];
  const closed: ClosedTrade[] = [];
  for (const fill of stage.fills) {
    const { orderId, side, quantity } = fill.execution;
    const entry = named.get(orderId);
    const opens = oracle.account.hedging === true && entry === undefined && !stage.closedOut.has(orderId);
    const lot = lots.find((each) =>
      entry === undefined ? each.fill.execution.side !== side : each.entry === entry,
    );
    if (lot === undefined || opens) {
      lots.push({ fill, entry: orderId, left: quantity });
      continue;
    }
    closed.push(tripOf(lot.fill, fill));
    lot.left = lot.left.minus(quantity);
    lots = lots.filter(({ left }) => left.gt(ZERO));
  }
  return closed;
}

/** Entries that the closing orders and exits name. */
function closesByOrder(
  oracle: Oracle,
  { stage, sent }: Pick<Replayed, 'stage' | 'sent'>,
): ReadonlyMap<OrderId, OrderId> {
  const closes = new Map([...stage.exits].map(([exit, { entry }]) => [exit, entry]));
  for (const order of oracle.orders) {
    const id = sent.get(order.id);
    const opened = oracle.fills.find(
      ({ trade, action }) => action === 'open' && trade === order.closes_trade,
    );
    const entry = opened?.order == null ? undefined : sent.get(opened.order);
    if (order.closes_trade != null && id !== undefined && entry !== undefined) closes.set(id, entry);
  }
  return closes;
}

function tripOf(entry: StageFill, exit: StageFill): ClosedTrade {
  const { side, symbol, price } = entry.execution;
  const { quantity } = exit.execution;
  const sign = side === 'buy' ? 1 : -1;
  const share = entry.commission.times(quantity).div(entry.execution.quantity);
  return {
    code: symbol,
    side: side === 'buy' ? 'long' : 'short',
    units: quantity.toNumber(),
    entryBar: entry.bar,
    exitBar: exit.bar,
    entryPrice: price.toNumber(),
    exitPrice: exit.execution.price.toNumber(),
    gross: exit.execution.price.minus(price).times(quantity).times(sign).toNumber(),
    commission: share.plus(exit.commission).toNumber(),
  };
}

/** Merges executions of one order in one bar at one price into one fill. */
export function merged(fills: readonly StageFill[]): readonly StageFill[] {
  const whole: StageFill[] = [];
  for (const fill of fills) {
    const before = whole.at(-1);
    const { execution } = fill;
    const same =
      before?.bar === fill.bar &&
      before.execution.orderId === execution.orderId &&
      before.execution.price.eq(execution.price);
    if (!same || before === undefined) {
      whole.push(fill);
      continue;
    }
    const quantity = before.execution.quantity.plus(execution.quantity);
    whole[whole.length - 1] = {
      bar: fill.bar,
      execution: { ...execution, quantity },
      commission: before.commission.plus(fill.commission),
    };
  }
  return whole;
}
