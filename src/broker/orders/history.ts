import { EMPTY, expand, last, map, type Observable, of } from 'rxjs';
import type { Bar } from '../../model/bar.ts';
import { intradayMs, nominalMs } from '../../model/period.ts';
import { plural } from '../../model/plural.ts';
import { marketOf } from '../../model/symbol.ts';
import { addDays, DAY_MS, HOUR_MS, type Millis, millis, utcDay } from '../../model/time.ts';
import type { HistoryRequest } from '../../ports/quote-feed.ts';
import type { QuoteCommands } from '../../wire/commands.ts';
import {
  AdjustType,
  type Candlestick,
  Direction,
  HistoryCandlestickQueryType,
  TradeSession,
} from '../../wire/gen/quote_pb.ts';
import { readCandlestick, writePeriod } from '../../wire/mapper/bar.ts';
import { MAX_ROWS } from '../../wire/socket-status.ts';
import { exchangeWallTime } from '../http/exchange-time.ts';
import type { SocketCall } from '../socket/command-call.ts';

/** Dependencies of reading history. */
export interface HistoryParts {
  readonly call: SocketCall;
  readonly commands: QuoteCommands;
  /** Market time. */
  readonly market: () => Millis;
  /** When a bar closes. */
  readonly closeOf: (bar: Bar) => Millis;
}

/** Maximum number of queries of one request, in case a venue returns next to nothing per page. */
const PAGES_MAX = 100;
/** Longest period without a bar that is searched for older ones: longer than any closure of HK or US. */
const SEARCH_MS = 10 * DAY_MS;
const REGULAR_HOURS = 0;
const ALL_SESSIONS = 100;

/** The end of a bar by its length: late for one that its session shortens, never early. */
export function nominalClose(bar: Bar): Millis {
  return millis(bar.time + nominalMs(bar.period));
}

/**
 * Reads the newest `count` closed bars that opened before an instant, unadjusted, of regular hours by default.
 * Intraday bars are paged by minute, others by day. A page without a wanted bar proves nothing, since venues count bars of
 * extended hours and then leave them out: the search continues further back. Two bars with the same stamp become one; where they
 * differ, `onConflict` is called and the one with the greater volume is returned. Emits once, ascending; errors with BrokerError or WireError.
 * @see docs/wire-protocol.md, "The sockets"
 */
export function readHistory(request: HistoryRequest, parts: HistoryParts): Observable<readonly Bar[]> {
  const { symbol, period, before, count, sessions = 'regular' } = request;
  if (!Number.isInteger(count) || count < 1 || count > MAX_ROWS) {
    throw new RangeError(`Cannot read ${plural(count, 'bar')} of "${symbol}", want 1 to ${MAX_ROWS}`);
  }
  const length = intradayMs(period);

  const isWanted = ({ tradeSession }: Candlestick): boolean =>
    sessions !== 'extended' || tradeSession !== TradeSession.OVERNIGHT_TRADE;

  /** Everything that the venue returns for a query that ends at `until`. */
  function page(until: Millis): Observable<Page> {
    return parts
      .call(parts.commands.historyCandlesticks, {
        symbol,
        period: writePeriod(period),
        adjustType: AdjustType.NO_ADJUST,
        ...(length === undefined ? byDay(until) : byMinute(request, until)),
        tradeSession: sessions === 'regular' ? REGULAR_HOURS : ALL_SESSIONS,
      })
      .pipe(
        map(({ candlesticks }) => {
          const rows = candlesticks
            .map((each) => ({ bar: readCandlestick(each, { symbol, period }), isWanted: isWanted(each) }))
            .filter(({ bar }) => bar.time < until);
          const wanted = rows.filter((row) => row.isWanted).map(({ bar }) => bar);
          const closed = wanted.filter((bar) => parts.closeOf(bar) <= parts.market());
          const oldest = rows.reduce((least, { bar }) => Math.min(least, bar.time), Number.POSITIVE_INFINITY);
          return { bars: distinct(closed, request), oldest };
        }),
      );
  }

  /** Adds the next older page. Ends when there is enough, nothing older, or after too many pages. */
  function older(soFar: HistorySoFar): Observable<HistorySoFar> {
    const { bars, until, searchedFrom, pages, isDone } = soFar;
    if (isDone || bars.length >= count || pages >= PAGES_MAX) return EMPTY;
    return page(until).pipe(
      map((found): HistorySoFar => {
        const more = { bars: [...found.bars, ...bars], pages: pages + 1 };
        if (Number.isFinite(found.oldest)) {
          const next = millis(found.oldest);
          return { ...more, until: next, searchedFrom: next, isDone: false };
        }
        // A whole page of bars lasts at least this long, so no bar is skipped.
        const next = millis(until - (length ?? 0) * MAX_ROWS);
        const isDone = length === undefined || searchedFrom - next > SEARCH_MS;
        return { ...more, until: next, searchedFrom, isDone };
      }),
    );
  }

  return of<HistorySoFar>({ bars: [], until: before, searchedFrom: before, pages: 0, isDone: false }).pipe(
    expand(older),
    last(),
    map(({ bars }) => bars.slice(-count)),
  );
}

