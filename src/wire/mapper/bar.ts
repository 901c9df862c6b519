import type { MessageInitShape } from '@bufbuild/protobuf';
import type { Bar } from '../../model/bar.ts';
import { Decimal } from '../../model/decimal.ts';
import type { Period } from '../../model/period.ts';
import type { TradeSession } from '../../model/quote.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import { SECOND_MS } from '../../model/time.ts';
import { type Candlestick, type CandlestickSchema, Period as WirePeriod } from '../gen/quote_pb.ts';
import { WireError } from '../wire-error.ts';
import { writeTradeSession } from './quote.ts';
import { readEpoch, readVolume } from './values.ts';

const PERIODS: Readonly<Record<Period, WirePeriod>> = {
  '1m': WirePeriod.ONE_MINUTE,
  '2m': WirePeriod.TWO_MINUTE,
  '3m': WirePeriod.THREE_MINUTE,
  '5m': WirePeriod.FIVE_MINUTE,
  '10m': WirePeriod.TEN_MINUTE,
  '15m': WirePeriod.FIFTEEN_MINUTE,
  '20m': WirePeriod.TWENTY_MINUTE,
  '30m': WirePeriod.THIRTY_MINUTE,
  '45m': WirePeriod.FORTY_FIVE_MINUTE,
  '1h': WirePeriod.SIXTY_MINUTE,
  '2h': WirePeriod.TWO_HOUR,
  '3h': WirePeriod.THREE_HOUR,
  '4h': WirePeriod.FOUR_HOUR,
  '1d': WirePeriod.DAY,
  '1w': WirePeriod.WEEK,
  '1M': WirePeriod.MONTH,
  '1Q': WirePeriod.QUARTER,
  '1Y': WirePeriod.YEAR,
};

export function writePeriod(period: Period): WirePeriod {
  return PERIODS[period];
}

/** Returns the period of a wire number; undefined if unknown, which a venue refuses. */
export function readPeriod(wire: number): Period | undefined {
  for (const period of Object.keys(PERIODS) as Period[]) if (PERIODS[period] === wire) return period;
  return undefined;
}

export interface BarsOf {
  readonly symbol: SecuritySymbol;
  readonly period: Period;
}

/** Parses one bar. Throws WireError (`bad-value`) if a figure is missing, negative or not a number. */
export function readCandlestick(wire: Candlestick, of: BarsOf): Bar {
  return {
    symbol: of.symbol,
    period: of.period,
    time: readEpoch(wire.timestamp),
    open: readFigure(wire.open, 'open'),
    high: readFigure(wire.high, 'high'),
    low: readFigure(wire.low, 'low'),
    close: readFigure(wire.close, 'close'),
    volume: readVolume(wire.volume).toNumber(),
  };
}

/**
 * Formats one bar. `turnover` is the money traded, in the security's currency. Volume is whole shares on the wire.
 */
export function writeCandlestick(
  bar: Bar,
  facts: { readonly turnover: number; readonly session: TradeSession },
): MessageInitShape<typeof CandlestickSchema> {
  return {
    open: figureText(bar.open),
    high: figureText(bar.high),
    low: figureText(bar.low),
    close: figureText(bar.close),
    volume: BigInt(Math.round(bar.volume)),
    turnover: figureText(facts.turnover),
    timestamp: BigInt(Math.floor(bar.time / SECOND_MS)),
    tradeSession: writeTradeSession(facts.session),
  };
}

/**
 * Returns the shortest decimal text that parses to the same double, without an exponent. Throws WireError for a
 * non-finite figure.
 */
export function figureText(figure: number): string {
  if (!Number.isFinite(figure)) {
    throw new WireError('not-writable', `Cannot write "${figure}" as a figure of a bar`);
  }
  const shortest = String(figure);
  return shortest.includes('e') ? new Decimal(shortest).toFixed() : shortest;
}

const FIGURE = /^\d{1,310}(\.\d{1,340})?$/;

function readFigure(text: string, field: string): number {
  if (FIGURE.test(text)) return Number(text);
  throw new WireError(
    'bad-value',
    `Cannot read ${field} of a bar: want a number, saw "${text.slice(0, 60)}"`,
  );
}
