/**
 * The program of a thread that runs trials of a sweep one after another, on bars that the first thread of its process
 * reads.
 */
import { resolve } from 'node:path';
import { runBacktest } from '../../backtest/run-backtest.ts';
import type { RunSetup } from '../../backtest/setup.ts';
import type { ParamRecord } from '../../config/bot-config.ts';
import { partsOf } from '../../config/config-parts.ts';
import { isBelow } from '../../config/inside.ts';
import { valueAt } from '../../config/yaml/tree-value.ts';
import { SHARED } from '../../hosts/sandbox/host-link.ts';
import type { BarColumns } from '../../model/bar.ts';
import { omitUndefined } from '../../model/omit-undefined.ts';
import type { ObjectivePlugin } from '../../plugins/define-objective.ts';
import { ResearchError } from '../../research/research-error.ts';
import { dailyReturns, type TrialOutcome, trialOutcome } from '../../research/trial.ts';
import { ColumnCache } from '../../signals/column-cache.ts';
import { type LoadedRun, loadRun, type SandboxHooks } from '../load/load-run.ts';
import { shareBars } from '../load/shared-bars.ts';
import { dataHash } from '../storage/content-hash.ts';
import { changedConfig } from './config-changes.ts';
import { closingLoader, openTrialThread } from './open-sandbox.ts';
import type { TrialJob, TrialRequests } from './trial-process.ts';
import { objectiveIn, objectiveScore } from './user-objective.ts';

/** Seed of all random draws, the same as in a single backtest. */
const SEED = 1;

/** Maximum bytes of indicator columns that a thread keeps between trials. */
const KEPT_BYTES_MAX = 64 * 2 ** 20;

const columnCache = new ColumnCache(KEPT_BYTES_MAX);
const inside = openTrialThread<TrialJob>();
const isFirst = inside.thread === 0;
try {
  const { path, project, changes, keepDays } = inside.job;
  const loaded = Promise.all([import('../../config/read-config.ts'), import('../storage/open-store.ts')]);
  const closing = closingLoader(inside, { project, from: changes.from, seed: SEED }, loaded);
  const loader = isFirst ? closing : { ...closing, ready: onBarsOfFirst(closing.ready) };
  if (isFirst) shareBars();
  // Reads are cached from here on: the objective's file is found before the process drops its file access.
  const objectiveLoad =
    inside.job.objective === undefined ? undefined : objectiveIn(inside.job.objective, project);
  const run = await loadRun(
    path,
    project,
    (config, strategy, members) => changedConfig(config, { strategy, members }, changes),
    inside.job.isConfined === true ? confined(loader, project) : loader,
  );
  const objective = await objectiveLoad?.();
  if (isFirst) {
    await inside.sendResult({ kind: SHARED, bars: shareBars() });
    await inside.sendResult({ kind: 'ready', data: dataHash(run.setup) });
  }
  for (;;) {
    const { requests } = (await inside.next()) as TrialRequests;
    for (const { trial, params } of requests) {
      inside.restart();
      await inside.sendResult({
        kind: 'trial',
        trial,
        outcome: outcomeOf(run, params, { keepDays, objective }),
      });
    }
  }
} catch (error) {
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  await inside.sendResult({ kind: 'fault', name, message });
}
process.exit(0);

/** Delays user code further, until the bars of the first thread have arrived. */
function onBarsOfFirst(closed: () => Promise<void>): () => Promise<void> {
  let ready: Promise<void> | undefined;
  return () => {
    ready ??= closed().then(async () => {
      const { bars } = (await inside.next()) as { readonly bars: ReadonlyMap<string, BarColumns> };
      shareBars(bars);
    });
    return ready;
  };
}

/** Returns a loader for a config from another machine, which may name only files of its project. */
function confined(loader: SandboxHooks, project: string): SandboxHooks {
  return {
    ...loader,
    prepare: (yaml) => {
      const rates = valueAt(yaml, ['account', 'fxSeries']);
      const named = [
        partsOf(yaml).dir,
        ...(typeof rates === 'object' && rates !== null ? Object.values(rates) : []),
      ];
      const outside = named.find(
        (path) => typeof path === 'string' && !isBelow(project, resolve(project, path)),
      );
      if (outside !== undefined)
        throw new ResearchError(
          `Cannot run trials: the config reads "${outside}", which is outside its project`,
        );
      loader.prepare(yaml);
    },
  };
}

function outcomeOf(
  run: LoadedRun,
  params: ParamRecord,
  { keepDays, objective }: { readonly keepDays: boolean; readonly objective: ObjectivePlugin | undefined },
): TrialOutcome {
  try {
    const record = runBacktest(setupWith(run, params));
    const outcome = trialOutcome(record, { keepDays });
    if (objective === undefined) return outcome;
    const { figures } = outcome;
    const score = objectiveScore(objective, { figures, params, returns: [...dailyReturns(record)] });
    return { ...outcome, objective: score };
  } catch (error) {
    const { name, message } = error instanceof Error ? error : new Error(String(error));
    return {
      kind: 'failed',
      message: name === 'StrategyError' || name === 'ResearchError' ? message : `${name}: ${message}`,
    };
  }
}

/** Returns the run with other parameters, checked like those of a YAML. */
function setupWith({ config, setup }: LoadedRun, params: ParamRecord): RunSetup {
  const changed = changedConfig(config, setup, { params });
  const members = setup.members?.map((member, at) => ({
    ...member,
    params: changed.members[at]?.params ?? member.params,
  }));
  return { ...setup, columnCache, params: changed.params, ...omitUndefined({ members }) };
}
