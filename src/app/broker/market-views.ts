import { type Decimal, type Price, parseDecimal, type Quantity } from '../../model/decimal.ts';
import type { TradeSession, TradeStatus } from '../../model/quote.ts';
import type { Millis } from '../../model/time.ts';
import type {
  CapitalDistributionResponse,
  CapitalFlowIntradayResponse,
  Depth,
  PrePostQuote,
  SecurityCandlestickResponse,
  SecurityDepthResponse,
  SecurityQuote,
  SecurityQuoteResponse,
  SecurityStaticInfoResponse,
} from '../../wire/gen/quote_pb.ts';
import { readTradeSession, readTradeStatus } from '../../wire/mapper/quote.ts';
import { readEpoch, readOptionalDecimal, readVolume } from '../../wire/mapper/values.ts';

/** Figures of one part of the day; those that the venue leaves empty are undefined. */
export interface SessionFigures {
  readonly session: TradeSession;
  readonly time: Millis | undefined;
  readonly last: Price | undefined;
  readonly high: Price | undefined;
  readonly low: Price | undefined;
  readonly previousClose: Price | undefined;
  readonly volume: Quantity;
  readonly turnover: Decimal | undefined;
}

/** A pulled quote (command 11) for display; a security that has not traded has no prices. */
export interface QuoteView extends SessionFigures {
  readonly symbol: string;
  readonly open: Price | undefined;
  readonly status: TradeStatus;
  /** Sessions outside regular hours with data. */
  readonly others: readonly SessionFigures[];
}

/** Readers of the quote socket's answers. All throw WireError for a figure that is not a number. */
export function quoteViews({ secuQuote }: SecurityQuoteResponse): readonly QuoteView[] {
  return secuQuote.map((wire) => ({
    symbol: wire.symbol,
    ...sessionFigures('regular', wire),
    open: readOptionalDecimal(wire.open, 'open'),
    status: readTradeStatus(wire.tradeStatus),
    others: [
      ...otherSession('pre', wire.preMarketQuote),
      ...otherSession('post', wire.postMarketQuote),
      ...otherSession('overnight', wire.overNightQuote),
    ],
  }));
}

function otherSession(session: TradeSession, block: PrePostQuote | undefined): readonly SessionFigures[] {
  return block === undefined || block.lastDone === '' ? [] : [sessionFigures(session, block)];
}

function sessionFigures(session: TradeSession, wire: SecurityQuote | PrePostQuote): SessionFigures {
  return {
    session,
    time: instant(wire.timestamp),
    last: readOptionalDecimal(wire.lastDone, 'last_done'),
    high: readOptionalDecimal(wire.high, 'high'),
    low: readOptionalDecimal(wire.low, 'low'),
    previousClose: readOptionalDecimal(wire.prevClose, 'prev_close'),
    volume: readVolume(wire.volume),
    turnover: readOptionalDecimal(wire.turnover, 'turnover'),
  };
}

function instant(seconds: bigint): Millis | undefined {
  return seconds === 0n ? undefined : readEpoch(seconds);
}

/** One price level; an empty level has only its position. */
export interface LevelView {
  readonly level: number;
  readonly price: Price | undefined;
  readonly volume: Quantity;
  readonly orders: number;
}

/** Price levels on both sides, nearest first. */
export interface DepthView {
  readonly symbol: string;
  readonly bids: readonly LevelView[];
  readonly asks: readonly LevelView[];
}

export function depthView({ symbol, bid, ask }: SecurityDepthResponse): DepthView {
  return { symbol, bids: bid.map(levelView), asks: ask.map(levelView) };
}

function levelView({ position, price, volume, orderNum }: Depth): LevelView {
  return {
    level: position,
    price: readOptionalDecimal(price, 'price'),
    volume: readVolume(volume),
    orders: Number(orderNum),
  };
}

/** A bar with its figures as sent by the venue. */
export interface CandleView {
  readonly time: Millis;
  readonly open: Price | undefined;
  readonly high: Price | undefined;
  readonly low: Price | undefined;
  readonly close: Price | undefined;
  readonly volume: Quantity;
  readonly turnover: Decimal | undefined;
  readonly session: TradeSession;
}

export function candleViews({ candlesticks }: SecurityCandlestickResponse): readonly CandleView[] {
  return candlesticks.map((wire) => ({
    time: readEpoch(wire.timestamp),
    open: readOptionalDecimal(wire.open, 'open'),
    high: readOptionalDecimal(wire.high, 'high'),
    low: readOptionalDecimal(wire.low, 'low'),
    close: readOptionalDecimal(wire.close, 'close'),
    volume: readVolume(wire.volume),
    turnover: readOptionalDecimal(wire.turnover, 'turnover'),
    session: readTradeSession(wire.tradeSession),
  }));
}

/** Static info (command 10); figures per share, whole shares, undefined if the venue does not know them. */
export interface StaticView {
  readonly symbol: string;
  readonly names: { readonly en: string; readonly zhCn: string; readonly zhHk: string };
  readonly exchange: string;
  readonly board: string;
  readonly currency: string;
  readonly lotSize: number;
  readonly totalShares: Quantity | undefined;
  readonly circulatingShares: Quantity | undefined;
  readonly earningsPerShare: Decimal | undefined;
  readonly bookValuePerShare: Decimal | undefined;
  readonly dividendYield: Decimal | undefined;
}

export function staticViews({ secuStaticInfo }: SecurityStaticInfoResponse): readonly StaticView[] {
  return secuStaticInfo.map((wire) => ({
    symbol: wire.symbol,
    names: { en: wire.nameEn, zhCn: wire.nameCn, zhHk: wire.nameHk },
    exchange: wire.exchange,
    board: wire.board,
    currency: wire.currency,
    lotSize: wire.lotSize,
    totalShares: shares(wire.totalShares),
    circulatingShares: shares(wire.circulatingShares),
    earningsPerShare: parseDecimal(wire.eps),
    bookValuePerShare: parseDecimal(wire.bps),
    dividendYield: parseDecimal(wire.dividendYield),
  }));
}

function shares(count: bigint): Quantity | undefined {
  return count === 0n ? undefined : readVolume(count);
}

/** Inflow and outflow of money, by order size. */
export interface MoneyBySize {
  readonly large: Decimal | undefined;
  readonly medium: Decimal | undefined;
  readonly small: Decimal | undefined;
}

/** The day's distribution of money, and the cumulative net inflow at each minute. */
export interface CapitalView {
  readonly symbol: string;
  readonly time: Millis | undefined;
  readonly in: MoneyBySize;
  readonly out: MoneyBySize;
  readonly flow: readonly { readonly time: Millis; readonly inflow: Decimal | undefined }[];
}

export function capitalView(
  { symbol, timestamp, capitalIn, capitalOut }: CapitalDistributionResponse,
  { capitalFlowLines }: CapitalFlowIntradayResponse,
): CapitalView {
  return {
    symbol,
    time: instant(timestamp),
    in: moneyBySize(capitalIn),
    out: moneyBySize(capitalOut),
    flow: capitalFlowLines.map((line) => ({
      time: readEpoch(line.timestamp),
      inflow: readOptionalDecimal(line.inflow, 'inflow'),
    })),
  };
}

function moneyBySize(wire: CapitalDistributionResponse['capitalIn']): MoneyBySize {
  return {
    large: readOptionalDecimal(wire?.large ?? '', 'large'),
    medium: readOptionalDecimal(wire?.medium ?? '', 'medium'),
    small: readOptionalDecimal(wire?.small ?? '', 'small'),
  };
}
