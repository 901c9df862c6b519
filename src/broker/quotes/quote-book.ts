import type { Price } from '../../model/decimal.ts';
import type { Quote } from '../../model/quote.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import { mergePushQuote } from '../../wire/mapper/quote.ts';
import { readEpoch } from '../../wire/mapper/values.ts';
import type { PushedQuote } from '../../wire/message.ts';

/** The newest quote of every symbol. */
export interface QuoteBook {
  latest(symbol: SecuritySymbol): Quote | undefined;
  /**
   * Applies a push and returns the resulting quote; undefined for corrections, for a first push that lacks figures,
   * and for one that a later one superseded. Throws WireError if it is invalid.
   */
  push(push: PushedQuote): Quote | undefined;
  /** Applies a pulled quote, unless a newer one is known. */
  applyPull(quote: Quote): void;
  /** A new connection restarts the sequence numbers. */
  resetSequences(): void;
}

/**
 * Calls `onPrice` with every update that states a price; not for a push without a price, which leaves the old one
 * valid, and not for a pull of a known price. @see docs/wire-protocol.md, "The sockets"; docs/reliability.md, F-D05
 */
export function createQuoteBook(onPrice: (symbol: SecuritySymbol, price: Price) => void): QuoteBook {
  const newest = new Map<string, Quote>();
  const sequences = new Map<string, bigint>();

  /**
   * Venues that do not number their pushes send 0. A lower number with a later time means that the venue restarted
   * its numbers.
   */
  function isSuperseded(push: PushedQuote): boolean {
    const before = sequences.get(push.symbol);
    if (push.sequence === 0n) return false;
    if (before !== undefined && push.sequence <= before && !isLater(push)) return true;
    sequences.set(push.symbol, push.sequence);
    return false;
  }

  function isLater({ symbol, timestamp }: PushedQuote): boolean {
    const known = newest.get(symbol);
    return known !== undefined && readEpoch(timestamp) > known.time;
  }

  return {
    latest: (symbol) => newest.get(symbol),
    push(push) {
      if (isSuperseded(push)) return undefined;
      const merged = mergePushQuote(newest.get(push.symbol), push);
      if (merged.kind !== 'quote') return undefined;
      newest.set(merged.quote.symbol, merged.quote);
      if (merged.isPriced) onPrice(merged.quote.symbol, merged.quote.last);
      return merged.quote;
    },
    applyPull(quote) {
      const before = newest.get(quote.symbol);
      if (before !== undefined && before.time > quote.time) return;
      newest.set(quote.symbol, quote);
      if (before === undefined || before.time < quote.time || !before.last.eq(quote.last))
        onPrice(quote.symbol, quote.last);
    },
    resetSequences: () => sequences.clear(),
  };
}
