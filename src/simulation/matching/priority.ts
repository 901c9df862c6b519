import { decimalOfDouble } from '../../model/amount.ts';
import type { Price } from '../../model/decimal.ts';
import type { OrderTerms, Side } from '../../model/order.ts';
import type { FillModel } from '../models.ts';
import { limitOf, type VenueOrder } from '../orders/venue-order.ts';

/**
 * Sorts orders at a print that cannot fill all of them by price, then time: market orders first, then limits by how
 * long ago the price passed them, then orders triggered only now. Ties keep the given order, as do orders without a
 * volume limit, which all fill.
 */
export function inPriorityOrder(
  orders: readonly VenueOrder[],
  printed: number,
  { participation, own }: Pick<FillModel, 'participation' | 'own'>,
): readonly VenueOrder[] {
  const isVolumeLimited = participation !== undefined || own?.room !== undefined;
  if (!isVolumeLimited || orders.length < 2) return orders;
  const price = decimalOfDouble(printed);
  const ranks = new Map(orders.map((order) => [order, rankOf(touchedOrder(order), price)]));
  return orders.toSorted((one, other) => (ranks.get(other) ?? 0) - (ranks.get(one) ?? 0));
}

interface TouchedOrder {
  readonly side: Side;
  /** Undefined for a market order. */
  readonly limit: Price | undefined;
  /** True if the print triggers it only now. */
  readonly isArmed: boolean;
}

function touchedOrder(order: VenueOrder): TouchedOrder {
  return {
    side: order.terms.side,
    limit: order.behaviour === 'market' ? undefined : limitOf(order),
    isArmed: order.stage === 'armed',
  };
}

/** Returns the rank of an order: the further the price has passed its limit, the earlier it was passed. */
export function rankOf({ side, limit, isArmed }: TouchedOrder, printed: Price): number {
  if (isArmed) return -1;
  if (limit === undefined) return Number.MAX_VALUE;
  return Math.max(0, limit.minus(printed).toNumber() * (side === 'buy' ? 1 : -1));
}

/** True if new terms lose time priority: another price, or more shares. */
export function losesPriority(before: OrderTerms, after: OrderTerms): boolean {
  const samePrice =
    before.price === undefined ? after.price === undefined : after.price?.eq(before.price) === true;
  return !samePrice || after.quantity.gt(before.quantity);
}
