/**
 * Returns the candidate that `name` most likely means: with the fewest single-character edits, ignoring case, otherwise
 * the shortest that contains all characters of `name` in order (`maxNotional` in `maxOrderNotional`). Undefined if none
 * is near enough.
 */
export function nearestName(name: string, candidates: readonly string[]): string | undefined {
  const wanted = name.toUpperCase();
  let best: string | undefined;
  let bestEdits = Math.max(2, Math.ceil(name.length / 3)) + 1;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - name.length) >= bestEdits) continue;
    const edits = editDistance(wanted, candidate.toUpperCase());
    if (edits < bestEdits) [best, bestEdits] = [candidate, edits];
  }
  return best ?? shortest(candidates.filter((candidate) => holds(candidate.toUpperCase(), wanted)));
}

/**
 * Returns the insertions, deletions, replacements and swaps of neighbours between two texts (optimal string alignment).
 */
export function editDistance(from: string, to: string): number {
  let beforePrevious: readonly number[] = [];
  let previous: readonly number[] = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const replaced = at(previous, column - 1) + (from[row - 1] === to[column - 1] ? 0 : 1);
      const removed = at(previous, column) + 1;
      const inserted = at(current, column - 1) + 1;
      const swaps = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      const swapped = swaps ? at(beforePrevious, column - 2) + 1 : Number.POSITIVE_INFINITY;
      current.push(Math.min(replaced, removed, inserted, swapped));
    }
    [beforePrevious, previous] = [previous, current];
  }
  return at(previous, to.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}

const LEAST_CHARS = 4;

function holds(candidate: string, name: string): boolean {
  if (name.length < LEAST_CHARS) return false;
  let found = 0;
  for (const char of candidate) if (char === name[found]) found++;
  return found === name.length;
}

function shortest(names: readonly string[]): string | undefined {
  return names.reduce<string | undefined>(
    (best, name) => (best === undefined || name.length < best.length ? name : best),
    undefined,
  );
}
