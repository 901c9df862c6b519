import { forkJoin, map, type Observable } from 'rxjs';
import type { Period } from '../../model/period.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import type { CalendarDay } from '../../model/time.ts';
import { AdjustType, HistoryCandlestickQueryType } from '../../wire/gen/quote_pb.ts';
import { writePeriod } from '../../wire/mapper/bar.ts';
import {
  type CandleView,
  type CapitalView,
  candleViews,
  capitalView,
  type DepthView,
  depthView,
  type QuoteView,
  quoteViews,
  type StaticView,
  staticViews,
} from './market-views.ts';
import type { OpenedApi } from './open-api.ts';

/** The requested bars: the newest, or those of a range of days, both ends included. */
export interface CandleRequest {
  readonly symbol: SecuritySymbol;
  readonly period: Period;
  /** 1 to 1000; of a range, its newest. */
  readonly count: number;
  readonly from: CalendarDay | undefined;
  readonly to: CalendarDay | undefined;
  /** Adjusts older prices for splits and dividends. */
  readonly adjusted: boolean;
}

const REGULAR_HOURS = 0;

/** Quotes (command 11); unknown symbols are omitted. */
export function fetchQuotes(
  opened: OpenedApi,
  symbols: readonly SecuritySymbol[],
): Promise<readonly QuoteView[]> {
  const question = opened.api.quotes.securityQuote({ symbol: [...symbols] });
  return opened.pull(`read the quote of ${symbols.join(', ')}`, question.pipe(map(quoteViews)));
}

/** Price levels (command 14). */
export function fetchDepth({ api, pull }: OpenedApi, symbol: SecuritySymbol): Promise<DepthView> {
  return pull(`read the depth of ${symbol}`, api.quotes.depth({ symbol }).pipe(map(depthView)));
}

/** Static info (command 10); unknown symbols are omitted. */
export function fetchStaticInfo(
  { api, pull }: OpenedApi,
  symbols: readonly SecuritySymbol[],
): Promise<readonly StaticView[]> {
  const question = api.quotes.staticInfo({ symbol: [...symbols] });
  return pull(`read the facts of ${symbols.join(', ')}`, question.pipe(map(staticViews)));
}

/** Bars, ascending; the newest may be open. Command 19 without days, 27 with them. */
export function fetchCandles(
  { api, pull }: OpenedApi,
  question: CandleRequest,
): Promise<readonly CandleView[]> {
  const { symbol, period, count, from, to, adjusted } = question;
  const shared = {
    symbol,
    period: writePeriod(period),
    adjustType: adjusted ? AdjustType.FORWARD_ADJUST : AdjustType.NO_ADJUST,
    tradeSession: REGULAR_HOURS,
  };
  const answer =
    from === undefined && to === undefined
      ? api.quotes.candlesticks({ ...shared, count })
      : api.quotes.historyCandlesticks({
          ...shared,
          queryType: HistoryCandlestickQueryType.QUERY_BY_DATE,
          dateRequest: { startDate: wireDay(from), endDate: wireDay(to) },
        });
  const newest = answer.pipe(map((candles) => candleViews(candles).slice(-count)));
  return pull(`read ${period} bars of ${symbol}`, newest);
}

function wireDay(day: CalendarDay | undefined): string {
  return day === undefined ? '' : day.replaceAll('-', '');
}

/** Capital distribution and intraday flow, by the command numbers of the profile. */
export function fetchCapitalFlow({ api, pull }: OpenedApi, symbol: SecuritySymbol): Promise<CapitalView> {
  const both: Observable<CapitalView> = forkJoin([
    api.quotes.capitalDistribution({ symbol }),
    api.quotes.capitalFlow({ symbol }),
  ]).pipe(map(([distribution, flow]) => capitalView(distribution, flow)));
  return pull(`read the capital flow of ${symbol}`, both);
}

/** Round-trip time of a signed test call, in milliseconds. */
export async function pingVenue(opened: OpenedApi): Promise<number> {
  const { api, machine, ask } = opened;
  const began = machine.now();
  await ask('reach the venue', api.http.connectivityTest({}));
  return machine.now() - began;
}
