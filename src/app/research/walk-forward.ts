import { basename, extname, join } from 'node:path';
import { omitUndefined } from '../../model/omit-undefined.ts';
import { ResearchError } from '../../research/research-error.ts';
import { figuresOfReturns, joinedReturns } from '../../research/return-figures.ts';
import { probabilisticSharpe } from '../../research/sharpe-statistics.ts';
import { momentsOf } from '../../research/trial.ts';
import {
  type CalendarSpan,
  readSpan,
  SPAN_WANTED,
  spanName,
  type WalkWindow,
  walkWindows,
} from '../../research/walk-forward.ts';
import {
  efficiencyOf,
  type WalkForwardReport,
  type WalkStep,
  walkForwardJson,
  walkForwardPage,
} from '../../research/walk-forward-report.ts';
import { hasBars } from '../load/assert-bars.ts';
import { loadPaperRun } from '../load/load-run.ts';
import { WORK_DIR } from '../storage/open-store.ts';
import { dailyConfig } from './daily-config.ts';
import { runSweep, type SweepEnd, type SweepHooks, type SweepOptions } from './sweep.ts';
import { type ResultFiles, writeResult } from './sweep-folder.ts';

/** Options of a walk-forward: those of each sweep, and the windows. */
export interface WalkForwardOptions extends SweepOptions {
  /** Length of training, such as `2y`, and of the test that follows it, such as `6m`. */
  readonly train: string;
  readonly test: string;
  /** Starts the training of each window on the first day. */
  readonly anchored?: boolean;
}

/** Progress of a walk-forward. */
export interface WalkForwardProgress {
  /** From 0 to 1. */
  readonly share: number;
  /** The window in progress, counted from 1. */
  readonly window: number;
  readonly windows: number;
}

export interface WalkForwardHooks {
  readonly onProgress?: (progress: WalkForwardProgress) => void;
  readonly interrupted?: AbortSignal;
}

/** Result of a walk-forward. If it is stopped, finished work is kept for the next start. */
export type WalkForwardEnd =
  | {
      readonly kind: 'finished';
      readonly report: WalkForwardReport;
      readonly files: ResultFiles;
    }
  | { readonly kind: 'stopped'; readonly windows: number; readonly total: number };

/** The sweep's share of the work in a window; the rest is the test. */
const SWEEP_SHARE = 0.95;

/**
 * Chooses parameters by a sweep on each training window, and backtests them on the days that follow. Each window has
 * its own sweep, whose trials are stored on disk and counted in the ledger. Windows without bars are left out. Throws
 * the errors of a sweep, and ResearchError for windows that do not fit.
 */
export async function runWalkForward(
  path: string,
  project: string,
  options: WalkForwardOptions,
  hooks: WalkForwardHooks = {},
): Promise<WalkForwardEnd> {
  const { train: trainText, test: testText, anchored = false, ...sweep } = options;
  const [train, test] = [spanOf('--train', trainText), spanOf('--test', testText)];
  const { data } = await dailyConfig(path, project, sweep, 'walk forward on');
  const days = { from: data.from, to: data.to };
  const { history } = (await loadPaperRun(path, project, (config) => ({ ...config, data }))).setup;
  const [windows, leftOut] = partition(walkWindows(days, { train, test, anchored }), (window) =>
    [window.train, window.test].every((part) => hasBars({ history, ...part })),
  );
  const steps: WalkStep[] = [];
  const returns: Float64Array[] = [];
  let first: Finished | undefined;
  for (const [at, window] of windows.entries()) {
    const reportProgress = (share: number): void =>
      hooks.onProgress?.({ share: (at + share) / windows.length, window: at + 1, windows: windows.length });
    const end = await walkOne(path, project, {
      window,
      sweep,
      reportProgress,
      interrupted: hooks.interrupted,
    });
    if (end === undefined) return { kind: 'stopped', windows: at, total: windows.length };
    first ??= end.trained;
    steps.push(end.step);
    returns.push(end.returns);
  }
  if (first === undefined)
    throw new ResearchError(
      `Cannot walk forward from ${days.from} to ${days.to}: no window has bars both in training and in its test`,
    );
  const joined = joinedReturns(returns);
  const figures = figuresOfReturns(joined);
  const moments = momentsOf(joined);
  const sample = moments === null ? undefined : { ...moments, sharpe: moments.mean / moments.deviation };
  const probable = sample === undefined ? Number.NaN : probabilisticSharpe(sample, 0);
  const { symbols, period, method, seed, axes, where, objective, code, strategy } = first.report;
  const report: WalkForwardReport = {
    config: path,
    strategy,
    symbols,
    period,
    ...days,
    method,
    seed,
    axes,
    where,
    objective,
    code,
    train: spanName(train),
    test: spanName(test),
    anchored,
    steps,
    leftOut,
    figures,
    probabilistic: Number.isFinite(probable) ? probable : null,
    efficiency: efficiencyOf(steps, figures.cagr),
    returns: joined,
  };
  const name = [basename(path, extname(path)), report.train, report.test, ...(anchored ? ['anchored'] : [])];
  const folder = join(project, WORK_DIR, 'walk-forward', name.join('-'));
  const files = writeResult(folder, project, {
    json: [walkForwardJson(report)],
    page: walkForwardPage(report),
  });
  return { kind: 'finished', report, files };
}

