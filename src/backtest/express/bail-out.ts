/** A case that the express engine does not support: the run continues in the full engine. Not an error. */
export class BailOut extends Error {
  override readonly name = 'BailOut';
}

/** Bails out with a reason. */
export function bailOut(why: string): never {
  throw new BailOut(why);
}

/** Relative error bound of our float64 computations, which take few steps. */
export const SLACK = 1e-13;

/** Returns whether `figure` is certainly at most `limit`. */
export function isAtMost(figure: number, limit: number): boolean {
  return figure <= limit - Math.abs(limit) * SLACK;
}

/** Bails out if a count exceeds `max`. */
export function bailOutAbove(count: number, max: number, what: string): void {
  if (!(count <= max)) bailOut(`${what}: ${count}, limit ${max}`);
}
