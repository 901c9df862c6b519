import {
  BehaviorSubject,
  catchError,
  concatMap,
  distinctUntilChanged,
  from,
  map,
  NEVER,
  type Observable,
  of,
  Subject,
  takeUntil,
  timer,
  toArray,
} from 'rxjs';
import type { Bar } from '../../model/bar.ts';
import { Decimal, ZERO } from '../../model/decimal.ts';
import type { Quote } from '../../model/quote.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import { type CalendarDay, type Millis, millis, utcDay } from '../../model/time.ts';
import type { Clock } from '../../ports/clock.ts';
import { schedulerOn } from '../../ports/clock-scheduler.ts';
import type { ClosedBarsRequest, FeedState, QuoteFeed } from '../../ports/quote-feed.ts';
import { WireError } from '../../wire/wire-error.ts';
import { BrokerError } from '../broker-error.ts';
import { type HistoryParts, readHistory } from '../orders/history.ts';
import { readSecurities } from '../orders/securities.ts';
import type { QuoteFeedParts, SocketQuoteFeed } from './quote-feed.ts';

/** Dependencies of the feed. */
export interface PolledFeedParts
  extends Pick<
    QuoteFeedParts,
    'call' | 'commands' | 'marginFactors' | 'market' | 'closeOf' | 'address' | 'safe' | 'raiseAlarm'
  > {
  readonly machine: Clock;
  /**
   * Delays, in machine milliseconds, after which a missing bar is requested again; none if the venue is never late.
   */
  readonly lateBarsMs: readonly number[];
}

/** Number of bars requested at a close, which includes those of some unanswered closes. */
const RECENT_BARS = 20;
const BARS_MAX = 1_000;

/**
 * The QuoteFeed port without pushes: bars are read from history (27) when they close, and a quote is the newest
 * minute's close. Trading status, bid and ask are not available. @see docs/wire-protocol.md, "Calls"
 */
export function createPolledFeed(parts: PolledFeedParts): SocketQuoteFeed {
  const { raiseAlarm, safe, machine } = parts;
  const state$ = new BehaviorSubject<FeedState>('connecting');
  const failed$ = new Subject<never>();
  const newest = new Map<SecuritySymbol, Quote>();
  /** The first price of the newest day, as far as its bars were read. */
  const opens = new Map<SecuritySymbol, { readonly day: CalendarDay; readonly price: Decimal }>();
  const returnedUntil = new Map<SecuritySymbol, Millis>();
  let isFailing = false;

  function keep(bar: Bar): Quote {
    const before = newest.get(bar.symbol);
    const time = millis(Math.min(parts.closeOf(bar), parts.market()));
    if (before !== undefined && before.time > time) return before;
    const day = utcDay(bar.time);
    const known = opens.get(bar.symbol);
    const opening = known?.day === day ? known : { day, price: new Decimal(bar.open) };
    opens.set(bar.symbol, opening);
    const quote: Quote = {
      symbol: bar.symbol,
      time,
      last: new Decimal(bar.close),
      dayOpen: opening.price,
      dayHigh: ZERO,
      dayLow: ZERO,
      dayVolume: ZERO,
      volume: ZERO,
      status: 'normal',
      session: 'regular',
    };
    newest.set(bar.symbol, quote);
    return quote;
  }

  /** Bars of the venue, including unfinished ones if it has them. */
  const withOpenBar: HistoryParts = { ...parts, market: () => millis(Number.MAX_SAFE_INTEGER) };

  function pull(symbols: readonly SecuritySymbol[]): Observable<readonly Quote[]> {
    return from(symbols).pipe(
      concatMap((symbol) =>
        readHistory(
          { symbol, period: '1m', before: millis(parts.market() + 1), count: 1, sessions: 'extended' },
          withOpenBar,
        ),
      ),
      concatMap((bars) => bars.slice(-1).map(keep)),
      toArray(),
    );
  }

  function fresh(
    { symbol, period, at, from: since, sessions }: ClosedBarsRequest & { readonly symbol: SecuritySymbol },
    count = RECENT_BARS,
  ): Observable<readonly Bar[]> {
    const after = returnedUntil.get(symbol);
    const isNew = ({ time }: Bar): boolean => time >= since && (after === undefined || time > after);
    return readHistory({ symbol, period, before: at, count, sessions: sessions ?? 'regular' }, parts).pipe(
      concatMap((bars) => {
        const more = bars.length === count && count < BARS_MAX && bars.every(isNew);
        return more
          ? fresh({ symbol, symbols: [], period, at, from: since, sessions }, BARS_MAX)
          : of(bars.filter(isNew));
      }),
    );
  }

  /**
   * Reads the bars of symbols, one after the other, into `read`. Symbols without the bar that closes now are read
   * again together after each delay, so that quiet symbols cost one delay in all.
   */
  function readClosed(
    request: ClosedBarsRequest,
    waits: readonly number[],
    read: Map<SecuritySymbol, readonly Bar[]>,
  ): Observable<ReadonlyMap<SecuritySymbol, readonly Bar[]>> {
    return from(request.symbols).pipe(
      concatMap((symbol) =>
        fresh({ ...request, symbol }).pipe(
          map((bars) => {
            isFailing = false;
            read.set(symbol, bars);
            return bars.some((bar) => parts.closeOf(bar) === request.at) ? [] : [symbol];
          }),
          catchError(reportFailure),
        ),
      ),
      toArray(),
      concatMap((missing) => {
        const symbols = missing.flat();
        const [wait, ...later] = waits;
        if (wait === undefined || symbols.length === 0) return of(read);
        return timer(wait, schedulerOn(machine)).pipe(
          concatMap(() => readClosed({ ...request, symbols }, later, read)),
        );
      }),
    );
  }

  /** Without an answer the bars are read at the next close. */
  function reportFailure(error: unknown): Observable<readonly never[]> {
    if (!(error instanceof BrokerError) && !(error instanceof WireError)) throw error;
    if (!isFailing) raiseAlarm('bars-unread', `Bars could not be read: ${safe(error.message)}`);
    isFailing = true;
    return of([]);
  }

  function closedBars(request: ClosedBarsRequest): Observable<readonly Bar[]> {
    return readClosed(request, parts.lateBarsMs, new Map()).pipe(
      map((read) => {
        const bars = request.symbols.flatMap((symbol) => read.get(symbol) ?? []);
        for (const bar of bars) {
          returnedUntil.set(bar.symbol, bar.time);
          keep(bar);
        }
        return bars;
      }),
    );
  }

  const feed: QuoteFeed = {
    quotes: () => NEVER.pipe(takeUntil(failed$)),
    closedBars,
    state$: state$.pipe(distinctUntilChanged()),
    latest: (symbol) => newest.get(symbol),
    pull,
    securities: (symbols) => readSecurities(symbols, parts),
    history: (request) => readHistory(request, parts),
  };

  return {
    feed,
    symbols: () => [],
    receive: () => undefined,
    restore: async () => undefined,
    onUp: () => state$.next('live'),
    onDown: () => state$.next('down'),
    fail(error) {
      state$.next('down');
      failed$.error(error);
    },
  };
}
