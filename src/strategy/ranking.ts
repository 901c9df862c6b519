/**
 * Items by their score, the highest first; those that score alike keep their order, those without a score (NaN) are left out.
 *
 * `ranking(symbols, (symbol) => value(symbol, 'rise')).slice(0, 3)` are the three that rose most.
 */
export function ranking<T>(items: readonly T[], score: (item: T) => number): readonly T[] {
  return items
    .map((item) => ({ item, score: score(item) }))
    .filter((scored) => !Number.isNaN(scored.score))
    .sort((one, other) => (one.score === other.score ? 0 : other.score - one.score))
    .map((scored) => scored.item);
}
