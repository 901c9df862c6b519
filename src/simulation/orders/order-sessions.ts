import type { SessionKind } from '../../markets/day-hours.ts';
import { marketRecord } from '../../markets/market-records.ts';
import { REGULAR_KINDS } from '../../markets/trading-sessions.ts';
import type { OrderTerms, OrderType } from '../../model/order.ts';
import { marketOf } from '../../model/symbol.ts';
import type { TradingSessions } from '../../model/trading-sessions.ts';

/** Sessions in which the exchange accepts an order (`accepted`), and sessions in which it trades (`traded`). */
interface OrderSessions {
  readonly accepted: readonly SessionKind[];
  readonly traded: readonly SessionKind[];
}

type Kinds = readonly SessionKind[];

const WITH_AUCTIONS: Kinds = ['opening-auction', 'regular', 'closing-auction'];
const WITH_CLOSING: Kinds = ['regular', 'closing-auction'];
const ANY_TIME: Kinds = ['regular', 'pre', 'post'];
const OVERNIGHT: Kinds = ['overnight'];

const sameSessions = (kinds: Kinds): OrderSessions => ({ accepted: kinds, traded: kinds });
const REGULAR = sameSessions(REGULAR_KINDS);
const AT_AUCTION = sameSessions(WITH_AUCTIONS);
const CARRIED: OrderSessions = { accepted: REGULAR_KINDS, traded: WITH_CLOSING };
const EXTENDED = sameSessions(ANY_TIME);
const NIGHT = sameSessions(OVERNIGHT);

/** Market types: outside regular hours only limits trade. */
const AT_MARKET: ReadonlySet<OrderType> = new Set<OrderType>(['MO', 'MIT']);

/**
 * Returns the sessions of an order at a venue that holds the given ones.
 * - A venue with regular trading only: regular trading.
 * - Hong Kong: auctions for at-auction orders; limits open at the close carry over into the closing auction.
 * - New York: by `outsideRth`; market orders, and orders for a session that the venue does not hold, wait for regular
 *   trading.
 * @see https://open.longbridge.com/docs, "Trade definition"; docs/venue.md, "The market"; HKEX, "Closing auction
 * session" (orders carried forward)
 */
export function sessionsFor(
  { symbol, type, outsideRth = 'rth-only' }: Pick<OrderTerms, 'symbol' | 'type' | 'outsideRth'>,
  venueSessions: TradingSessions = 'regular',
): OrderSessions {
  if (venueSessions === 'regular') return REGULAR;
  const market = marketOf(symbol);
  const record = marketRecord(market);
  if (record?.hasClosingAuction === true) {
    if (type === 'AO' || type === 'ALO') return AT_AUCTION;
    return type === 'LO' || type === 'ELO' ? CARRIED : REGULAR;
  }
  if (record?.hasExtendedHours !== true || AT_MARKET.has(type)) return REGULAR;
  if (outsideRth === 'any-time') return EXTENDED;
  return outsideRth === 'overnight' && venueSessions === 'all' ? NIGHT : REGULAR;
}
