import { barClose, barSpan, openTime } from '../../markets/bar-span.ts';
import { dayNumber } from '../../markets/day-number.ts';
import { dayOf, midnightOf, sessionAt } from '../../markets/sessions.ts';
import { instantOf } from '../../markets/zones.ts';
import { type Bar, type BarColumns, barAt, lowerBound } from '../../model/bar.ts';
import { intradayMs, nominalMs, type Period } from '../../model/period.ts';
import type { TradeSession } from '../../model/quote.ts';
import { marketOf, type SecuritySymbol } from '../../model/symbol.ts';
import { addDays, DAY_MS, type Millis, millis } from '../../model/time.ts';
import type { BarFigures } from '../../simulation/market/prints.ts';
import type { Simulation } from '../../simulation/simulation.ts';
import {
  Direction,
  HistoryCandlestickQueryType,
  type SecurityHistoryCandlestickRequest,
} from '../../wire/gen/quote_pb.ts';
import { writeCandlestick } from '../../wire/mapper/bar.ts';
import { MAX_ROWS } from '../../wire/socket-status.ts';
import { steadySpan } from '../synthetic/synthetic-history.ts';
import type { BarHistory, MarketHours } from '../venue-options.ts';
import { readCompactDay } from './calendar-text.ts';

/** Indexes of bars, `to` exclusive. */
export interface BarRange {
  readonly from: number;
  readonly to: number;
}

/** Default count of a request by offset. @see docs/wire-protocol.md, "The sockets" */
const DEFAULT_COUNT = 10;

/** Bars of a symbol as visible at an instant: the closed ones, then the open one. */
export interface VisibleBars {
  /** The first `closed` rows have closed; later rows are in the future and never shown. */
  readonly columns: BarColumns;
  readonly closed: number;
  /** Aggregated from its prints so far; undefined while the market is closed, or before the first print. */
  readonly open: Bar | undefined;
}

export interface VisibleBarsParts {
  readonly simulation: Pick<Simulation, 'now' | 'tradedSince'>;
  readonly history: BarHistory;
  readonly hours: MarketHours;
}

/** Returns the bars of a symbol as of now; undefined if there are none of that period. */
export function visibleBars(
  parts: VisibleBarsParts,
  symbol: SecuritySymbol,
  period: Period,
): VisibleBars | undefined {
  const columns = parts.history(symbol, period);
  if (columns === undefined) return undefined;
  const closed = closedBars(columns, parts);
  return { columns, closed, open: openBar(columns, closed, parts) };
}

function closedBars(
  columns: BarColumns,
  { simulation, hours }: Pick<VisibleBarsParts, 'simulation' | 'hours'>,
): number {
  const now = simulation.now();
  const market = marketOf(columns.symbol);
  const closeOf = (open: Millis): number =>
    hours === 'always'
      ? steadySpan(columns, columns.period, open).until
      : barClose(market, columns.period, open);
  let count = lowerBound(columns, now);
  while (count > 0 && closeOf(columns.time[count - 1] as Millis) > now) count -= 1;
  return count;
}

function openBar(columns: BarColumns, closed: number, parts: VisibleBarsParts): Bar | undefined {
  const { simulation, hours } = parts;
  const { symbol, period } = columns;
  const now = simulation.now();
  const span =
    hours === 'always' ? steadySpan(columns, period, now).from : barSpan(marketOf(symbol), period, now)?.open;
  const begun = columns.time[closed];
  const from = begun !== undefined && begun <= now ? begun : span;
  if (from === undefined || (closed > 0 && from <= (columns.time[closed - 1] as number))) return undefined;
  const figures =
    nominalMs(period) > DAY_MS
      ? tradedInDays(symbol, from, parts)
      : simulation.tradedSince(symbol, millis(from));
  return figures === undefined ? undefined : { symbol, period, time: millis(from), ...figures };
}

/** Aggregates an open weekly or longer bar from closed days and today, because prints may not reach back so far. */
function tradedInDays(symbol: SecuritySymbol, from: number, parts: VisibleBarsParts): BarFigures | undefined {
  const days = visibleBars(parts, symbol, '1d');
  if (days === undefined) return undefined;
  const rows: Bar[] = [];
  for (let row = lowerBound(days.columns, from); row < lengthOf(days); row += 1)
    rows.push(barOfRow(days, row));
  const [first] = rows;
  if (first === undefined) return undefined;
  return {
    open: first.open,
    high: Math.max(...rows.map(({ high }) => high)),
    low: Math.min(...rows.map(({ low }) => low)),
    close: rows.at(-1)?.close ?? first.close,
    volume: rows.reduce((sum, { volume }) => sum + volume, 0),
  };
}

export function lengthOf({ closed, open }: VisibleBars): number {
  return open === undefined ? closed : closed + 1;
}

