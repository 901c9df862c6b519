/** What came of one oracle: no problem, or the first one in words. */
export interface Verdict {
  readonly id: string;
  readonly problem: string | undefined;
}

/** Judges one oracle; what it throws is a problem of that oracle alone. */
export function verdictOn(id: string, firstProblem: () => string | undefined): Verdict {
  try {
    return { id, problem: firstProblem() };
  } catch (error) {
    return { id, problem: error instanceof Error ? error.message : String(error) };
  }
}