type Finished = Extract<SweepEnd, { kind: 'finished' }>;

interface Walking {
  readonly window: WalkWindow;
  readonly sweep: SweepOptions;
  readonly reportProgress: (share: number) => void;
  readonly interrupted: AbortSignal | undefined;
}

/** Runs one window; returns undefined if stopped. */
async function walkOne(
  path: string,
  project: string,
  { window, sweep, reportProgress, interrupted }: Walking,
): Promise<
  { readonly trained: Finished; readonly step: WalkStep; readonly returns: Float64Array } | undefined
> {
  const hooks = (onProgress: NonNullable<SweepHooks['onProgress']>): SweepHooks => ({
    onProgress,
    ...omitUndefined({ interrupted }),
  });
  const trained = await runSweep(
    path,
    project,
    { ...sweep, ...window.train },
    hooks(({ done, total }) => reportProgress((SWEEP_SHARE * done) / total)),
  );
  if (trained.kind === 'stopped') return undefined;
  const { findings, axes } = trained.report;
  const [best] = findings.best;
  const failed = findings.failed.length;
  const trials = findings.trials.length + failed;
  const step = { ...window, trials, failed };
  if (best === undefined) return { trained, step: { ...step, chosen: null }, returns: new Float64Array() };
  // The test ranks nothing, so the user's objective is not called: it may not support so few days.
  const { trials: _, where: _where, ...rest } = { ...sweep, objective: 'sharpe' };
  const tested = await runSweep(
    path,
    project,
    {
      ...rest,
      ...window.test,
      method: 'grid',
      keepDays: true,
      axes: Object.fromEntries(axes.map(({ name }) => [name, [best.params[name] as number]])),
    },
    hooks(({ done, total }) => reportProgress(SWEEP_SHARE + ((1 - SWEEP_SHARE) * done) / total)),
  );
  if (tested.kind === 'stopped') return undefined;
  const returns = tested.returnsOf(0);
  const { params, objective, figures: inSample } = best;
  if (returns === undefined) {
    const message = tested.report.findings.failed.at(0)?.message ?? 'it has no daily returns';
    throw new ResearchError(
      `Cannot walk forward: the test from ${window.test.from} to ${window.test.to} failed: ${message}`,
    );
  }
  return {
    trained,
    returns,
    step: { ...step, chosen: { params, objective, inSample, outOfSample: figuresOfReturns(returns) } },
  };
}

function partition<T>(all: readonly T[], isWanted: (each: T) => boolean): readonly [T[], T[]] {
  const wanted = all.filter(isWanted);
  return [wanted, all.filter((each) => !wanted.includes(each))];
}

function spanOf(option: string, text: string): CalendarSpan {
  const span = readSpan(text);
  if (span !== undefined) return span;
  throw new ResearchError(`Cannot read "${option} ${text}", want ${SPAN_WANTED}`);
}
