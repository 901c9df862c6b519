import { lastValueFrom } from 'rxjs';
import type { Engine } from '../../engine/engine.ts';
import type { KeptPrices } from '../../events/run-record.ts';
import { heldSpan } from '../../markets/held-sessions.ts';
import type { Bar } from '../../model/bar.ts';
import type { Period } from '../../model/period.ts';
import type { Quote } from '../../model/quote.ts';
import type { Security } from '../../model/security.ts';
import { marketOf, type SecuritySymbol } from '../../model/symbol.ts';
import type { Millis } from '../../model/time.ts';
import type { TradingSessions } from '../../model/trading-sessions.ts';
import { observed } from '../../ports/observed.ts';
import type { SeriesReading, SignalDrive } from '../../ports/strategy-host.ts';
import { isNearPrice } from '../../reports/drawn-indicators.ts';
import type { PricesRequest } from './control-message.ts';

/** Newest price of each symbol of a running bot, and the newest bars of one of them, as sent over its control socket. */
export interface BotPrices {
  readonly period: Period;
  readonly marks: readonly PriceMark[];
  /** The symbol of the bars; null for a symbol that the bot does not trade. */
  readonly symbol: string | null;
  readonly bars: readonly PriceBar[];
  /** What the strategies computed of that symbol, one value for each of the bars; null while one of them is at work. */
  readonly indicators: readonly PriceIndicator[] | null;
  /** Open of the bar of that symbol that runs, in epoch milliseconds; null between sessions. */
  readonly running: number | null;
  /** The sessions whose bars are built. */
  readonly sessions: TradingSessions;
}

/** The newest price of a symbol, in its own currency; null before the first quote. */
export interface PriceMark {
  readonly symbol: string;
  readonly currency: string;
  readonly price: number | null;
  /** Milliseconds of market time. */
  readonly ageMs: number | null;
}

/** A series of a strategy at each bar, as the strategy saw it. */
export interface PriceIndicator {
  /** Its name; with that of the strategy before it where there are several. */
  readonly name: string;
  /** Over the prices; otherwise it belongs below them. */
  readonly isPrice: boolean;
  /** Null while undefined and during the warm-up but for its last bar, which the strategy can read. */
  readonly values: readonly (number | null)[];
}

/** A closed bar: epoch milliseconds of its open, prices, and shares. */
export type PriceBar = KeptPrices['bars'][number];

/** What prices are read from. */
export interface PriceSources {
  readonly engine: Pick<Engine, 'recentBars'>;
  readonly period: Period;
  readonly sessions: TradingSessions;
  readonly securities: readonly Pick<Security, 'symbol' | 'currency'>[];
  readonly now: () => Millis;
  readonly latest: (symbol: SecuritySymbol) => Quote | undefined;
  readonly strategies: readonly {
    /** Undefined where there is one strategy. */
    readonly name: string | undefined;
    readonly signals: Pick<SignalDrive, 'series'>;
  }[];
}

/**
 * Reads the prices that a bot knows; the bars are those of the wanted symbol, or of its first. Strategies compute their series only
 * where these are wanted, and one that has an event to answer is left alone.
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
    running: of === undefined ? null : (heldSpan(marketOf(of.symbol), period, at, sessions)?.open ?? null),
    bars: recent.map(
      ({ time, open, high, low, close, volume }) => [time, open, high, low, close, volume] as const,
    ),
    indicators: read === null ? null : read.flatMap((each) => indicatorsAt(each, recent)),
  };
}

/** The newest bars of each symbol with the series of its strategies, for the report of a run that has no file of bars. */
export async function keptPrices(sources: PriceSources): Promise<readonly KeptPrices[]> {
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

/** The series of all strategies for a symbol; null if one of them is at work. */
async function readSeries(
  strategies: PriceSources['strategies'],
  symbol: SecuritySymbol,
): Promise<readonly NamedSeries[] | null> {
  const all = await Promise.all(
    strategies.map(async ({ name, signals }) => ({
      name,
      reading:
        signals.series === undefined ? NO_SERIES : await lastValueFrom(observed(signals.series(symbol))),
    })),
  );
  const known = all.flatMap(({ name, reading }) => (reading === undefined ? [] : [{ name, reading }]));
  return known.length < all.length ? null : known;
}

const NO_SERIES: SeriesReading = { kind: 'series', times: [], series: [] };

/** The series at each of the bars; null at a bar that the strategy was not given. */
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
