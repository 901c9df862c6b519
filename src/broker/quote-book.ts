import type { Quote } from '../model/quote.ts';
import type { SecuritySymbol } from '../model/symbol.ts';
import type { PushQuote } from '../wire/gen/quote_pb.ts';
import { mergePushQuote } from '../wire/mapper/quote.ts';

/** The newest quote of every symbol. */
export interface QuoteBook {
  latest(symbol: SecuritySymbol): Quote | undefined;
  /**
   * Folds a push in and returns the quote it made; undefined for corrections, for a first push that lacks figures, and for
   * one that was overtaken by a later one. Throws WireError when it means nothing.
   */
  push(push: PushQuote): Quote | undefined;
  /** Takes a pulled quote, unless a newer one is known. */
  pulled(quote: Quote): void;
  /** A new line counts anew. */
  forgetOrder(): void;
}

/** @see reference: socket protocol, section 7.14; reliability, F-D05 */
export function createQuoteBook(): QuoteBook {
  const newest = new Map<string, Quote>();
  const sequences = new Map<string, bigint>();

  /** Venues that do not number their pushes send 0. */
  function isOvertaken(push: PushQuote): boolean {
    const before = sequences.get(push.symbol);
    if (push.sequence === 0n) return false;
    if (before !== undefined && push.sequence <= before) return true;
    sequences.set(push.symbol, push.sequence);
    return false;
  }

  return {
    latest: (symbol) => newest.get(symbol),
    push(push) {
      if (isOvertaken(push)) return undefined;
      const merged = mergePushQuote(newest.get(push.symbol), push);
      if (merged.kind !== 'quote') return undefined;
      newest.set(merged.quote.symbol, merged.quote);
      return merged.quote;
    },
    pulled(quote) {
      const before = newest.get(quote.symbol);
      if (before === undefined || before.time <= quote.time) newest.set(quote.symbol, quote);
    },
    forgetOrder: () => sequences.clear(),
  };
}
