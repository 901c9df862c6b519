import { runBacktest } from '../backtest/run-backtest.ts';
import { omitUndefined } from '../model/omit-undefined.ts';
import type { CrossValidationReport } from '../research/cross-validation-report.ts';
import type { Luck } from '../research/luck.ts';
import type { MonteCarloReport } from '../research/monte-carlo-report.ts';
import { ResearchError } from '../research/research-error.ts';
import type { SweepReport } from '../research/sweep-report.ts';
import type { WalkForwardReport } from '../research/walk-forward-report.ts';
import { loadRun } from './load/load-run.ts';
import { type CrossValidateOptions, runCrossValidate } from './research/cross-validate.ts';
import { type MonteCarloHooks, type MonteCarloOptions, runMonteCarlo } from './research/monte-carlo.ts';
import { runSweep, type SweepHooks, type SweepOptions } from './research/sweep.ts';
import { trialFacts } from './research/trial-facts.ts';
import { countTrial, ledgerLuck } from './research/trial-ledger.ts';
import { runWalkForward, type WalkForwardHooks, type WalkForwardOptions } from './research/walk-forward.ts';
import { namedRun, reportedPage } from './storage/run-page.ts';

export type { CrossValidationReport } from '../research/cross-validation-report.ts';
export type { Luck } from '../research/luck.ts';
export type { MonteCarloReport } from '../research/monte-carlo-report.ts';
export type { PredictiveAbility as SuperiorAbility } from '../research/reality-check.ts';
export { ResearchError } from '../research/research-error.ts';
export type { SweepReport } from '../research/sweep-report.ts';
export type { BestTrial, FailedTrial, ScoredTrial, SweepFindings } from '../research/sweep-result.ts';
export type { TrialFigures } from '../research/trial.ts';
export type { TrialList } from '../research/trial-columns.ts';
export type { WalkForwardReport } from '../research/walk-forward-report.ts';
export type { SweepOptions, SweepProgress } from './research/sweep.ts';

/** Options of a sweep from a script. */
export interface SweepCall extends SweepOptions, SweepHooks {
  /** Folder of the project with strategies and data; default: the current folder. */
  readonly project?: string;
}

/**
 * Runs a strategy YAML with many parameters and compares the trials, as `sluice sweep` does: `await
 * sweep('config/my-bot.yaml', { axes: { fast: '5..50:5' } })`. The same call continues an earlier one. Throws
 * ConfigError, DataError, and ResearchError for inconsistent options, and if the signal stopped it.
 */
export async function sweep(path: string, call: SweepCall = {}): Promise<SweepReport> {
  const end = await runSweep(path, call.project ?? process.cwd(), call, call);
  if (end.kind === 'finished') return end.report;
  throw new ResearchError(
    `The sweep was stopped after ${end.done} of ${end.total} trials; the same call continues from there`,
  );
}

/** Options of a walk-forward from a script. */
export interface WalkForwardCall extends WalkForwardOptions, WalkForwardHooks {
  /** Folder of the project; default: the current folder. */
  readonly project?: string;
}

/**
 * Chooses parameters on a range of days and tests them on the next, to the end of the data, as `sluice walk-forward`
 * does. The same call continues an earlier one. Throws what `sweep` throws, and ResearchError for impossible windows.
 */
export async function walkForward(path: string, call: WalkForwardCall): Promise<WalkForwardReport> {
  const { project = process.cwd(), onProgress, interrupted, ...options } = call;
  const end = await runWalkForward(path, project, options, omitUndefined({ onProgress, interrupted }));
  if (end.kind === 'finished') return end.report;
  throw new ResearchError(
    `The walk forward was stopped after ${end.windows} of ${end.total} windows; the same call continues from there`,
  );
}

/** Options of a cross-validation from a script. */
export interface CrossValidateCall extends CrossValidateOptions, SweepHooks {
  /** Folder of the project; default: the current folder. */
  readonly project?: string;
}

/**
 * Chooses parameters on some groups of days and tests them on the others, in all combinations, as `sluice
 * cross-validate` does. Throws what `sweep` throws, and ResearchError for impossible splits.
 */
export async function crossValidate(
  path: string,
  call: CrossValidateCall = {},
): Promise<CrossValidationReport> {
  const { project = process.cwd(), onProgress, interrupted, ...options } = call;
  const end = await runCrossValidate(path, project, options, omitUndefined({ onProgress, interrupted }));
  if (end.kind === 'finished') return end.report;
  throw new ResearchError(
    `The cross-validation was stopped after ${end.done} of ${end.total} trials; the same call continues from there`,
  );
}

/** Options of a Monte Carlo simulation from a script. */
export interface MonteCarloCall extends MonteCarloOptions, MonteCarloHooks {
  /** Folder of the project; default: the current folder. */
  readonly project?: string;
}

/**
 * Resamples a run, as `sluice monte-carlo` does: `run` is a strategy YAML, which is backtested in this process, or
 * the folder of a saved run. Throws ConfigError, DataError and StrategyError of the backtest, and ResearchError for
 * an unsuitable run or options.
 */
export async function monteCarlo(run: string, call: MonteCarloCall = {}): Promise<MonteCarloReport> {
  const project = call.project ?? process.cwd();
  const page = await namedRun(run, project, async (path) => {
    const loaded = await loadRun(path, project);
    const record = runBacktest(loaded.setup);
    const uncounted = countTrial(project, trialFacts(loaded, record));
    if (uncounted !== undefined) process.emitWarning(uncounted);
    return reportedPage(loaded, record);
  });
  return (await runMonteCarlo(page, project, call, call)).report;
}

/**
 * The luck of the best trial for each code and data, as `sluice luck` computes it; for one strategy if it is named.
 */
export function luck({
  project = process.cwd(),
  strategy,
}: {
  readonly project?: string;
  readonly strategy?: string;
} = {}): readonly Luck[] {
  return ledgerLuck(project, strategy);
}
