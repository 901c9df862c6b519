import { dayOf } from '../../markets/sessions.ts';
import type { Execution, VenueStatus } from '../../model/order.ts';
import { marketOf } from '../../model/symbol.ts';
import type { Millis } from '../../model/time.ts';
import { wholeSeconds } from '../../model/whole-seconds.ts';
import type { ListingFilter } from '../simulation.ts';
import { isOpenOrder, type VenueOrder } from './venue-order.ts';

/** True for orders in today's listing at `now`; once false, always false. */
export function isOfToday(order: VenueOrder, now: Millis): boolean {
  if (isOpenOrder(order)) return true;
  const market = marketOf(order.terms.symbol);
  const today = dayOf(market, now);
  return (
    order.day >= today ||
    dayOf(market, order.submittedAt) === today ||
    dayOf(market, order.updatedAt) === today
  );
}

/** True if the order passes the filter; times are by submission. */
export function listsOrder(order: VenueOrder, filter: ListingFilter): boolean {
  return (
    (filter.orderId === undefined || filter.orderId === order.id) &&
    matchesSymbol(order.terms.symbol, filter) &&
    (filter.side === undefined || filter.side === order.terms.side) &&
    (filter.statuses === undefined || filter.statuses.includes(order.status satisfies VenueStatus)) &&
    isWithin(wholeSeconds(order.submittedAt), filter)
  );
}

/** True if the execution passes the filter; times are by fill, statuses do not apply. */
export function listsExecution(execution: Execution, filter: ListingFilter): boolean {
  return (
    (filter.orderId === undefined || filter.orderId === execution.orderId) &&
    matchesSymbol(execution.symbol, filter) &&
    (filter.side === undefined || filter.side === execution.side) &&
    isWithin(execution.time, filter)
  );
}

function matchesSymbol(symbol: Execution['symbol'], filter: ListingFilter): boolean {
  return (
    (filter.symbol === undefined || filter.symbol === symbol) &&
    (filter.market === undefined || filter.market === marketOf(symbol))
  );
}

function isWithin(at: Millis, filter: ListingFilter): boolean {
  return (filter.from === undefined || at >= filter.from) && (filter.to === undefined || at <= filter.to);
}
