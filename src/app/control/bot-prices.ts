import type { Engine } from '../../engine/engine.ts';
import { heldSpan } from '../../markets/held-sessions.ts';
import type { Period } from '../../model/period.ts';
import type { Quote } from '../../model/quote.ts';
import type { Security } from '../../model/security.ts';
import { marketOf, type SecuritySymbol } from '../../model/symbol.ts';
import type { Millis } from '../../model/time.ts';
import type { TradingSessions } from '../../model/trading-sessions.ts';

/** Newest price of each symbol of a running bot, and the newest bars of one of them, as sent over its control socket. */
export interface BotPrices {
  readonly period: Period;
  readonly marks: readonly PriceMark[];
  /** The symbol of the bars; null for a symbol that the bot does not trade. */
  readonly symbol: string | null;
  readonly bars: readonly PriceBar[];
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

/** A closed bar, its time in epoch milliseconds of its open. */
export type PriceBar = readonly [time: number, open: number, high: number, low: number, close: number];

/** What prices are read from. */
export interface PriceSources {
  readonly engine: Pick<Engine, 'recentBars'>;
  readonly period: Period;
  readonly sessions: TradingSessions;
  readonly securities: readonly Pick<Security, 'symbol' | 'currency'>[];
  readonly now: () => Millis;
  readonly latest: (symbol: SecuritySymbol) => Quote | undefined;
}

/** Reads the prices that a bot knows; the bars are those of `wanted`, or of its first symbol. */
export function botPrices(
  { engine, period, sessions, securities, now, latest }: PriceSources,
  wanted: string | undefined,
): BotPrices {
  const of = wanted === undefined ? securities[0] : securities.find(({ symbol }) => symbol === wanted);
  const at = now();
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
    bars:
      of === undefined
        ? []
        : engine
            .recentBars(of.symbol)
            .map(({ time, open, high, low, close }) => [time, open, high, low, close] as const),
  };
}
