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

/** The best prices of a book. Crossed and locked books are passed on unchanged. */
export interface BestPrices {
  readonly bid: Price;
  readonly ask: Price;
}

/** Reliability of the newest quote of a symbol. */
export interface QuoteReliability {
  /** Number of consecutive newest updates that agree on the price, the newest included. */
  readonly agreeing: number;
  /** The newest price that enough updates agreed on; absent before the first. */
  readonly trusted?: Price;
}

/** Quotes that do not arrive now. */
export interface MissingQuotes {
  /** Absent for all symbols. */
  readonly symbol?: SecuritySymbol;
  readonly why: string;
  readonly since: Millis;
}

/** Live market data. Quotes never wait for a slow reader: only the newest per symbol is kept. */
export interface QuoteFeed {
  /** Subscribes and confirms on subscription; never completes, and errors only if the feed cannot be repaired. */
  quotes(symbols: readonly SecuritySymbol[]): Observable<Quote>;
  readonly state$: Observable<FeedState>;
  /** Newest quote received of a symbol; undefined before the first. */
  latest(symbol: SecuritySymbol): Quote | undefined;
  /**
   * Best bid and ask as pushed; undefined before the first, and if a side is empty. Absent if depth is not
   * subscribed.
   */
  best?(symbol: SecuritySymbol): BestPrices | undefined;
  /** Reliability of `latest`; absent if all quotes are equally reliable. */
  reliability?(symbol: SecuritySymbol): QuoteReliability;
  /**
   * Quotes of these symbols that do not arrive, with the reasons; empty while each symbol is subscribed and confirmed.
   * Absent if quotes are not pushed.
   */
  missingQuotes?(symbols: readonly SecuritySymbol[]): readonly MissingQuotes[];
  /** Accepts the newest price of each symbol after an operator confirmed it. Absent if `reliability` is. */
  acceptPrices?(): void;
  /** Pulls quotes (command 11). Emits once; unknown symbols are omitted. */
  pull(symbols: readonly SecuritySymbol[]): Observable<readonly Quote[]>;
  /** Static info (command 10). Emits once; unknown symbols are omitted. */
  securities(symbols: readonly SecuritySymbol[]): Observable<readonly Security[]>;
  /**
   * Bars that have closed and were not delivered before, symbol by symbol and ascending; requested when bars close.
   * Present only if no quotes are pushed, so that bars cannot be built from them. Emits once; bars that could not be
   * read come with the next.
   */
  closedBars?(request: ClosedBarsRequest): Observable<readonly Bar[]>;
  /** The newest `count` closed bars that opened before `before` (command 27), ascending. Emits once. */
  history(request: HistoryRequest): Observable<readonly Bar[]>;
}

/** The bars that close at or before `at`. */
export interface ClosedBarsRequest {
  readonly symbols: readonly SecuritySymbol[];
  readonly period: Period;
  readonly at: Millis;
  /** Bars that opened earlier are omitted. */
  readonly from: Millis;
  /** The sessions of the requested bars; only regular trading if absent. */
  readonly sessions?: TradingSessions | undefined;
}

/** The requested bars; `count` is 1 to 1000. */
export interface HistoryRequest {
  readonly symbol: SecuritySymbol;
  readonly period: Period;
  readonly before: Millis;
  readonly count: number;
  /** The sessions of the requested bars; only regular trading if absent. */
  readonly sessions?: TradingSessions;
  /** Called for each timestamp with two different bars from the venue; the one with the greater volume is kept. */
  readonly onConflict?: (time: Millis) => void;
}
