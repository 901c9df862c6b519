import type { SecuritySymbol } from '../../model/symbol.ts';

/** The symbols with a listener. */
export interface Subscriptions {
  /** Adds a listener; returns the symbols that had none so far. */
  add(symbols: readonly SecuritySymbol[]): readonly SecuritySymbol[];
  /** Removes a listener; returns the symbols that have none left. */
  remove(symbols: readonly SecuritySymbol[]): readonly SecuritySymbol[];
  all(): readonly SecuritySymbol[];
}

/** Counts listeners per symbol, because the venue counts a subscription once however often it is requested. */
export function createSubscriptions(): Subscriptions {
  const listeners = new Map<SecuritySymbol, number>();
  return {
    add(symbols) {
      const fresh = symbols.filter((symbol) => !listeners.has(symbol));
      for (const symbol of symbols) listeners.set(symbol, (listeners.get(symbol) ?? 0) + 1);
      return fresh;
    },
    remove(symbols) {
      for (const symbol of symbols) {
        const left = (listeners.get(symbol) ?? 1) - 1;
        if (left > 0) listeners.set(symbol, left);
        else listeners.delete(symbol);
      }
      return symbols.filter((symbol) => !listeners.has(symbol));
    },
    all: () => [...listeners.keys()],
  };
}
