import type { ConfigProblem } from './config-problem.ts';

/** Most problems that one error prints; the count of the others follows. */
export const PROBLEMS_SHOWN = 50;

/**
 * Tells everything that is wrong with a config, in the order of the file. `problems` has every mistake as data;
 * the text has each as a sentence with file, line, column and path.
 */
export class ConfigError extends Error {
  readonly code = 'config';
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[], options?: { readonly cause?: unknown }) {
    super(problemsText(problems), options);
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

/** One problem as two lines: the sentence, and where. */
export function problemText(problem: ConfigProblem): string {
  const path = problem.path === '' ? '' : ` (${problem.path})`;
  return `${problem.message}\n  at ${problem.file}:${problem.line}:${problem.column}${path}`;
}

/** A list of problems as text, at most `PROBLEMS_SHOWN` of them. */
export function problemsText(problems: readonly ConfigProblem[]): string {
  const texts = problems.slice(0, PROBLEMS_SHOWN).map(problemText);
  const more = problems.length - texts.length;
  return (more > 0 ? [...texts, `and ${more} more problems`] : texts).join('\n');
}
