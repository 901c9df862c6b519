import { ResearchError } from '../research/research-error.ts';
import type { SweepReport } from '../research/sweep-report.ts';
import { runSweep, type SweepHooks, type SweepOptions } from './research/sweep.ts';

export { ResearchError } from '../research/research-error.ts';
export type { SweepReport } from '../research/sweep-report.ts';
export type { BestTrial, FailedTrial, ScoredTrial, SweepFindings } from '../research/sweep-result.ts';
export type { TrialFigures } from '../research/trial.ts';
export type { SweepOptions, SweepProgress } from './research/sweep.ts';

/** Options of a sweep that a script starts. */
export interface SweepCall extends SweepOptions, SweepHooks {
  /** Folder of the project, in which strategies and data are looked for; the current folder when absent. */
  readonly project?: string;
}

/**
 * Runs a strategy YAML with many parameters and compares the trials, as `sluice sweep` does:
 * `await sweep('config/my-bot.yaml', { axes: { fast: '5..50:5' } })`. The same call takes up what an earlier one left. Throws ConfigError,
 * DataError, and ResearchError for what does not fit, and where the signal stopped it.
 */
export async function sweep(path: string, call: SweepCall = {}): Promise<SweepReport> {
  const end = await runSweep(path, call.project ?? process.cwd(), call, call);
  if (end.kind === 'finished') return end.report;
  throw new ResearchError(
    `The sweep was stopped after ${end.done} of ${end.total} trials; the same call continues from there`,
  );
}
