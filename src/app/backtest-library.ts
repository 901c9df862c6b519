import { runBacktest } from '../backtest/run-backtest.ts';
import type { ParamRecord } from '../config/bot-config.ts';
import type { RunRecord } from '../events/run-record.ts';
import { type Performance, performanceOf } from '../reports/performance.ts';
import { loadRun } from './load/load-run.ts';
import { type ConfigChanges, changedConfig } from './research/config-changes.ts';
import { trialFacts } from './research/trial-facts.ts';

/** Settings with which a script can override the YAML. */
export interface BacktestChanges extends ConfigChanges {
  /** Folder of the project with strategies and data; default: the current folder. */
  readonly project?: string;
  /** Keeps every signal, order, verdict and fill as `record.decisions`. Such a run uses the full engine and takes longer. */
  readonly decisions?: boolean;
}

/** Result of a backtest: the figures of a report, and the data they were computed from. */
export interface BacktestResult {
  /** Returns, drawdown, trades, money by currency; a figure that cannot be computed states the reason. */
  readonly performance: Performance;
  /** Every fill and the equity after each close, with the assumptions of the models; decisions if requested. */
  readonly record: RunRecord;
  /** Parameters of the run, including defaults. */
  readonly params: ParamRecord;
}

/**
 * Runs a strategy YAML over its past in virtual time, for scripts and notebooks: `await backtest('config/my-bot.yaml')`.
 * Nothing is printed, and nothing is written but the cache of parsed bars and the ledger of trials. Throws ConfigError with every mistake in the YAML, DataError
 * when the data is not right, StrategyError when the strategy throws, and ConfigChangeError for changes that do not fit.
 */
export async function backtest(path: string, changes: BacktestChanges = {}): Promise<BacktestResult> {
  const project = changes.project ?? process.cwd();
  const loaded = await loadRun(path, project, (config, strategy, members) =>
    changedConfig(config, { strategy, members }, changes),
  );
  const { setup } = loaded;
  const record = runBacktest(setup, changes.decisions === true ? { decisions: true } : {});
  // SQLite is loaded where trials are counted, and not in processes that may not have it.
  const { countTrial } = await import('./research/trial-ledger.ts');
  const uncounted = countTrial(project, trialFacts(loaded, record));
  if (uncounted !== undefined) process.emitWarning(uncounted);
  return { performance: performanceOf(record), record, params: setup.params };
}
