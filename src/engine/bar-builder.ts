import { doubleOfDecimal } from '../model/amount.ts';
import type { Bar } from '../model/bar.ts';
import type { Period } from '../model/period.ts';
import type { Quote } from '../model/quote.ts';
import type { SecuritySymbol } from '../model/symbol.ts';
import type { Millis } from '../model/time.ts';

/**
 * Builds bars from quotes. A bar stays open until it is closed by time, even if a quote of the next one arrives
 * first.
 */
export interface BarBuilder {
  /** Adds a quote to the bar of its timestamp; ignores a quote outside of any bar, or of a closed one. */
  add(quote: Quote, period: Period): void;
  /**
   * Removes and returns every bar that closes at or before this time, in the order of symbols; none of them is opened
   * again.
   */
  close(at: Millis): readonly Bar[];
}

/** Returns the bar of a symbol that contains a time; undefined while its market is closed. */
export type SpanOf = (
  symbol: SecuritySymbol,
  at: Millis,
) => { readonly open: Millis; readonly close: Millis } | undefined;

/** Ignores bars that opened before `start`, because their beginning was not seen. */
export function createBarBuilder(
  symbols: readonly SecuritySymbol[],
  spanOf: SpanOf,
  start: Millis,
): BarBuilder {
  const open = new Map(symbols.map((symbol) => [symbol, new Map<Millis, OpenBar>()]));
  let closedThrough = start;

  return {
    add(quote, period) {
      const { symbol, time } = quote;
      const span = spanOf(symbol, time);
      if (span === undefined || span.open < start || span.close <= closedThrough) return;
      const building = open.get(symbol)?.get(span.open)?.bar;
      const price = doubleOfDecimal(quote.last);
      const volume = doubleOfDecimal(quote.volume);
      const bar =
        building === undefined
          ? { symbol, period, time: span.open, open: price, high: price, low: price, close: price, volume }
          : grow(building, price, volume);
      open.get(symbol)?.set(span.open, { bar, closesAt: span.close });
    },
    close(at) {
      closedThrough = at;
      return symbols.flatMap((symbol) => {
        const ofSymbol = open.get(symbol) ?? new Map<Millis, OpenBar>();
        const closed = [...ofSymbol.values()].filter((building) => building.closesAt <= at);
        for (const { bar } of closed) ofSymbol.delete(bar.time);
        return closed.map(({ bar }) => bar).sort((a, b) => a.time - b.time);
      });
    },
  };
}

interface OpenBar {
  readonly bar: Bar;
  readonly closesAt: Millis;
}

function grow(bar: Bar, price: number, volume: number): Bar {
  return {
    ...bar,
    high: Math.max(bar.high, price),
    low: Math.min(bar.low, price),
    close: price,
    volume: bar.volume + volume,
  };
}
