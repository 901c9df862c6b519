/** Something that plain numbers do not carry: the run continues in the full engine. Not an error. */
export class BailOut extends Error {
  override readonly name = 'BailOut';
}

/** Leaves the plain numbers, with the reason. */
export function bailOut(why: string): never {
  throw new BailOut(why);
}

/** Float64 arithmetic is off by less than this share of a figure after the few steps that any of ours takes. */
export const SLACK = 1e-13;

/** Whether `figure` is at most `limit` for certain. */
export function isAtMost(figure: number, limit: number): boolean {
  return figure <= limit - Math.abs(limit) * SLACK;
}

/** Continues when a count is at most `most`. */
export function demandCount(count: number, most: number, what: string): void {
  if (!(count <= most)) bailOut(`${what}: ${count}, limit ${most}`);
}
