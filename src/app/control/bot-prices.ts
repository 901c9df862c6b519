import { lastValueFrom } from 'rxjs';
import type { Engine } from '../../engine/engine.ts';
import type { KeptPrices } from '../../events/run-record.ts';
import { sessionBarSpan } from '../../markets/trading-sessions.ts';
import type { Bar } from '../../model/bar.ts';
import type { Period } from '../../model/period.ts';
import type { Quote } from '../../model/quote.ts';
import type { Security } from '../../model/security.ts';
import { marketOf, type SecuritySymbol } from '../../model/symbol.ts';
import type { Millis } from '../../model/time.ts';
import type { TradingSessions } from '../../model/trading-sessions.ts';
import type { SeriesReading, SignalEvaluator } from '../../ports/strategy-host.ts';
import { toObservable } from '../../ports/to-observable.ts';
import { isNearPrice } from '../../reports/drawn-indicators.ts';
import type { PricesRequest } from './control-message.ts';

/** Latest price of each symbol of a running bot, and recent bars of one symbol, as sent over its control socket. */
export interface BotPrices {
  readonly period: Period;
  readonly marks: readonly PriceMark[];
  /** Symbol of the bars; null for a symbol that the bot does not trade. */
  readonly symbol: string | null;
  readonly bars: readonly PriceBar[];
  /** Indicators of the strategies for that symbol, one value per bar; null while a strategy is busy. */
  readonly indicators: readonly PriceIndicator[] | null;
  /** Open time of the symbol's current bar, epoch milliseconds; null between sessions. */
  readonly running: number | null;
  /** Sessions of the bars. */
  readonly sessions: TradingSessions;
}

/** Latest price of a symbol, in its currency; null before the first quote. */
export interface PriceMark {
  readonly symbol: string;
  readonly currency: string;
  readonly price: number | null;
  /** Milliseconds of market time. */
  readonly ageMs: number | null;
}

/** Values of a strategy's series at each bar, as the strategy saw them. */
export interface PriceIndicator {
  /** Name of the series, prefixed with the strategy's name if there are several. */
  readonly name: string;
  /** True if it is plotted on the price chart, otherwise below it. */
  readonly isPrice: boolean;
  /** Null while undefined, and during the warm-up except at its last bar, which the strategy can read. */
  readonly values: readonly (number | null)[];
}

/** A closed bar: open time in epoch milliseconds, prices, and volume in shares. */
export type PriceBar = KeptPrices['bars'][number];

export interface PriceSources {
  readonly engine: Pick<Engine, 'recentBars'>;
  readonly period: Period;
  readonly sessions: TradingSessions;
  readonly securities: readonly Pick<Security, 'symbol' | 'currency'>[];
  readonly now: () => Millis;
  readonly latest: (symbol: SecuritySymbol) => Quote | undefined;
  readonly strategies: readonly {
    /** Undefined if there is only one strategy. */
    readonly name: string | undefined;
    readonly signals: Pick<SignalEvaluator, 'series'>;
  }[];
}

/**
 * Returns the latest prices of a bot, and the recent bars of the requested symbol, or of its first. Strategies
 * compute their series only if requested; a busy strategy is not interrupted.
 */
export async function botPrices(
  { engine, period, sessions, securities, now, latest, strategies }: PriceSources,
  { symbol: wanted, series }: Pick<PricesRequest, 'symbol' | 'series'>,
): Promise<BotPrices> {
  const of = wanted === undefined ? securities[0] : securities.find(({ symbol }) => symbol === wanted);
  const read = of === undefined || !series ? [] : await readSeries(strategies, of.symbol);
  const at = now();
  const recent = of === undefined ? [] : engine.recentBars(of.symbol);
  return {
    period,
    marks: securities.map(({ symbol, currency }) => {
      const quote = latest(symbol);
      return {
        symbol,
        currency,
        price: quote === undefined ? null : quote.last.toNumber(),
        ageMs: quote === undefined ? null : Math.max(0, at - quote.time),
      };
    }),
    symbol: of?.symbol ?? null,
    sessions,
    running:
      of === undefined ? null : (sessionBarSpan(marketOf(of.symbol), period, at, sessions)?.open ?? null),
    bars: recent.map(
      ({ time, open, high, low, close, volume }) => [time, open, high, low, close, volume] as const,
    ),
    indicators: read === null ? null : read.flatMap((each) => indicatorsAt(each, recent)),
  };
}

/**
 * Returns recent bars of each symbol with the series of its strategies, for the report of a run without stored bars.
 */
export async function storedPrices(sources: PriceSources): Promise<readonly KeptPrices[]> {
  const kept: KeptPrices[] = [];
  for (const { symbol } of sources.securities) {
    const { period, bars, indicators } = await botPrices(sources, { symbol, series: true });
    if (bars.length > 0) kept.push({ symbol, period, bars, indicators });
  }
  return kept;
}

interface NamedSeries {
  readonly name: string | undefined;
  readonly reading: SeriesReading;
}

/** Reads the series of all strategies for a symbol; null if a strategy is busy. */
async function readSeries(
  strategies: PriceSources['strategies'],
  symbol: SecuritySymbol,
): Promise<readonly NamedSeries[] | null> {
  const all = await Promise.all(
    strategies.map(async ({ name, signals }) => ({
      name,
      reading:
        signals.series === undefined ? NO_SERIES : await lastValueFrom(toObservable(signals.series(symbol))),
    })),
  );
  const known = all.flatMap(({ name, reading }) => (reading === undefined ? [] : [{ name, reading }]));
  return known.length < all.length ? null : known;
}

const NO_SERIES: SeriesReading = { kind: 'series', times: [], series: [] };

/** Aligns the series with the bars; null at a bar that the strategy did not receive. */
function indicatorsAt(
  { name: strategy, reading }: NamedSeries,
  bars: readonly Pick<Bar, 'time' | 'close'>[],
): readonly PriceIndicator[] {
  const places = new Map(reading.times.map((time, index) => [time, index]));
  const closes = bars.map(({ close }) => close);
  return reading.series.map(({ name, isPrice, values }) => {
    const own = bars.map(({ time }) => values[places.get(time) ?? -1] ?? null);
    return {
      name: strategy === undefined ? name : `${strategy}: ${name}`,
      isPrice:
        isPrice ??
        isNearPrice(
          own.map((value) => value ?? Number.NaN),
          closes,
        ),
      values: own,
    };
  });
}
