import type { SecuritySymbol } from '../../model/symbol.ts';
import { MAX_SYMBOLS } from '../../wire/socket-status.ts';

/** Splits distinct symbols into lists that fit into one request each. */
export function chunked(symbols: readonly SecuritySymbol[]): readonly (readonly SecuritySymbol[])[] {
  const unique = [...new Set(symbols)];
  const count = Math.ceil(unique.length / MAX_SYMBOLS);
  return Array.from({ length: count }, (_, index) =>
    unique.slice(index * MAX_SYMBOLS, (index + 1) * MAX_SYMBOLS),
  );
}
