import type {
  CandleView,
  CapitalView,
  DepthView,
  LevelView,
  QuoteView,
  SessionFigures,
  StaticView,
} from '../../app/broker/market-views.ts';
import type { Decimal } from '../../model/decimal.ts';
import type { Quote } from '../../model/quote.ts';
import type { Millis } from '../../model/time.ts';
import { jsonTime } from './json-line.ts';
import { facts, figure, sharesText, table, timeText } from './tables.ts';

const right = (head: string) => ({ head, align: 'right' }) as const;

/** Quotes, a line each; a second line for each session outside of regular hours. */
export function quotesText(quotes: readonly QuoteView[]): string {
  if (quotes.length === 0) return 'The venue knows none of these symbols.\n';
  const columns = [
    { head: 'symbol' },
    ...['last', 'change', 'open', 'high', 'low', 'volume'].map(right),
    { head: 'status' },
    { head: 'UTC' },
  ];
  const rows = quotes.flatMap((quote) => [
    quoteRow(quote.symbol, quote, quote.open, quote.status),
    ...quote.others.map((other) => quoteRow('', other, undefined, other.session)),
  ]);
  return table(columns, rows);
}

function quoteRow(
  symbol: string,
  figures: SessionFigures,
  open: Decimal | undefined,
  word: string,
): readonly string[] {
  return [
    symbol,
    figure(figures.last),
    changeText(figures),
    figure(open),
    figure(figures.high),
    figure(figures.low),
    sharesText(figures.volume),
    word,
    timeText(figures.time).slice(-'MM-DD hh:mm'.length),
  ];
}

/** Change against the close before, in percent; a dash when either is missing. */
function changeText({ last, previousClose }: SessionFigures): string {
  if (last === undefined || previousClose === undefined || previousClose.isZero()) return '-';
  const percent = last.div(previousClose).minus(1).times(100);
  return `${percent.gt(0) ? '+' : ''}${percent.toFixed(2)}%`;
}

/** Quotes for programs. */
export function quotesJson(quotes: readonly QuoteView[]) {
  return quotes.map(({ others, ...quote }) => ({ ...timed(quote), others: others.map(timed) }));
}

function timed<T extends SessionFigures>(figures: T) {
  return { ...figures, time: jsonTime(figures.time) };
}

/** One pushed quote as a line. */
export function pushedQuoteText(quote: Quote): string {
  const { symbol, last, dayVolume, volume, session, status } = quote;
  const word = status === 'normal' ? session : status;
  return `${timeOfDay(quote.time)} UTC  ${symbol}  ${figure(last)}  volume ${sharesText(volume)} of ${sharesText(dayVolume)}  ${word}\n`;
}

function timeOfDay(at: Millis): string {
  return new Date(at).toISOString().slice('2025-09-01T'.length, '2025-09-01T01:30:00'.length);
}

/** One pushed quote for programs. */
export function pushedQuoteJson(quote: Quote) {
  return { ...quote, time: jsonTime(quote.time) };
}

/** Both sides of the book, the bid on the left, nearest prices on top. */
export function depthText({ symbol, bids, asks }: DepthView): string {
  if (bids.length === 0 && asks.length === 0)
    return `No depth of ${symbol}: no quote package includes it, or there are no quotes.\n`;
  const rows = Array.from({ length: Math.max(bids.length, asks.length) }, (_, index) => [
    ...levelRow(bids[index]),
    ...levelRow(asks[index]).toReversed(),
  ]);
  const heads = ['bid orders', 'bid volume', 'bid', 'ask', 'ask volume', 'ask orders'];
  return table(heads.map(right), rows);
}

function levelRow(level: LevelView | undefined): readonly string[] {
  if (level === undefined) return ['', '', ''];
  return [String(level.orders), sharesText(level.volume), figure(level.price)];
}

/** Bars, oldest first. */
export function candlesText(candles: readonly CandleView[]): string {
  if (candles.length === 0) return 'No bars.\n';
  const columns = [{ head: 'opened (UTC)' }, ...['open', 'high', 'low', 'close', 'volume'].map(right)];
  return table(
    columns,
    candles.map((bar) => [
      timeText(bar.time),
      ...[bar.open, bar.high, bar.low, bar.close].map(figure),
      sharesText(bar.volume),
    ]),
  );
}

/** Bars for programs. */
export function candlesJson(candles: readonly CandleView[]) {
  return candles.map((bar) => ({ ...bar, time: jsonTime(bar.time) }));
}

/** A block of facts for each security, its name in the language asked for. */
export function staticText(securities: readonly StaticView[], language: string): string {
  if (securities.length === 0) return 'The venue knows none of these symbols.\n';
  return securities
    .map((each) =>
      facts([
        ['Symbol', each.symbol],
        ['Name', nameIn(each, language)],
        ['Exchange', `${each.exchange} (${each.board})`],
        ['Currency', each.currency],
        ['Lot size', String(each.lotSize)],
        ['Shares', sharesText(each.totalShares)],
        ['In circulation', sharesText(each.circulatingShares)],
        ['Earnings per share', figure(each.earningsPerShare)],
        ['Book value per share', figure(each.bookValuePerShare)],
        ['Dividend yield', figure(each.dividendYield)],
      ]),
    )
    .join('\n');
}

function nameIn({ names }: StaticView, language: string): string {
  const wanted = language === 'zh-CN' ? names.zhCn : language === 'zh-HK' ? names.zhHk : names.en;
  return wanted === '' ? names.en : wanted;
}

/** The day's money by size of order, and the newest `last` points of its net flow. */
export function capitalText({ in: into, out, flow }: CapitalView, last: number): string {
  const money = (amount: Decimal | undefined): string => figure(amount);
  const distribution = table(
    [{ head: 'orders' }, ...['in', 'out', 'net'].map(right)],
    (['large', 'medium', 'small'] as const).map((size) => {
      const [more, less] = [into[size], out[size]];
      const net = more === undefined || less === undefined ? undefined : more.minus(less);
      return [size, money(more), money(less), money(net)];
    }),
  );
  const points = flow.slice(-last);
  if (points.length === 0) return distribution;
  const line = table(
    [{ head: 'UTC' }, right('net inflow')],
    points.map(({ time, inflow }) => [timeText(time), money(inflow)]),
  );
  return `${distribution}\n${line}`;
}

/** The day's money for programs, with every point. */
export function capitalJson(capital: CapitalView) {
  return {
    ...capital,
    time: jsonTime(capital.time),
    flow: capital.flow.map((point) => ({ ...point, time: jsonTime(point.time) })),
  };
}
