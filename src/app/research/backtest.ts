import type { BacktestOptions } from '../../backtest/backtest-options.ts';
import { runBacktest } from '../../backtest/run-backtest.ts';
import type { DetailedRecord, RunRecord } from '../../events/run-record.ts';
import type { LoadedRun } from '../load/load-run.ts';

/** Runs a loaded config over its history, in virtual time. */
export function backtest(
  { setup }: LoadedRun,
  options: Pick<BacktestOptions, 'onAlarm' | 'onProgress'> = {},
): RunRecord {
  return runBacktest(setup, options);
}

/** Runs a backtest that keeps its decisions and, like a paper run, does not resume a stopped gate. */
export function backtestAlone({ setup }: LoadedRun): DetailedRecord {
  return runBacktest({ ...setup, operator: 'absent' }, { decisions: true });
}
