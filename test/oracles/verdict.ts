/** Result of one oracle: no problem, or the first one as text. */
export interface Verdict {
  readonly id: string;
  readonly problem: string | undefined;
  /** What was not compared, if everything else agrees. */
  readonly remark?: string;
}

/** Judges one oracle; an exception is a problem of that oracle alone. */
export function verdictOn(id: string, judge: () => Omit<Verdict, 'id'>): Verdict {
  try {
    return { id, ...judge() };
  } catch (error) {
    return { id, problem: error instanceof Error ? error.message : String(error) };
  }
}
