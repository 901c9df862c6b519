import { decimalOfDouble } from '../../model/amount.ts';
import type { Price } from '../../model/decimal.ts';
import type { OrderTerms, Side } from '../../model/order.ts';
import type { FillModel } from '../models.ts';
import { limitOf, type VenueOrder } from '../orders/venue-order.ts';

/**
 * The priority of orders at one print that cannot fill all of them: price, then time, as on exchanges. First orders that
 * work at market, then by the time at which the price passed their limit, then orders triggered only now; among equals the one that came
 * first, as they are given. Where every order is filled in full the turn decides nothing, and stays as it is given.
 */
export function inPriorityOrder(
  orders: readonly VenueOrder[],
  printed: number,
  { participation, own }: Pick<FillModel, 'participation' | 'own'>,
): readonly VenueOrder[] {
  const scarce = participation !== undefined || own?.room !== undefined;
  if (!scarce || orders.length < 2) return orders;
  const price = decimalOfDouble(printed);
  const ranks = new Map(orders.map((order) => [order, rankOf(touchedOrder(order), price)]));
  return orders.toSorted((one, other) => (ranks.get(other) ?? 0) - (ranks.get(one) ?? 0));
}

/** An order that a print touches, as far as its turn depends on it. */
export interface TouchedOrder {
  readonly side: Side;
  /** Undefined for an order at the market. */
  readonly limit: Price | undefined;
  /** Whether the print meets its condition only now. */
  readonly isArmed: boolean;
}

function touchedOrder(order: VenueOrder): TouchedOrder {
  return {
    side: order.terms.side,
    limit: order.behaviour === 'market' ? undefined : limitOf(order),
    isArmed: order.stage === 'armed',
  };
}

/** How far before the print the price passed an order: the farther, the earlier. */
export function rankOf({ side, limit, isArmed }: TouchedOrder, printed: Price): number {
  if (isArmed) return -1;
  if (limit === undefined) return Number.MAX_VALUE;
  return Math.max(0, limit.minus(printed).toNumber() * (side === 'buy' ? 1 : -1));
}

/** True where new terms cost an order its turn: another price, or more shares. Fewer shares keep it. */
export function losesPriority(before: OrderTerms, after: OrderTerms): boolean {
  const samePrice =
    before.price === undefined ? after.price === undefined : after.price?.eq(before.price) === true;
  return !samePrice || after.quantity.gt(before.quantity);
}
