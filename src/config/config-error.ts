import type { ConfigProblem } from './config-problem.ts';

/** Maximum number of problems that one error prints, followed by the number of others. */
export const PROBLEMS_SHOWN = 50;

/**
 * Reports everything that is wrong with a config, in the order of the file. `problems` has every mistake as data; the
 * text has each as a sentence with file, line, column and path.
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

/** Formats one problem in two lines: the sentence and its place. */
export function problemText(problem: ConfigProblem): string {
  const path = problem.path === '' ? '' : ` (${problem.path})`;
  return `${problem.message}\n  at ${problem.file}:${problem.line}:${problem.column}${path}`;
}

/** Formats a list of problems, at most `PROBLEMS_SHOWN` of them. */
export function problemsText(problems: readonly ConfigProblem[]): string {
  const texts = problems.slice(0, PROBLEMS_SHOWN).map(problemText);
  const more = problems.length - texts.length;
  return (more > 0 ? [...texts, `and ${more} more problems`] : texts).join('\n');
}
