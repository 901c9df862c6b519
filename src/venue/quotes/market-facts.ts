import { dayKind, tradingDaysBetween } from '../../markets/calendar.ts';
import { hasTable } from '../../markets/market-records.ts';
import { midnightOf, sessionsOf } from '../../markets/sessions.ts';
import { addDays, type CalendarDay, DAY_MS, dayToUtc, MINUTE_MS } from '../../model/time.ts';
import { TradeSession } from '../../wire/gen/quote_pb.ts';
import type { MarketHours } from '../venue-options.ts';
import { writeCompactDay } from './calendar-text.ts';

/** Markets that the quote socket knows by name. @see docs/wire-protocol.md, "The sockets" */
export const QUOTE_MARKETS = ['US', 'HK', 'CN', 'SG'] as const;

const SESSIONS = {
  regular: TradeSession.NORMAL_TRADE,
  pre: TradeSession.PRE_TRADE,
  post: TradeSession.POST_TRADE,
  overnight: TradeSession.OVERNIGHT_TRADE,
} as const;

/** Hours of a market that never closes: the whole day, to its last minute. */
export const WHOLE_DAY = [{ begTime: 0, endTime: 2359, tradeSession: TradeSession.NORMAL_TRADE }];

/** Hours of a market's trading day, as numbers hhmm of the exchange's own wall clock; auctions are not sessions here. */
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

/** Longest stretch of a trading-day question: one month. */
const DAYS_MAX = 31;

/**
 * Full and half trading days of a market, both ends included; undefined when the stretch is longer than a month or runs
 * backwards. A market whose calendar we do not carry has days only where the venue lists its securities: all of them.
 */
export function tradeDays(question: {
  readonly market: string;
  readonly from: CalendarDay;
  readonly to: CalendarDay;
  readonly isListed: boolean;
  readonly hours: MarketHours;
}) {
  const { market, from, to, isListed, hours } = question;
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
