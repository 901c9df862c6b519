import { findPluginFile, namesOfKind } from '../../config/plugins/plugin-files.ts';
import { readPluginFacts, usualRoots } from '../../config/plugins/plugin-loader.ts';
import { authorCall, authorLoad } from '../../hosts/sandbox/author-calls.ts';
import type { ObjectivePlugin, ObjectiveQuestion } from '../../plugins/define-objective.ts';
import { ResearchError } from '../../research/research-error.ts';
import { FIGURES } from '../../research/trial.ts';
import { userStackFrame } from '../../strategy/user-stack-frame.ts';
import { isolated } from '../load/read-isolated.ts';
import { pluginOf } from '../plugins/plugin-source.ts';

/** Time of an objective's calls, which have no market time. */
const NO_CLOCK = 0;

/**
 * Returns the file of an objective given by name (`calm-growth` for `objectives/calm-growth.ts`) or path; undefined
 * if the text is an expression. Throws ResearchError for a missing file, or one without an objective.
 */
export async function objectiveFile(text: string, project: string): Promise<string | undefined> {
  if (FIGURES.some((figure) => figure === text)) return undefined;
  const roots = usualRoots(project);
  const found = findPluginFile('objective', text, roots);
  if (found.kind === 'problem') {
    if (!/^\.{1,2}\/|^(?:@[^/]+\/)?sluice-plugin-/.test(text)) return undefined;
    throw new ResearchError(`Cannot read the objective: ${found.message}`);
  }
  const read = await readPluginFacts(isolated, 'objective', text, roots);
  if (read.kind === 'problem') throw new ResearchError(`Cannot read the objective: ${read.message}`);
  return found.file;
}

/** Finds the file of an objective while the sandbox may still read files, and returns a function that imports it. */
export function objectiveIn(name: string, project: string): () => Promise<ObjectivePlugin> {
  const roots = usualRoots(project);
  findPluginFile('objective', name, roots);
  namesOfKind('objective', roots);
  return () => authorLoad(name, () => pluginOf('objective', name, roots));
}

/**
 * Returns an objective's score of a trial. Throws ResearchError if the objective throws, or returns neither a number
 * nor null.
 */
export function objectiveScore(objective: ObjectivePlugin, question: ObjectiveQuestion): number | null {
  const { name } = objective;
  let answer: unknown;
  try {
    answer = authorCall(name, 'score', NO_CLOCK, () => objective.score(question));
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new ResearchError(`Objective "${name}" threw in score: ${message}${userStackFrame(cause)}`, {
      cause,
    });
  }
  if (answer === null || (typeof answer === 'number' && Number.isFinite(answer))) return answer;
  const seen = typeof answer === 'number' || answer === undefined ? String(answer) : `a ${typeof answer}`;
  throw new ResearchError(
    `Objective "${name}" answered ${seen} in score, want a finite number, or null for a trial without a rank`,
  );
}
