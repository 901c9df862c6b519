/**
 * Sorts items by score, highest first. Equal scores keep their order; items without a score (NaN) are omitted.
 * `ranking(symbols, (symbol) => value(symbol, 'rise')).slice(0, 3)` are the three that rose most.
 */
export function ranking<T>(items: readonly T[], score: (item: T) => number): readonly T[] {
  return items
    .map((item) => ({ item, score: score(item) }))
    .filter((scored) => !Number.isNaN(scored.score))
    .sort((one, other) => (one.score === other.score ? 0 : other.score - one.score))
    .map((scored) => scored.item);
}
