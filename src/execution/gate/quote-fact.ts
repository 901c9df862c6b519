import type { LastSplit } from '../../events/records/split-record.ts';
import { dayBegan } from '../../markets/sessions.ts';
import { sessionBarSpan } from '../../markets/trading-sessions.ts';
import type { Period } from '../../model/period.ts';
import type { LatestTrade } from '../../model/quote.ts';
import { marketOf, type SecuritySymbol } from '../../model/symbol.ts';
import type { TradingSessions } from '../../model/trading-sessions.ts';
import type { BestPrices, QuoteFeed } from '../../ports/quote-feed.ts';
import type { QuoteFact } from '../../risk/facts.ts';

/**
 * Converts a trade to a quote for the gate. Its age counts from its own timestamp, as no time of a successor is
 * known.
 */
export function quoteFact({ last, time, status, dayOpen }: LatestTrade, best?: BestPrices): QuoteFact {
  return { value: last, at: time, status, dayOpen, ...best };
}

/** Returns the newest quote of a feed with its reliability; undefined before the first. */
export function feedFact(feed: QuoteFeed, symbol: SecuritySymbol): QuoteFact | undefined {
  const quote = feed.latest(symbol);
  return quote && { ...quoteFact(quote, feed.best?.(symbol)), ...feed.reliability?.(symbol) };
}

/**
 * Converts a quote of a venue that replays bars: it is outdated only once its bar is over. Getters compute the fields
 * that most orders do not need.
 */
export function replayedQuoteFact(
  quote: LatestTrade,
  period: Period,
  sessions: TradingSessions = 'regular',
): QuoteFact {
  const { symbol, last, time, status } = quote;
  return {
    value: last,
    at: time,
    status,
    get dayOpen() {
      return quote.dayOpen;
    },
    get standsUntil() {
      return sessionBarSpan(marketOf(symbol), period, time, sessions)?.close;
    },
  };
}

/**
 * Converts a quote to current shares: one older than the day of the symbol's latest split takes the split's price, so
 * that collars and exits compare prices of the same shares.
 */
export function quoteAfterSplit(
  quote: QuoteFact | undefined,
  symbol: SecuritySymbol,
  split: LastSplit | undefined,
): QuoteFact | undefined {
  if (quote === undefined || split === undefined) return quote;
  if (quote.at >= dayBegan(marketOf(symbol), split.at)) return quote;
  const { trusted: _trusted, dayOpen: _dayOpen, bid: _bid, ask: _ask, ...stated } = quote;
  return { ...stated, value: split.price };
}
