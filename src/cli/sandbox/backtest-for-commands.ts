import { loadRun, type SandboxHooks } from '../../app/load/load-run.ts';
import { backtest, backtestAlone } from '../../app/research/backtest.ts';
import { reportedPage } from '../../app/storage/run-page.ts';
import type { RunRecord } from '../../events/run-record.ts';
import { utcDay } from '../../model/time.ts';
import { runRows } from '../../reports/parity.ts';
import { stoppedOf } from '../../reports/stopped.ts';
import { withParams } from '../options/with-params.ts';

/** Backtests a config from the inside of a sandbox, for what `sluice parity` compares. */
export async function backtestForParity(
  {
    path,
    project,
    param,
    onlyDocumented,
  }: {
    readonly onlyDocumented?: boolean | undefined;
    readonly path: string;
    readonly project: string;
    readonly param: Readonly<Record<string, number | boolean | string>> | undefined;
  },
  loader: SandboxHooks,
): Promise<object> {
  const tested = backtestAlone(await loadRun(path, project, await withParams(param, onlyDocumented), loader));
  return { kind: 'tested', rows: runRows(tested), note: stoppedNote(tested) };
}

/** The same for what a report draws. */
export async function backtestForPage(path: string, project: string, loader: SandboxHooks): Promise<object> {
  const loaded = await loadRun(path, project, undefined, loader);
  return { kind: 'page', ...reportedPage(loaded, backtest(loaded)) };
}

/** A plain backtest assumes an operator who resumes a stopped gate, so its figures differ then. */
function stoppedNote(tested: RunRecord): string {
  const stopped = stoppedOf(tested);
  if (stopped === undefined) return '';
  const { state, rule, since } = stopped;
  return `In both the gate is ${state} by ${rule} since ${utcDay(since)} without a resume; "sluice backtest" assumes an operator who resumes\n`;
}
