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
  /** Open bars of each symbol: one, or two around a close. */
  const open = new Map(symbols.map((symbol): [SecuritySymbol, OpenBar[]] => [symbol, []]));
  let closedThrough = start;

  return {
    add({ symbol, time, last, volume }, period) {
      const span = spanOf(symbol, time);
      if (span === undefined || span.open < start || span.close <= closedThrough) return;
      const price = doubleOfDecimal(last);
      const bars = open.get(symbol) ?? [];
      let bar = bars.find((each) => each.bar.time === span.open)?.bar;
      if (bar === undefined) {
        bar = {
          symbol,
          period,
          time: span.open,
          open: price,
          high: price,
          low: price,
          close: price,
          volume: 0,
        };
        bars.push({ bar, closesAt: span.close });
      }
      bar.high = Math.max(bar.high, price);
      bar.low = Math.min(bar.low, price);
      bar.close = price;
      bar.volume += doubleOfDecimal(volume);
    },
    close(at) {
      closedThrough = at;
      return symbols.flatMap((symbol) => {
        const bars = open.get(symbol) ?? [];
        const closed = bars.filter(({ closesAt }) => closesAt <= at);
        open.set(
          symbol,
          bars.filter(({ closesAt }) => closesAt > at),
        );
        return closed.map(({ bar }) => bar).sort((a, b) => a.time - b.time);
      });
    },
  };
}

interface OpenBar {
  readonly bar: { -readonly [Figure in keyof Bar]: Bar[Figure] };
  readonly closesAt: Millis;
}
