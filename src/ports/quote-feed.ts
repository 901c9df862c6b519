import type { Observable } from 'rxjs';
import type { Bar } from '../model/bar.ts';
import type { Price } from '../model/decimal.ts';
import type { Period } from '../model/period.ts';
import type { Quote } from '../model/quote.ts';
import type { Security } from '../model/security.ts';
import type { SecuritySymbol } from '../model/symbol.ts';
import type { Millis } from '../model/time.ts';
import type { TradingSessions } from '../model/trading-sessions.ts';

/** State of a feed: quotes are trusted only while it is `live` (subscribed and confirmed). */
export type FeedState = 'connecting' | 'live' | 'down';

/** The best prices of a book. A crossed book, and a locked one, are passed on as they are. */
export interface BestPrices {
  readonly bid: Price;
  readonly ask: Price;
}

/** How far the newest quote of a symbol may be relied on. */
export interface QuoteStanding {
  /** Newest updates in a row that agree on the price, the newest included. */
  readonly agreeing: number;
  /** The newest price that so many agreed on; absent before the first. */
  readonly trusted?: Price;
}

/** Why no quotes arrive now. */
export interface UnheardQuotes {
  /** Absent: of no symbol at all. */
  readonly symbol?: SecuritySymbol;
  readonly why: string;
  readonly since: Millis;
}

/** Live market data. Quotes never wait for a slow reader: only the newest per symbol is kept. */
export interface QuoteFeed {
  /** Subscribes on subscription and confirms; completes never, errors only when the feed is beyond repair. */
  quotes(symbols: readonly SecuritySymbol[]): Observable<Quote>;
  readonly state$: Observable<FeedState>;
  /** Newest quote received of a symbol; undefined before the first. */
  latest(symbol: SecuritySymbol): Quote | undefined;
  /** Best bid and ask as pushed; undefined before the first, and where a side is empty. Absent where no depth is listened to. */
  best?(symbol: SecuritySymbol): BestPrices | undefined;
  /** How far `latest` may be relied on; absent where no quote is better than another. */
  standing?(symbol: SecuritySymbol): QuoteStanding;
  /** Why quotes of these symbols do not arrive; empty while each is subscribed and confirmed. Absent where quotes are not pushed. */
  unheard?(symbols: readonly SecuritySymbol[]): readonly UnheardQuotes[];
  /** An operator has looked: the newest price of each symbol is believed. Absent as `standing` is. */
  believe?(): void;
  /** Pulls quotes (11). Emits once; unknown symbols are left out. */
  pull(symbols: readonly SecuritySymbol[]): Observable<readonly Quote[]>;
  /** Static info (10). Emits once; unknown symbols are left out. */
  securities(symbols: readonly SecuritySymbol[]): Observable<readonly Security[]>;
  /**
   * Bars that have closed and were not handed out before, symbol by symbol and ascending; asked for when bars close. Present only
   * where no quotes are pushed, so that bars cannot be built from them. Emits once; bars that could not be read come with the next.
   */
  closedBars?(request: ClosedBarsRequest): Observable<readonly Bar[]>;
  /** The newest `count` closed bars that opened before `before` (27), ascending. Emits once. */
  history(request: HistoryRequest): Observable<readonly Bar[]>;
}

/** The bars that close at or before `at`. */
export interface ClosedBarsRequest {
  readonly symbols: readonly SecuritySymbol[];
  readonly period: Period;
  readonly at: Millis;
  /** Bars that opened before this are left out. */
  readonly from: Millis;
  /** The sessions whose bars are wanted; regular trading alone when absent. */
  readonly sessions?: TradingSessions | undefined;
}

/** Which bars to fetch; `count` is 1 to 1000. */
export interface HistoryRequest {
  readonly symbol: SecuritySymbol;
  readonly period: Period;
  readonly before: Millis;
  readonly count: number;
  /** The sessions whose bars are wanted; regular trading alone when absent. */
  readonly sessions?: TradingSessions;
  /** Called for each stamp for which the venue returned two bars that differ; the one with the greater volume is kept. */
  readonly onConflict?: (time: Millis) => void;
}
