import type { SecuritySymbol } from '../../model/symbol.ts';

/** Both sides of a book, best first. */
export interface BookSides<Level> {
  readonly bids: readonly Level[];
  readonly asks: readonly Level[];
}

/** Complete books of symbols, updated by pushes that contain only changed levels. */
export interface PushedBook<Level> {
  /** The book after a push; undefined if a later push was received before. */
  push(symbol: SecuritySymbol, sequence: bigint, changed: BookSides<Level>): BookSides<Level> | undefined;
  /** The current book; undefined before the first push. */
  of(symbol: SecuritySymbol): BookSides<Level> | undefined;
  /** Drops the books of some symbols, or all: a broken connection has no current prices. */
  remove(symbols?: readonly SecuritySymbol[]): void;
}

/** @see docs/wire-protocol.md, "The sockets"; docs/reliability.md, F-D04 */
export function createPushedBook<Level extends { readonly level: number }>(): PushedBook<Level> {
  const books = new Map<SecuritySymbol, BookSides<Level> & { readonly sequence: bigint }>();
  return {
    push(symbol, sequence, changed) {
      const before = books.get(symbol);
      if (sequence !== 0n && before !== undefined && sequence <= before.sequence) return undefined;
      const bids = merged(before?.bids ?? [], changed.bids);
      const asks = merged(before?.asks ?? [], changed.asks);
      books.set(symbol, { bids, asks, sequence });
      return { bids, asks };
    },
    of(symbol) {
      const book = books.get(symbol);
      return book === undefined ? undefined : { bids: book.bids, asks: book.asks };
    },
    remove(symbols) {
      if (symbols === undefined) books.clear();
      else for (const symbol of symbols) books.delete(symbol);
    },
  };
}

function merged<Level extends { readonly level: number }>(
  before: readonly Level[],
  changed: readonly Level[],
): readonly Level[] {
  const levels = new Map([...before, ...changed].map((each) => [each.level, each]));
  return [...levels.values()].toSorted((one, other) => one.level - other.level);
}
