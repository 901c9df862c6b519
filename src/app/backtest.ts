import { runBacktest } from '../backtest/run-backtest.ts';
import type { RunRecord } from '../events/run-record.ts';
import type { LoadedRun } from './load-run.ts';

/** Runs a loaded config over its past, in virtual time. */
export function backtest({ setup }: LoadedRun): RunRecord {
  return runBacktest(setup);
}
