import { basename, extname, join } from 'node:path';
import { crossValidated, type ValidatedTrial } from '../../research/cross-validation.ts';
import {
  type CrossValidationReport,
  crossValidationJson,
  crossValidationPage,
} from '../../research/cross-validation-report.ts';
import { type Expression, readExpression } from '../../research/expression.ts';
import { assertGroups } from '../../research/purged-splits.ts';
import { ResearchError } from '../../research/research-error.ts';
import { RETURN_FIGURES } from '../../research/return-figures.ts';
import { WORK_DIR } from '../storage/open-store.ts';
import { dailyConfig } from './daily-config.ts';
import { runSweep, type SweepEnd, type SweepHooks, type SweepOptions } from './sweep.ts';
import { type ResultFiles, writeResult } from './sweep-folder.ts';
import { objectiveFile } from './user-objective.ts';

/** Options of a cross-validation: those of the sweep, and the splits. */
export interface CrossValidateOptions extends SweepOptions {
  /** Groups of consecutive days; 8 by default. */
  readonly groups?: number;
  /** Groups that each split tests; 2 by default. */
  readonly test?: number;
  /** Trading days on both sides of a test period that are excluded from training; 10 by default. */
  readonly purge?: number;
  /** Further trading days after it that are excluded; 5 by default. */
  readonly embargo?: number;
}

/** Result of a cross-validation. If it is stopped, its trials are kept for the next start. */
export type CrossValidateEnd =
  | {
      readonly kind: 'finished';
      readonly report: CrossValidationReport;
      readonly files: ResultFiles;
    }
  | { readonly kind: 'stopped'; readonly done: number; readonly total: number };

const [GROUPS, TEST, PURGE, EMBARGO] = [8, 2, 10, 5];

/**
 * Backtests every trial over the whole period, then chooses the best on the training days of each split and evaluates
 * it on the test days. Throws the errors of a sweep, and ResearchError for splits that do not fit and objectives that
 * cannot be computed from daily returns.
 */
export async function runCrossValidate(
  path: string,
  project: string,
  options: CrossValidateOptions = {},
  hooks: SweepHooks = {},
): Promise<CrossValidateEnd> {
  const { groups = GROUPS, test = TEST, purge = PURGE, embargo = EMBARGO, ...sweep } = options;
  assertGroups({ groups, test });
  const config = await dailyConfig(path, project, sweep, 'cross-validate');
  const objective = await dailyObjective(sweep.objective ?? config.sweep?.objective ?? 'sharpe', project);
  const end = await runSweep(path, project, { ...sweep, keepDays: true }, hooks);
  if (end.kind === 'stopped') return end;
  const trials = sameDays(end);
  const days = trials[0]?.returns.length ?? 0;
  const { findings, overfitting: _, ...description } = end.report;
  const total = findings.trials.length + findings.failed.length;
  const validation = await crossValidated(
    { days, groups, test, purge, embargo },
    trials,
    objective,
    async () => {
      // Let signals be handled.
      await new Promise((resolve) => setImmediate(resolve));
      return hooks.interrupted?.aborted !== true;
    },
  );
  if (validation === undefined) return { kind: 'stopped', done: total, total };
  const counts = Map.groupBy(
    validation.splits.flatMap(({ trial }) => (trial === null ? [] : [trial])),
    (trial) => trial,
  );
  const params = new Map(Array.from(findings.trials, (each) => [each.trial, each.params]));
  const report: CrossValidationReport = {
    ...description,
    ...validation,
    trials: total,
    failed: total - trials.length,
    chosen: [...counts]
      .map(([trial, splits]) => ({ trial, params: params.get(trial) ?? {}, splits: splits.length }))
      .toSorted((one, other) => other.splits - one.splits || one.trial - other.trial),
  };
  const name = `${basename(path, extname(path))}-${groups}-${test}`;
  const folder = join(project, WORK_DIR, 'cross-validation', name);
  const files = writeResult(folder, project, {
    json: [crossValidationJson(report)],
    page: crossValidationPage(report),
  });
  return { kind: 'finished', report, files };
}

/**
 * Reads the objective. Splits are ranked in this process; a plugin runs only in the process of a trial, on all days.
 */
async function dailyObjective(text: string, project: string): Promise<Expression> {
  const file = await objectiveFile(text, project);
  if (file === undefined) return readExpression(text, RETURN_FIGURES, 'the objective of a cross-validation');
  throw new ResearchError(
    `Cannot cross-validate by the objective plugin "${text}": training days are ranked by a figure of daily returns (${RETURN_FIGURES.join(', ')}) or an expression over them; choose one with "--objective", or use "sluice walk-forward", which takes objective plugins`,
  );
}

/** Returns the trials with daily returns over the same number of days as most trials. */
function sameDays({ report, returnsOf }: Extract<SweepEnd, { kind: 'finished' }>): readonly ValidatedTrial[] {
  const all: ValidatedTrial[] = [];
  for (const { trial } of report.findings.trials) {
    const returns = returnsOf(trial);
    if (returns !== undefined) all.push({ trial, returns });
  }
  const groups = [...Map.groupBy(all, ({ returns }) => returns.length).values()];
  const [most] = groups.toSorted((one, other) => other.length - one.length);
  if (most === undefined) throw new ResearchError('Cannot cross-validate: no trial has daily returns');
  return most;
}
