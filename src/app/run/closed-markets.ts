import { nextTradingDay } from '../../markets/calendar.ts';
import { dayOf, isOpen, regularOpen, sessionsOf } from '../../markets/sessions.ts';
import type { Alarm } from '../../model/notice.ts';
import { type Market, marketOf, type SecuritySymbol } from '../../model/symbol.ts';
import type { Millis } from '../../model/time.ts';

/**
 * Returns an alarm for each market that is closed when a bot starts: bars and decisions follow the exchange calendar,
 * whatever a venue sends outside of it.
 */
export function closedMarkets(symbols: readonly SecuritySymbol[], at: Millis): readonly Alarm[] {
  const markets = [...new Set(symbols.map(marketOf))].filter((market) => !isOpen(market, at));
  return markets.map((market) => {
    const opens = nextOpen(market, at);
    const when = opens === undefined ? '' : ` until ${new Date(opens).toISOString().slice(0, 16)}Z`;
    return {
      code: 'market-closed',
      message: `The ${market} market is closed${when} by its calendar. Until it opens, quotes build no bars, so the bot makes no decision that needs a bar, even if the venue trades around the clock`,
      at,
      facts: { symbols: symbols.filter((symbol) => marketOf(symbol) === market).join(' ') },
    };
  });
}

/** Returns the next start of regular trading; undefined if no calendar covers it. */
function nextOpen(market: Market, at: Millis): Millis | undefined {
  const today = dayOf(market, at);
  const later = sessionsOf(market, today).find(({ kind, open }) => kind === 'regular' && open > at);
  return later?.open ?? regularOpen(market, nextTradingDay(market, today));
}
