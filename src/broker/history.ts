import { EMPTY, expand, last, map, type Observable, of } from 'rxjs';
import type { Bar } from '../model/bar.ts';
import { nominalMs } from '../model/period.ts';
import { addDays, type Millis, millis, utcDay } from '../model/time.ts';
import type { HistoryRequest } from '../ports/quote-feed.ts';
import type { QuoteCommands } from '../wire/commands.ts';
import {
  AdjustType,
  type Candlestick,
  HistoryCandlestickQueryType,
  TradeSession,
} from '../wire/gen/quote_pb.ts';
import { readCandlestick, writePeriod } from '../wire/mapper/bar.ts';
import { MAX_ROWS } from '../wire/socket-status.ts';
import type { AskSocket } from './command-call.ts';

/** What history is read with. */
export interface HistoryParts {
  readonly ask: AskSocket;
  readonly commands: QuoteCommands;
  /** Market time. */
  readonly market: () => Millis;
  /** When a bar is over. */
  readonly closeOf: (bar: Bar) => Millis;
}

/** Longest way back in one question; with 1000 rows a page it covers any `count` of the port. */
const PAGES_MAX = 12;
const REGULAR_HOURS = 0;
const ALL_SESSIONS = 100;

/** The end of a bar by its length alone: late for one that its session cuts short, never early. */
export function nominalClose(bar: Bar): Millis {
  return millis(bar.time + nominalMs(bar.period));
}

/**
 * Reads the newest `count` closed bars that opened before an instant, unadjusted, of regular hours unless the request says otherwise. The wire asks by the
 * exchange's own day, so each page ends a day later than needed and what is too new is left out; a page that is not full
 * proves nothing, since venues cut extended hours out of it. Emits once, ascending;
 * errors with BrokerError or WireError.
 * @see reference: socket protocol, section 7.9
 */
export function readHistory(request: HistoryRequest, parts: HistoryParts): Observable<readonly Bar[]> {
  const { symbol, period, before, count, sessions = 'regular' } = request;
  if (!Number.isInteger(count) || count < 1 || count > MAX_ROWS) {
    throw new RangeError(`Cannot read ${count} bars of "${symbol}", want 1 to ${MAX_ROWS}`);
  }

  const isWanted = ({ tradeSession }: Candlestick): boolean =>
    sessions !== 'extended' || tradeSession !== TradeSession.OVERNIGHT_TRADE;

  function page(until: Millis): Observable<readonly Bar[]> {
    return parts
      .ask(parts.commands.historyCandlesticks, {
        symbol,
        period: writePeriod(period),
        adjustType: AdjustType.NO_ADJUST,
        queryType: HistoryCandlestickQueryType.QUERY_BY_DATE,
        dateRequest: { startDate: '', endDate: dayAfter(until) },
        tradeSession: sessions === 'regular' ? REGULAR_HOURS : ALL_SESSIONS,
      })
      .pipe(
        map(({ candlesticks }) =>
          candlesticks.filter(isWanted).map((each) => readCandlestick(each, { symbol, period })),
        ),
        map((bars) => bars.filter((bar) => bar.time < until && parts.closeOf(bar) <= parts.market())),
      );
  }

  /** Puts the page before what is there; nothing older, enough, or too many pages end it. */
  function older(soFar: HistorySoFar): Observable<HistorySoFar> {
    const { bars, until, pages, isDone } = soFar;
    if (isDone || bars.length >= count || pages >= PAGES_MAX) return EMPTY;
    return page(until).pipe(
      map((found) => {
        const earliest = found[0]?.time;
        const isEmpty = earliest === undefined;
        return { bars: [...found, ...bars], until: earliest ?? until, pages: pages + 1, isDone: isEmpty };
      }),
    );
  }

  return of<HistorySoFar>({ bars: [], until: before, pages: 0, isDone: false }).pipe(
    expand(older),
    last(),
    map(({ bars }) => bars.slice(-count)),
  );
}

interface HistorySoFar {
  readonly bars: readonly Bar[];
  /** Everything from here on is there. */
  readonly until: Millis;
  readonly pages: number;
  readonly isDone: boolean;
}

/** `YYYYMMDD` of a day that no exchange has left behind before that instant. */
function dayAfter(at: Millis): string {
  return addDays(utcDay(at), 1).replaceAll('-', '');
}
