import { dayKind, tradingDaysBetween } from '../../markets/calendar.ts';
import { hasTable } from '../../markets/market-records.ts';
import { midnightOf, sessionsOf } from '../../markets/sessions.ts';
import { addDays, type CalendarDay, DAY_MS, dayToUtc, MINUTE_MS } from '../../model/time.ts';
import { TradeSession } from '../../wire/gen/quote_pb.ts';
import type { MarketHours } from '../venue-options.ts';
import { writeCompactDay } from './calendar-text.ts';

/** Markets that the quote socket names. @see docs/wire-protocol.md, "The sockets" */
export const QUOTE_MARKETS = ['US', 'HK', 'CN', 'SG'] as const;

const SESSIONS = {
  regular: TradeSession.NORMAL_TRADE,
  pre: TradeSession.PRE_TRADE,
  post: TradeSession.POST_TRADE,
  overnight: TradeSession.OVERNIGHT_TRADE,
} as const;

export const WHOLE_DAY = [{ begTime: 0, endTime: 2359, tradeSession: TradeSession.NORMAL_TRADE }];

/** Returns the hours of a market's trading day as numbers hhmm of local time; auctions are omitted. */
export function tradePeriods(market: string, day: CalendarDay) {
  const midnight = midnightOf(market, day);
  return sessionsOf(market, day).flatMap(({ kind, open, close }) => {
    if (kind === 'opening-auction' || kind === 'closing-auction') return [];
    return [
      {
        begTime: clockNumber(open - midnight),
        endTime: clockNumber(close - midnight),
        tradeSession: SESSIONS[kind],
      },
    ];
  });
}

function clockNumber(sinceMidnightMs: number): number {
  const minutes = Math.round((((sinceMidnightMs % DAY_MS) + DAY_MS) % DAY_MS) / MINUTE_MS);
  return Math.floor(minutes / 60) * 100 + (minutes % 60);
}

/** Maximum length of a trading-day request: one month. */
const DAYS_MAX = 31;

/**
 * Returns full and half trading days, both ends inclusive; undefined if the range is longer than a month or reversed.
 * A market without a known calendar trades every day if the venue lists its securities, otherwise never.
 */
export function tradeDays(request: {
  readonly market: string;
  readonly from: CalendarDay;
  readonly to: CalendarDay;
  readonly isListed: boolean;
  readonly hours: MarketHours;
}) {
  const { market, from, to, isListed, hours } = request;
  const days = (dayToUtc(to) - dayToUtc(from)) / DAY_MS;
  if (days < 0 || days > DAYS_MAX) return undefined;
  if (hours === 'always' && isListed) {
    const every = Array.from({ length: days + 1 }, (_, day) => writeCompactDay(addDays(from, day)));
    return { tradeDay: every, halfTradeDay: [] };
  }
  const open = hasTable(market) || isListed ? tradingDaysBetween(market, from, to) : [];
  return {
    tradeDay: open.filter((day) => dayKind(market, day) === 'full').map(writeCompactDay),
    halfTradeDay: open.filter((day) => dayKind(market, day) === 'half').map(writeCompactDay),
  };
}
