import { doubleOfDecimal } from '../model/amount.ts';
import type { Bar } from '../model/bar.ts';
import type { Period } from '../model/period.ts';
import type { Quote } from '../model/quote.ts';
import type { SecuritySymbol } from '../model/symbol.ts';
import type { Millis } from '../model/time.ts';

/** Builds bars from quotes; a bar stays open until it is closed by time, also when a quote of the next one came first. */
export interface BarBuilder {
  /** Folds a quote into the bar that its stamp belongs to; a quote of no bar, or of one that has closed, is left out. */
  add(quote: Quote, period: Period): void;
  /** Takes out every bar that closes at or before this instant, in the order of symbols; nothing opens one of them again. */
  close(at: Millis): readonly Bar[];
}

/** Which bar of a symbol an instant of trading belongs to; undefined while its market is closed. */
export type SpanOf = (
  symbol: SecuritySymbol,
  at: Millis,
) => { readonly open: Millis; readonly close: Millis } | undefined;

/** Knows no bar that opened before `start`: of one that runs then, the beginning was not seen. */
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
