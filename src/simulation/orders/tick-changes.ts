import { dayOf, midnightOf, sessionsOf } from '../../markets/sessions.ts';
import { isOnTick, tickChangesAfter, tickOf } from '../../markets/ticks.ts';
import { marketOf } from '../../model/symbol.ts';
import type { Millis } from '../../model/time.ts';
import type { FillModel } from '../models.ts';
import { limitOf, type VenueOrder } from './venue-order.ts';

/**
 * Returns when a broker resubmits an order after the exchange changed its tick sizes: at the first session of each such
 * day. Hong Kong exchanges keep orders for one day; brokers resubmit longer-lived orders each morning.
 * @see moomoo.com, "What is the time-in-force" (orders till cancelled are queued and submitted again, and end where
 * HKEX rejects them)
 */
export function tickChangeTimes(
  { security, day, expiresAt }: Pick<VenueOrder, 'security' | 'day' | 'expiresAt'>,
  { checkTicks }: Pick<FillModel, 'checkTicks'>,
): readonly Millis[] {
  if (!checkTicks) return [];
  const market = marketOf(security.symbol);
  return tickChangesAfter(security, day)
    .map((changed) => sessionsOf(market, changed)[0]?.open ?? midnightOf(market, changed))
    .filter((at) => at < expiresAt);
}

/** Returns the refusal of a limit that is off that day's ticks; undefined if the exchange accepts it. */
export function tickRefusal(
  order: VenueOrder,
  at: Millis,
  { checkTicks }: Pick<FillModel, 'checkTicks'>,
): string | undefined {
  const limit = limitOf(order);
  if (!checkTicks || limit === undefined || order.behaviour === 'market') return undefined;
  const { symbol } = order.security;
  const day = dayOf(marketOf(symbol), at);
  const tick = tickOf(order.security, limit, day);
  return isOnTick(limit, tick)
    ? undefined
    : `Price ${limit} is off the ticks of ${day}, want a multiple of ${tick}`;
}
