import { createHash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { basename, extname, join } from 'node:path';
import { ConfigError } from '../../config/config-error.ts';
import { dataOf } from '../../config/data-of.ts';
import type { LoadedConfig } from '../../config/load-config.ts';
import { packageVersion } from '../../config/plugins/package-root.ts';
import {
  AXIS_WANTED,
  type AxisSpec,
  readAxis,
  SWEEP_METHODS,
  type SweepConfig,
  type SweepMethod,
  TRIALS_MAX,
} from '../../config/sweep/sweep-axes.ts';
import { omitUndefined } from '../../model/omit-undefined.ts';
import type { CalendarDay } from '../../model/time.ts';
import { axesOf } from '../../research/axes.ts';
import { type Expression, readExpression } from '../../research/expression.ts';
import { type Luck, luckOf, luckSection, type TrialCount } from '../../research/luck.ts';
import { overfittingOf } from '../../research/overfitting.ts';
import type { TrialParams } from '../../research/param-table.ts';
import { ABILITY_TRIALS_MAX, abilityOf, type PredictiveAbility } from '../../research/reality-check.ts';
import { ResearchError } from '../../research/research-error.ts';
import { gridSize, trialsOf } from '../../research/sampling.ts';
import { Search, type SearchMethod } from '../../research/search/search.ts';
import { sweepPage } from '../../research/sweep-page.ts';
import { type SweepDescription, type SweepReport, sweepJson } from '../../research/sweep-report.ts';
import { findingsOf } from '../../research/sweep-result.ts';
import { FIGURES, type TrialOutcome } from '../../research/trial.ts';
import { TrialColumns } from '../../research/trial-columns.ts';
import type { ParamDeclarations } from '../../strategy/params.ts';
import type { StrategyFacts } from '../../strategy/strategy-facts.ts';
import { checkConfig } from '../load/check-config.ts';
import { strategyFiles } from '../load/load-run.ts';
import { codeHash } from '../storage/content-hash.ts';
import { WORK_DIR } from '../storage/open-store.ts';
import { changedConfig } from './config-changes.ts';
import { runCooperatively } from './cooperative-work.ts';
import type { ProjectSources } from './queue/project-files.ts';
import { type ResultFiles, SweepFolder, writeResult } from './sweep-folder.ts';
import { shownParams, trialKey } from './trial-facts.ts';
import { type LedgerTrial, TrialLedger } from './trial-ledger.ts';
import { runTrials, type TrialBatch } from './trial-pool.ts';
import { ChangedBarsError, type TrialJob } from './trial-process.ts';
import { objectiveFile } from './user-objective.ts';

/** Options that override the `sweep` section of the YAML. */
export interface SweepOptions {
  /**
   * Values of each varied parameter: a text such as `5..50:5`, a list, or `{ from, to, step }`. Replaces all axes of
   * the YAML.
   */
  readonly axes?: Readonly<Record<string, AxisSpec | string | readonly (number | boolean | string)[]>>;
  readonly method?: SweepMethod;
  readonly trials?: number;
  /** A figure of the report, or an expression over figures; the best trial has the highest value. */
  readonly objective?: string;
  /** Condition on the parameters. */
  readonly where?: string;
  readonly seed?: number;
  /** Trials at once, each in a thread; by default the number of cores. The result does not depend on it. */
  readonly jobs?: number;
  readonly from?: CalendarDay;
  readonly to?: CalendarDay;
  /** Runs all trials again, including those that an earlier run of the same sweep finished. */
  readonly fresh?: boolean;
  /** Maximum time of one call of a strategy, in seconds; 10 by default. */
  readonly callSeconds?: number;
  /** Address of a NATS server whose workers compute the trials instead of threads of this machine. */
  readonly queue?: string;
  /** Keeps the daily returns of each trial; by default only of sweeps with at most 1,000 trials. */
  readonly keepDays?: boolean;
}

/** Progress of a sweep. */
export interface SweepProgress {
  readonly done: number;
  readonly total: number;
  /** Trials that an earlier run finished. */
  readonly known: number;
  readonly best: number | undefined;
  /** Completed share of the tests for luck; absent while trials run. */
  readonly tested?: number;
}

/** Callbacks of a sweep, and its interruption. */
export interface SweepHooks {
  readonly onProgress?: (progress: SweepProgress) => void;
  readonly interrupted?: AbortSignal;
  /** Receives notices for the user, such as that a queue has no workers. */
  readonly onNotice?: (text: string) => void;
}

/**
 * Result of a sweep: its report and files or, if stopped, the number of finished trials, which are kept for the next
 * start.
 */
export type SweepEnd =
  | {
      readonly kind: 'finished';
      readonly report: SweepReport;
      /** Statistics of the best trial from the ledger of all trials; absent if no trial has a Sharpe ratio. */
      readonly luck: Luck | undefined;
      readonly files: ResultFiles;
      /** Daily returns of a trial, by its number; undefined if it failed or they are not kept. */
      readonly returnsOf: (trial: number) => Float64Array | undefined;
    }
  | { readonly kind: 'stopped'; readonly done: number; readonly total: number };

const CALL_SECONDS = 10;
const TRIALS = 100;
const SEED = 1;

/**
 * Backtests a strategy YAML with many sets of parameters in sandboxed threads, and compares these trials. Throws
 * ConfigError, DataError, and ResearchError for axes, conditions and objectives that do not fit.
 */
export async function runSweep(
  path: string,
  project: string,
  options: SweepOptions = {},
  hooks: SweepHooks = {},
): Promise<SweepEnd> {
  const plan = await planSweep(path, project, options);
  const { objective, description } = plan;
  let { total } = plan;
  const trials = new TrialColumns(description.axes, objective, total);
  let data = '';
  let folder = '';
  let store: SweepFolder | undefined;
  let done = 0;
  let known = 0;
  let best: number | undefined;
  /** The latest trial with figures, of this run or an earlier one. */
  let last: { readonly trial: number; readonly outcome: TrialOutcome } | undefined;
  const unsaved: LedgerTrial[] = [];
  const flushLedger = (): void => {
    if (unsaved.length === 0) return;
    const ledger = new TrialLedger(project);
    try {
      ledger.add(unsaved);
    } finally {
      ledger.close();
    }
    unsaved.length = 0;
  };
  /** Counts a trial with an outcome, and queues it for the ledger. */
  const recordOutcome = (trial: number): void => {
    done += 1;
    unsaved.push(plan.ledgerTrial(trial, trials, data));
    if (unsaved.length >= LEDGER_BATCH) flushLedger();
    const score = trials.scoreOf(trial);
    if (score !== null && (best === undefined || score > best)) best = score;
  };
  const reportProgress = (): void => hooks.onProgress?.({ done, total, known, best });
  /** Returns the trials of the next generation without an outcome; counts those with one of an earlier run. */
  const nextTrials = (): readonly number[] => {
    for (;;) {
      const from = trials.length;
      const scores = Array.from({ length: from - lastFrom }, (_, at) => trials.scoreOf(lastFrom + at));
      for (const params of plan.next(scores)) trials.params.add(params);
      if (trials.length === from) {
        total = trials.length;
        return [];
      }
      lastFrom = from;
      const run: number[] = [];
      for (let trial = from; trial < trials.length; trial += 1) {
        if (trials.has(trial)) {
          recordOutcome(trial);
          known += 1;
        } else run.push(trial);
      }
      if (run.length > 0) return run;
    }
  };
  let lastFrom = 0;
  const batch = {
    job: { ...jobOf(path, project, options), keepDays: plan.keepDays, objective: plan.plugin },
    paramsOf: (trial: number) => trials.params.paramsOf(trial),
    interrupted: hooks.interrupted,
  };
  const nameOf = (hash: string, of: SweepPlan = plan): string =>
    `${plan.name}-${identityOf(of, hash, options.callSeconds)}`;
  const folderOf = (name: string): string => join(project, WORK_DIR, 'sweeps', name);
  try {
    const run = await runnerOf({ plan, path, project, options, hooks, total, nameOf });
    await run({
      ...batch,
      isKnown: (trial) => trials.has(trial),
      onData: (hash) => {
        data = hash;
        folder = folderOf(nameOf(data));
        store = new SweepFolder(folder, project, {
          count: total,
          isFresh: options.fresh === true,
          // A search with too many trials to keep daily returns continues one with fewer trials that kept them.
          earlier:
            plan.isExtensible && !plan.keepDays
              ? folderOf(nameOf(data, { ...plan, keepDays: true }))
              : undefined,
          onKnown: (trial, outcome) => {
            trials.set(trial, outcome);
            if (outcome.kind === 'done') last = { trial, outcome };
          },
        });
        const first = nextTrials();
        reportProgress();
        return first;
      },
      more: nextTrials,
      onOutcome: (trial, outcome) => {
        store?.add(trial, outcome);
        trials.set(trial, outcome);
        recordOutcome(trial);
        if (outcome.kind === 'done') last = { trial, outcome };
        reportProgress();
      },
    });
  } catch (error) {
    if (error instanceof ChangedBarsError) store?.discard();
    throw error;
  } finally {
    store?.close();
    // A trial that ran counts, whether or not the sweep finishes.
    flushLedger();
  }
  if (done < total) return { kind: 'stopped', done, total };
  const isInterrupted = (): boolean => hooks.interrupted?.aborted === true;
  const failed = new AbortController();
  const interrupted = AbortSignal.any([failed.signal, ...(hooks.interrupted ? [hooks.interrupted] : [])]);
  const describe = async () => {
    const report: SweepReport = {
      ...description,
      data,
      findings: findingsOf(description.axes, trials),
      overfitting: overfittingOf(trials.samples),
    };
    const counted = countedTrials(project, report);
    const ability = await runCooperatively(abilityOf(counted.returns), {
      onProgress: (tested) => hooks.onProgress?.({ done, total, known, best, tested }),
      interrupted,
    });
    return { report, count: counted.count, ability };
  };
  // The only trial of a sweep already ran first in its process. The check runs while the report is computed.
  const check =
    last === undefined || total === 1
      ? undefined
      : assertRepeats(last.trial, last.outcome, { ...batch, interrupted });
  const [{ report, count, ability }] = await Promise.all([describe(), check]).catch((error: unknown) => {
    failed.abort();
    throw error;
  });
  if (isInterrupted()) return { kind: 'stopped', done, total };
  const luck = luckOfBest(report, trials, count, ability);
  const files = writeResult(folder, project, {
    json: sweepJson(report),
    page: sweepPage(report, luck === undefined ? [] : [luckSection(luck, report.overfitting)]),
  });
  return { kind: 'finished', report, luck, files, returnsOf: (trial) => trials.returnsOf(trial) };
}

type Runner = (
  batch: Omit<TrialBatch, 'jobs'> & { readonly isKnown: (trial: number) => boolean },
) => Promise<void>;

/** Returns a runner that uses threads of a local process, or the workers of a queue. */
async function runnerOf({
  plan,
  path,
  project,
  options,
  hooks,
  total,
  nameOf,
}: {
  readonly plan: SweepPlan;
  readonly path: string;
  readonly project: string;
  readonly options: SweepOptions;
  readonly hooks: SweepHooks;
  readonly total: number;
  readonly nameOf: (data: string) => string;
}): Promise<Runner> {
  const { queue, jobs = availableParallelism(), fresh: isFresh = false } = options;
  if (queue === undefined) return (batch) => runTrials({ ...batch, jobs: Math.min(jobs, total) });
  if (options.jobs !== undefined)
    throw new ResearchError(
      'Cannot set the number of jobs of a sweep on a queue: each worker has its own, "sluice worker --jobs"',
    );
  const { runQueuedTrials } = await import('./queue/queued-trials.ts');
  const { onNotice = () => undefined } = hooks;
  const sources = { ...plan.sources, project };
  return (batch) => runQueuedTrials({ ...batch, queue, nameOf, sources, config: path, isFresh, onNotice });
}

interface SweepPlan {
  readonly name: string;
  readonly description: Omit<SweepDescription, 'data'>;
  readonly total: number;
  /** Returns the next trials, given the scores of the previous ones: all at once, or one generation of a search. */
  readonly next: (scores: readonly (number | null)[]) => Iterable<TrialParams>;
  /** Parts of the plan that determine the parameters of the trials; they are part of the sweep's identity. */
  readonly choice: () => Iterable<unknown>;
  /** Whether its first trials equal those of the same plan with fewer trials. */
  readonly isExtensible: boolean;
  readonly objective: Expression;
  readonly keepDays: boolean;
  /** Name or path of the objective if it is a plugin. */
  readonly plugin: string | undefined;
  /** Text of the YAML, and hash of the code of all plugins: with parameters and data, they determine every result. */
  readonly text: string;
  readonly plugins: string;
  readonly sources: Omit<ProjectSources, 'project'>;
  readonly ledgerTrial: (trial: number, trials: TrialColumns, data: string) => LedgerTrial;
}

/** Trials written to the ledger in one transaction. */
const LEDGER_BATCH = 500;

/**
 * Summarises all trials of a sweep's code on its data in the ledger, with their daily returns if those of all are
 * kept.
 */
function countedTrials(
  project: string,
  { strategy, code, data }: SweepReport,
): { readonly count: TrialCount; readonly returns: readonly Float64Array[] } {
  const ledger = new TrialLedger(project);
  try {
    return { count: ledger.countOf(strategy, code, data), returns: ledger.returnsOf(code, data) ?? [] };
  } finally {
    ledger.close();
  }
}

/** Computes statistics of the best trial, given all trials in the ledger; undefined if none has a Sharpe ratio. */
function luckOfBest(
  { findings }: SweepReport,
  trials: TrialColumns,
  count: TrialCount,
  ability: PredictiveAbility | undefined,
): Luck | undefined {
  const [best] = findings.best;
  const returns = best === undefined ? null : trials.momentsOf(best.trial);
  if (returns === null) return undefined;
  const { mean, deviation, count: days, skewness, kurtosis } = returns;
  return luckOf(count, { sharpe: mean / deviation, count: days, skewness, kurtosis }, ability);
}

/** Returns how trials are chosen: all at once from the plan, or generation by generation from scores. */
function choiceOf(
  plan: Parameters<typeof trialsOf>[0],
  objective: string,
): Pick<SweepPlan, 'total' | 'next' | 'choice' | 'isExtensible'> {
  const { axes, method, seed, where } = plan;
  if (method === 'tpe' || method === 'cma-es') {
    const search = new Search({ ...plan, method: method satisfies SearchMethod });
    return {
      total: Math.min(plan.trials, gridSize(axes)),
      isExtensible: true,
      next: (scores) => search.next(scores),
      choice: () => [axes, method, seed, where?.text ?? null, objective],
    };
  }
  const all = trialsOf(plan);
  let left: Iterable<TrialParams> = all;
  return {
    total: all.length,
    isExtensible: false,
    next: () => {
      const next = left;
      left = [];
      return next;
    },
    *choice() {
      yield* [axes, method, seed];
      yield* all;
    },
  };
}

function methodsText(): string {
  return SWEEP_METHODS.filter((method) => method !== 'grid').join(', ');
}

type Checked = Extract<LoadedConfig<StrategyFacts>, { kind: 'ok' }>;

async function planSweep(path: string, project: string, options: SweepOptions): Promise<SweepPlan> {
  const loaded = await checkConfig(path, project);
  if (loaded.kind === 'problems') throw new ConfigError(loaded.problems);
  const config = changedConfig(loaded.config, loaded, daysOf(options));
  const written: Partial<SweepConfig> = loaded.config.sweep ?? {};
  const declared = declaredBy(loaded);
  const axes = axesOf(options.axes === undefined ? (written.axes ?? {}) : specsOf(options.axes), declared);
  const names = Object.keys(declared);
  const condition = options.where ?? written.where;
  const fixed = fixedParams(loaded);
  const where =
    condition === undefined ? undefined : withFixed(readExpression(condition, names, 'the condition'), fixed);
  const wantedObjective = options.objective ?? written.objective ?? 'sharpe';
  const plugin = await objectiveFile(wantedObjective, project);
  const objective =
    plugin === undefined
      ? readExpression(wantedObjective, FIGURES, 'the objective')
      : { text: wantedObjective, names: [], valueOf: () => null };
  const method = options.method ?? written.method ?? 'grid';
  const wanted = options.trials ?? written.trials;
  if (method === 'grid' && options.trials !== undefined)
    throw new ResearchError(
      `Cannot limit a grid by "--trials": it has one trial per combination; use "--method" with ${methodsText()}`,
    );
  if (wanted !== undefined && wanted > TRIALS_MAX)
    throw new ResearchError(`Cannot run ${wanted} trials, want at most ${TRIALS_MAX}`);
  const seed = options.seed ?? written.seed ?? SEED;
  const chosen = choiceOf({ axes, method, trials: wanted ?? TRIALS, seed, where }, objective.text);
  const { from, to, dir } = dataOf(config);
  const strategies = config.members.map(({ name }) => name);
  const strategy = strategies.length > 0 ? strategies.join(' + ') : loaded.strategy.name;
  const code = codeHash(strategyFiles(loaded));
  return {
    name: basename(path, extname(path)),
    description: {
      config: path,
      strategy,
      symbols: config.symbols,
      period: config.period,
      from,
      to,
      method,
      seed,
      axes,
      where: condition,
      objective: objective.text,
      code,
    },
    objective,
    ...chosen,
    keepDays: options.keepDays === true || chosen.total <= ABILITY_TRIALS_MAX,
    *choice() {
      yield* chosen.choice();
      // Trials store the result of the plugin, so its code is part of their identity.
      if (plugin !== undefined) yield* [objective.text, codeHash([plugin])];
    },
    plugin: plugin === undefined ? undefined : objective.text,
    text: loaded.text,
    ledgerTrial: (trial, trials, data) => {
      const own = changedConfig(config, loaded, { params: trials.params.paramsOf(trial) });
      const days = trials.returnsOf(trial);
      return {
        strategy,
        code,
        data,
        key: trialKey(own),
        params: shownParams(own),
        origin: 'sweep',
        returns: trials.momentsOf(trial),
        ...omitUndefined({ days }),
      };
    },
    plugins: codeHash([...strategyFiles(loaded), ...pluginFiles(loaded)]),
    sources: {
      configs: loaded.files,
      code: [
        ...strategyFiles(loaded),
        ...pluginFiles(loaded),
        ...notifierFiles(loaded),
        ...(plugin === undefined ? [] : [plugin]),
      ],
      symbols: config.symbols,
      period: config.period,
      quotes: config.simulation.rules.bidAsk,
      dataDir: dir,
      fxFiles: Object.values(config.account.fxSeries ?? {}),
    },
  };
}

function pluginFiles({ config, plugins }: Checked): readonly string[] {
  const { fills } = config.simulation;
  return [
    ...config.rules.map(({ use }) => plugins.get('risk-rule', use).file),
    ...(fills === undefined ? [] : [plugins.get('fill-model', fills.use).file]),
  ];
}

/** Files of notifiers: a backtest calls none, but a config with a missing notifier is invalid. */
function notifierFiles({ config, plugins }: Checked): readonly string[] {
  return config.notify.map(({ use }) => plugins.get('notifier', use).file);
}

/** Parameters that a sweep may vary: those of the strategy, or of several as `trend.fast`. */
function declaredBy({ config, strategy, members }: Checked): ParamDeclarations {
  if (config.members.length === 0) return strategy.params;
  return Object.fromEntries(
    members.flatMap(({ name, strategy: { params } }) =>
      Object.entries(params).map(([param, declared]) => [`${name}.${param}`, declared]),
    ),
  );
}

function fixedParams({ config }: Checked): TrialParams {
  if (config.members.length === 0) return config.params;
  return Object.fromEntries(
    config.members.flatMap(({ name, params }) =>
      Object.entries(params).map(([param, value]) => [`${name}.${param}`, value]),
    ),
  );
}

/** Allows a condition to use parameters that do not vary as well. */
function withFixed(where: Expression, fixed: TrialParams): Expression {
  return { ...where, valueOf: (lookup) => where.valueOf((name) => lookup(name) ?? fixed[name] ?? null) };
}

function specsOf(axes: NonNullable<SweepOptions['axes']>): Readonly<Record<string, AxisSpec>> {
  return Object.fromEntries(
    Object.entries(axes).map(([name, axis]) => {
      if (typeof axis === 'string') {
        const spec = readAxis(axis);
        if (spec === undefined)
          throw new ResearchError(`Cannot sweep "${name}" over "${axis}", want ${AXIS_WANTED}`);
        return [name, spec];
      }
      return [name, 'kind' in axis ? axis : { kind: 'values', values: axis }];
    }),
  );
}

function daysOf({ from, to }: SweepOptions): TrialJob['changes'] {
  return { ...omitUndefined({ from, to }) };
}

function jobOf(path: string, project: string, options: SweepOptions): Omit<TrialJob, 'keepDays'> {
  const callMsMax = (options.callSeconds ?? CALL_SECONDS) * 1_000;
  return { path, project, changes: daysOf(options), callMsMax };
}

const IDENTITY_CHARS = 12;

/**
 * Hashes everything that determines the outcomes of a sweep's trials, for the name of its folder. The objective
 * matters only for a search, and the time limit of a call only for which trials fail.
 */
function identityOf(
  { choice, text, plugins, description, keepDays }: SweepPlan,
  data: string,
  callSeconds: number | undefined,
): string {
  const { from, to } = description;
  const hash = createHash('sha256');
  hash.update(JSON.stringify([packageVersion(), text, plugins, data, from, to, keepDays]));
  for (const part of choice()) hash.update(JSON.stringify(part));
  if (callSeconds !== undefined) hash.update(`${callSeconds} s`);
  return hash.digest('hex').slice(0, IDENTITY_CHARS);
}

/**
 * Runs a trial again in a new process. Throws ResearchError if the result differs: the strategy then keeps values
 * between runs, and results would depend on the order of trials.
 */
async function assertRepeats(
  trial: number,
  before: TrialOutcome,
  batch: Pick<Parameters<typeof runTrials>[0], 'job' | 'paramsOf' | 'interrupted'>,
): Promise<void> {
  let again: TrialOutcome | undefined;
  await runTrials({
    ...batch,
    jobs: 1,
    onData: () => [trial],
    onOutcome: (_, outcome) => {
      again = outcome;
    },
  });
  if (again === undefined || JSON.stringify(again) === JSON.stringify(before)) return;
  throw new ResearchError(
    `Trial ${trial} comes to other figures when it runs alone: the strategy keeps values in variables of its file from one run to the next. Keep them in "state", then run the sweep with "--fresh"`,
  );
}
