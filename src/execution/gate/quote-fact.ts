import type { LastSplit } from '../../events/records/split-record.ts';
import { heldSpan } from '../../markets/held-sessions.ts';
import { dayBegan } from '../../markets/sessions.ts';
import type { Period } from '../../model/period.ts';
import type { LatestTrade } from '../../model/quote.ts';
import { marketOf, type SecuritySymbol } from '../../model/symbol.ts';
import type { TradingSessions } from '../../model/trading-sessions.ts';
import type { BestPrices, QuoteFeed } from '../../ports/quote-feed.ts';
import type { QuoteFact } from '../../risk/facts.ts';

/** A quote as the gate sees it: of a venue that promises no successor, so that it ages from its own stamp. */
export function quoteFact({ last, time, status, dayOpen }: LatestTrade, best?: BestPrices): QuoteFact {
  return { value: last, at: time, status, dayOpen, ...best };
}

/** The newest quote of a feed, with how far it may be relied on; undefined before the first. */
export function feedFact(feed: QuoteFeed, symbol: SecuritySymbol): QuoteFact | undefined {
  const quote = feed.latest(symbol);
  return quote && { ...quoteFact(quote, feed.best?.(symbol)), ...feed.standing?.(symbol) };
}

/**
 * A quote of a venue that replays bars: it changes within each bar, so one is late only once its bar is over. What most orders do not ask for
 * is computed when it is read.
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
      return heldSpan(marketOf(symbol), period, time, sessions)?.close;
    },
  };
}

/**
 * A quote in the shares of now: one of a day before the newest split of its symbol tells the price that came with that, so that
 * neither a collar nor an exit compares with a price of other shares.
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