export function barOfRow({ columns, closed, open }: VisibleBars, row: number): Bar {
  return row === closed && open !== undefined ? open : barAt(columns, row);
}

/** Returns the index of the first visible bar stamped at or after an instant. */
export function rowAt({ columns, closed, open }: VisibleBars, at: number): number {
  const place = Math.min(closed, lowerBound(columns, at));
  return place === closed && open !== undefined && open.time < at ? closed + 1 : place;
}

export function newestBars(end: number, count: number): BarRange {
  return { from: Math.max(0, end - count), to: end };
}

/**
 * Returns the visible bars that a history request (27) means; undefined if the request is invalid. By offset,
 * backward takes bars stamped at or before the given time, forward at or after it; a date without a minute means the
 * whole day; without a date, backward takes the newest bars, and forward starts at the latest day.
 */
export function requestedBars(
  shown: VisibleBars,
  query: SecurityHistoryCandlestickRequest,
): BarRange | undefined {
  if (query.queryType === HistoryCandlestickQueryType.QUERY_BY_OFFSET && query.offsetRequest !== undefined) {
    return barsByOffset(shown, query.offsetRequest);
  }
  if (query.queryType === HistoryCandlestickQueryType.QUERY_BY_DATE && query.dateRequest !== undefined) {
    return barsByDate(shown, query.dateRequest);
  }
  return undefined;
}

type OffsetQuery = NonNullable<SecurityHistoryCandlestickRequest['offsetRequest']>;
type DateQuery = NonNullable<SecurityHistoryCandlestickRequest['dateRequest']>;

function barsByOffset(shown: VisibleBars, query: OffsetQuery): BarRange | undefined {
  const count = query.count === 0 ? DEFAULT_COUNT : query.count;
  if (count < 1 || count > MAX_ROWS) return undefined;
  const span = spanOf(shown.columns, query.date, query.minute);
  if (span === undefined) return undefined;
  const end = lengthOf(shown);
  if (query.direction === Direction.FORWARD) {
    const from = span === 'latest' ? latestDay(shown) : rowAt(shown, span.from);
    return { from, to: Math.min(end, from + count) };
  }
  return newestBars(span === 'latest' ? end : rowAt(shown, span.until), count);
}

function barsByDate(shown: VisibleBars, query: DateQuery): BarRange | undefined {
  const start = spanOf(shown.columns, query.startDate, '');
  const end = spanOf(shown.columns, query.endDate, '');
  if (start === undefined || end === undefined) return undefined;
  const from = start === 'latest' ? 0 : rowAt(shown, start.from);
  const to = end === 'latest' ? lengthOf(shown) : rowAt(shown, end.until);
  const nearStart = start !== 'latest' && end === 'latest';
  if (nearStart) return { from, to: Math.min(to, from + MAX_ROWS) };
  return { from: Math.max(from, to - MAX_ROWS), to: Math.max(from, to) };
}

const MINUTE_TEXT = /^([01]\d|2[0-3])([0-5]\d)$/;

/** Returns the time span of a day, or of a minute of it; `latest` for an empty text, undefined for an invalid one. */
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
  const from = instantOf(market, dayNumber(day), Number(hour) * 60 + Number(minute));
  return { from, until: from + 1 };
}

function latestDay(shown: VisibleBars): number {
  const end = lengthOf(shown);
  if (end === 0) return end;
  const market = marketOf(shown.columns.symbol);
  return rowAt(shown, midnightOf(market, dayOf(market, barOfRow(shown, end - 1).time)));
}

/** Returns the session of a bar; daily and longer bars are regular. */
function sessionOfBar({ symbol, period, time }: Pick<Bar, 'symbol' | 'period' | 'time'>): TradeSession {
  const market = marketOf(symbol);
  if (intradayMs(period) === undefined) return 'regular';
  const kind = sessionAt(market, openTime(market, period, time))?.kind;
  return kind === 'pre' || kind === 'post' || kind === 'overnight' ? kind : 'regular';
}

/** Estimates the turnover of a bar: its volume at the mean of its four prices. */
export function estimatedTurnover({ open, high, low, close, volume }: Bar): number {
  return Math.round(((open + high + low + close) / 4) * volume * 1_000) / 1_000;
}

/** Which bars are shown: regular hours only, all, or all as regular ones if the market never closes. */
export type VisibleSessions = 'regular' | 'all' | 'all-are-regular';

export function writeBars(bars: VisibleBars, range: BarRange, shown: VisibleSessions) {
  const candlesticks: ReturnType<typeof writeCandlestick>[] = [];
  for (let row = range.from; row < range.to; row += 1) {
    const bar = barOfRow(bars, row);
    const session = shown === 'all-are-regular' ? 'regular' : sessionOfBar(bar);
    if (shown === 'regular' && session !== 'regular') continue;
    candlesticks.push(writeCandlestick(bar, { turnover: estimatedTurnover(bar), session }));
  }
  return candlesticks;
}