interface Page {
  /** The requested bars, ascending, one per timestamp. */
  readonly bars: readonly Bar[];
  /** Timestamp of the oldest returned bar, requested or not; Infinity if there was none. */
  readonly oldest: number;
}

interface HistorySoFar {
  readonly bars: readonly Bar[];
  /** Everything from here on is complete. */
  readonly until: Millis;
  /** Where the current period without a bar ends; equal to `until` right after a page with bars. */
  readonly searchedFrom: Millis;
  readonly pages: number;
  readonly isDone: boolean;
}

/** Ascending, one bar per timestamp. Bars with the same timestamp that differ are reported once. */
function distinct(bars: readonly Bar[], { onConflict }: HistoryRequest): readonly Bar[] {
  const byStamp = new Map<Millis, Bar>();
  for (const bar of bars) {
    const known = byStamp.get(bar.time);
    if (known === undefined) byStamp.set(bar.time, bar);
    else if (!isSame(known, bar)) {
      onConflict?.(bar.time);
      if (bar.volume > known.volume) byStamp.set(bar.time, bar);
    }
  }
  return [...byStamp.values()].sort((a, b) => a.time - b.time);
}

function isSame(a: Bar, b: Bar): boolean {
  const isEqual = (key: 'open' | 'high' | 'low' | 'close' | 'volume'): boolean => a[key] === b[key];
  return isEqual('open') && isEqual('high') && isEqual('low') && isEqual('close') && isEqual('volume');
}

/** The bars up to the end of a day that no exchange has completed before that time. */
function byDay(until: Millis) {
  return {
    queryType: HistoryCandlestickQueryType.QUERY_BY_DATE,
    dateRequest: { startDate: '', endDate: compact(addDays(utcDay(until), 1)) },
  };
}

/**
 * The bars up to a minute of the exchange's clock. Bars that are too new are dropped, so it does not matter whether
 * the venue includes that minute. An hour that the clock shows twice is requested from its end, for the same reason.
 */
function byMinute({ symbol }: HistoryRequest, until: Millis) {
  const market = marketOf(symbol);
  const wall = exchangeWallTime(market, until);
  const isTwice = [-HOUR_MS, HOUR_MS].some(
    (shift) => exchangeWallTime(market, until + shift).text === wall.text,
  );
  const { day, minute } = isTwice ? exchangeWallTime(market, until + 2 * HOUR_MS) : wall;
  return {
    queryType: HistoryCandlestickQueryType.QUERY_BY_OFFSET,
    offsetRequest: { direction: Direction.BACKWARD, date: day, minute, count: MAX_ROWS },
  };
}

const compact = (day: string): string => day.replaceAll('-', '');
