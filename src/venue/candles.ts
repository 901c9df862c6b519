import { barClose, openTime } from '../markets/bar-span.ts';
import { dayOf, midnightOf, sessionAt } from '../markets/sessions.ts';
import { type Bar, type BarColumns, barAt, lowerBound } from '../model/bar.ts';
import { intradayMs } from '../model/period.ts';
import type { TradeSession } from '../model/quote.ts';
import { marketOf } from '../model/symbol.ts';
import { addDays, MINUTE_MS, type Millis, millis } from '../model/time.ts';
import {
  Direction,
  HistoryCandlestickQueryType,
  type SecurityHistoryCandlestickRequest,
} from '../wire/gen/quote_pb.ts';
import { writeCandlestick } from '../wire/mapper/bar.ts';
import { MAX_ROWS } from '../wire/socket-status.ts';
import { readCompactDay } from './calendar-text.ts';

/** Bars `from` to `to`, `to` not included, as indexes into the columns. */
export interface BarRange {
  readonly from: number;
  readonly to: number;
}

/** Bars of an offset question that names no count. @see reference: socket protocol, section 7.9 */
const DEFAULT_COUNT = 10;

/** Number of bars that have closed at or before `now`; a bar that is still open is shown to nobody. */
export function closedBars(columns: BarColumns, now: Millis): number {
  const market = marketOf(columns.symbol);
  let count = lowerBound(columns, now);
  while (count > 0 && barClose(market, columns.period, columns.time[count - 1] as Millis) > now) count -= 1;
  return count;
}

/** The newest bars. */
export function newestBars(closed: number, count: number): BarRange {
  return { from: Math.max(0, closed - count), to: closed };
}

/**
 * The bars that a history question (27) means, among the `closed` ones; undefined when the question makes no sense.
 * Backward from a moment takes bars stamped at or before it, forward at or after it; a day without a minute counts as a
 * whole; no day at all means the newest closed bars.
 */
export function askedBars(
  columns: BarColumns,
  closed: number,
  query: SecurityHistoryCandlestickRequest,
): BarRange | undefined {
  if (query.queryType === HistoryCandlestickQueryType.QUERY_BY_OFFSET && query.offsetRequest !== undefined) {
    return barsByOffset(columns, closed, query.offsetRequest);
  }
  if (query.queryType === HistoryCandlestickQueryType.QUERY_BY_DATE && query.dateRequest !== undefined) {
    return barsByDate(columns, closed, query.dateRequest);
  }
  return undefined;
}

type OffsetQuery = NonNullable<SecurityHistoryCandlestickRequest['offsetRequest']>;
type DateQuery = NonNullable<SecurityHistoryCandlestickRequest['dateRequest']>;

function barsByOffset(columns: BarColumns, closed: number, query: OffsetQuery): BarRange | undefined {
  const count = query.count === 0 ? DEFAULT_COUNT : query.count;
  if (count < 1 || count > MAX_ROWS) return undefined;
  const span = spanOf(columns, query.date, query.minute);
  if (span === undefined) return undefined;
  if (query.direction === Direction.FORWARD) {
    const from = Math.min(
      closed,
      span === 'latest' ? latestDay(columns, closed) : lowerBound(columns, span.from),
    );
    return { from, to: Math.min(closed, from + count) };
  }
  return newestBars(span === 'latest' ? closed : Math.min(closed, lowerBound(columns, span.until)), count);
}

function barsByDate(columns: BarColumns, closed: number, query: DateQuery): BarRange | undefined {
  const start = spanOf(columns, query.startDate, '');
  const end = spanOf(columns, query.endDate, '');
  if (start === undefined || end === undefined) return undefined;
  const from = start === 'latest' ? 0 : Math.min(closed, lowerBound(columns, start.from));
  const to = end === 'latest' ? closed : Math.min(closed, lowerBound(columns, end.until));
  const nearStart = start !== 'latest' && end === 'latest';
  if (nearStart) return { from, to: Math.min(to, from + MAX_ROWS) };
  return { from: Math.max(from, to - MAX_ROWS), to: Math.max(from, to) };
}

const MINUTE_TEXT = /^([01]\d|2[0-3])([0-5]\d)$/;

/** The stretch of stamps that a day, or a minute of it, covers; `latest` for an empty day, undefined for no day. */
function spanOf(
  { symbol }: BarColumns,
  dayText: string,
  minuteText: string,
): { readonly from: number; readonly until: number } | 'latest' | undefined {
  if (dayText === '') return 'latest';
  const day = readCompactDay(dayText);
  if (day === undefined) return undefined;
  const market = marketOf(symbol);
  const midnight = midnightOf(market, day);
  if (minuteText === '') return { from: midnight, until: midnightOf(market, addDays(day, 1)) };
  const [, hour, minute] = MINUTE_TEXT.exec(minuteText) ?? [];
  if (hour === undefined) return undefined;
  const from = midnight + (Number(hour) * 60 + Number(minute)) * MINUTE_MS;
  return { from, until: from + 1 };
}

function latestDay(columns: BarColumns, closed: number): number {
  const last = columns.time[closed - 1];
  if (last === undefined) return closed;
  const market = marketOf(columns.symbol);
  return lowerBound(columns, midnightOf(market, dayOf(market, millis(last))));
}

/** The session that a bar belongs to; bars of a day and longer are regular. */
function sessionOfBar({ symbol, period, time }: Pick<Bar, 'symbol' | 'period' | 'time'>): TradeSession {
  const market = marketOf(symbol);
  if (intradayMs(period) === undefined) return 'regular';
  const kind = sessionAt(market, openTime(market, period, time))?.kind;
  return kind === 'pre' || kind === 'post' || kind === 'overnight' ? kind : 'regular';
}

/** Money traded in a bar, estimated: its volume at the mean of its four prices. */
export function estimatedTurnover({ open, high, low, close, volume }: Bar): number {
  return Math.round(((open + high + low + close) / 4) * volume * 1_000) / 1_000;
}

/** Which bars are shown: those of regular hours, all of them, or all as regular ones where the market never closes. */
export type ShownSessions = 'regular' | 'all' | 'all-are-regular';

/** Bars of a range as the wire shows them. */
export function writeBars(columns: BarColumns, range: BarRange, shown: ShownSessions) {
  const candlesticks: ReturnType<typeof writeCandlestick>[] = [];
  for (let index = range.from; index < range.to; index += 1) {
    const bar = barAt(columns, index);
    const session = shown === 'all-are-regular' ? 'regular' : sessionOfBar(bar);
    if (shown === 'regular' && session !== 'regular') continue;
    candlesticks.push(writeCandlestick(bar, { turnover: estimatedTurnover(bar), session }));
  }
  return candlesticks;
}
