import { createSystemClock } from '../../app/clock/system-clock.ts';
import { type LoadedRun, loadRun, type SandboxHooks } from '../../app/load/load-run.ts';
import { testedHistories } from '../../app/load/price-histories.ts';
import { backtest } from '../../app/research/backtest.ts';
import { changedConfig } from '../../app/research/config-changes.ts';
import { readsOnce } from '../../config/read-once.ts';
import type { RunRecord } from '../../events/run-record.ts';
import { omitUndefined } from '../../model/omit-undefined.ts';
import type { CalendarDay } from '../../model/time.ts';
import type { PriceHistory } from '../../reports/price-history.ts';
import { guardProcessExit } from '../bots/guard-process-exit.ts';
import type { CommandContext } from '../command-context.ts';
import type { WrittenFile } from '../files/write-file.ts';
import { boundedAlarms } from './alarm-line.ts';
import { printReport } from './print-report.ts';
import { openProgress } from './progress.ts';

/** What differs if the whole process is a sandbox. */
export interface SandboxOutput {
  readonly loader: SandboxHooks;
  /** Machine time, milliseconds. */
  readonly now: () => number;
  readonly write: (file: WrittenFile, csv: string) => Promise<void>;
  /** Counts the backtest as a trial. */
  readonly count: (loaded: LoadedRun, record: RunRecord) => Promise<void>;
  /** Keeps the backtest for comparisons and the dashboard; called after its report was printed. */
  readonly keep: (
    loaded: LoadedRun,
    record: RunRecord,
    histories: () => readonly PriceHistory[],
  ) => Promise<void>;
}

/** Arguments and flags of a backtest after its config. */
export interface BacktestOptions {
  readonly param?: Readonly<Record<string, number | boolean | string>>;
  readonly from?: CalendarDay;
  readonly to?: CalendarDay;
  readonly fills?: string;
  readonly equity?: string;
  readonly json?: boolean;
  readonly explain?: boolean;
  readonly keep?: boolean;
}

/** Runs a backtest of a config and prints its result. This file imports everything that it needs. */
export async function printBacktest(
  path: string,
  options: BacktestOptions,
  { terminal, project, over }: Pick<CommandContext, 'terminal' | 'project' | 'over'>,
  inside?: SandboxOutput,
): Promise<void> {
  const { param, from, to, json, explain, keep } = options;
  readsOnce();
  const changes = omitUndefined({ params: param, from, to });
  const loaded = await loadRun(
    path,
    project,
    (config, strategy, members) => changedConfig(config, { strategy, members }, changes),
    inside?.loader,
  );
  const progress = openProgress('Backtest', terminal.view, inside ?? createSystemClock());
  const alarms = boundedAlarms((line) => progress.say(line));
  const record = guardProcessExit(() =>
    backtest(loaded, { onAlarm: alarms.raise, onProgress: (share) => progress.at(share) }),
  );
  progress.end();
  alarms.end();
  for (const file of ['fills', 'equity'] as const) {
    const target = options[file];
    if (target === undefined) continue;
    const csv = await csvOf(file, record);
    if (inside !== undefined) await inside.write(file, csv);
    else {
      const { WRITTEN_FILES, writeOutputFile } = await import('../files/write-file.ts');
      writeOutputFile(csv, { project, path: target, what: WRITTEN_FILES[file] });
    }
  }
  let made: readonly PriceHistory[] | undefined;
  const histories = (): readonly PriceHistory[] => {
    made ??= testedHistories(loaded);
    return made;
  };
  await printReport(record, { terminal, json: json === true, explained: explain === true, histories });
  await inside?.count(loaded, record);
  if (keep !== false) await inside?.keep(loaded, record, histories);
  over();
}

async function csvOf(file: WrittenFile, record: RunRecord): Promise<string> {
  switch (file) {
    case 'fills':
      return (await import('../../reports/fills-csv.ts')).fillsCsv(record);
    case 'equity':
      return (await import('../../reports/equity-csv.ts')).equityCsv(record);
  }
}
