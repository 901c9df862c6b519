import { fileURLToPath } from 'node:url';
import { runInSandbox } from '../../app/research/run-in-sandbox.ts';
import type { ReportedPage } from '../../app/storage/run-source.ts';
import type { RunPage } from '../../reports/run-page.ts';
import type { TrialSetting } from '../../testing/try-strategy.ts';
import { interruptible } from '../bots/interruption.ts';
import type { CommandContext } from '../command-context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { OutputFilter } from '../output/output-filter.ts';
import type { BacktestOptions } from '../output/print-backtest.ts';

interface SandboxOutput {
  readonly project: string;
  readonly colour: boolean;
  readonly view: { readonly isTTY: boolean; readonly colour: boolean; readonly columns?: number | undefined };
}

/** What a whole process is given to do in which an author's code runs. */
export type SandboxJob = SandboxOutput &
  (
    | { readonly command: 'backtest'; readonly path: string; readonly options: BacktestOptions }
    | { readonly command: 'page'; readonly path: string }
    | {
        readonly command: 'parity';
        readonly path: string;
        readonly options: Pick<BacktestOptions, 'param'> & { readonly onlyDocumented?: boolean };
      }
    | { readonly command: 'test'; readonly names: readonly string[]; readonly setting: TrialSetting }
  );

/** The job without what the terminal decides. */
export type SandboxTask = SandboxJob extends infer J
  ? J extends SandboxJob
    ? Omit<J, keyof SandboxOutput>
    : never
  : never;

/** Default time limit of a call of a plugin's code. */
export const CALL_SECONDS = 10;

/**
 * Runs a command in a process that its author's code cannot leave, and prints what it prints. The texts that may come out of it are
 * cleaned of what a terminal would obey. Resolves with its exit code.
 */
export async function sandboxed(
  task: SandboxTask,
  { terminal, project }: CommandContext,
  {
    callSeconds = CALL_SECONDS,
    onResult = () => undefined,
  }: {
    readonly callSeconds?: number | undefined;
    readonly onResult?: ((result: Readonly<Record<string, unknown>>) => void) | undefined;
  },
): Promise<ExitCode> {
  const { colour, view } = terminal;
  const job = { ...task, project, colour, view: { isTTY: view.isTTY, colour: view.colour } };
  const filters = { stdout: new OutputFilter(), stderr: new OutputFilter() };
  const end = await interruptible((interrupted) =>
    runInSandbox({
      program: PROGRAM,
      project,
      onResult,
      interrupted,
      job: { ...job, callMsMax: callSeconds * 1_000 },
      onText: (stream, text) => {
        const clean = filters[stream].take(text);
        if (stream === 'stdout') terminal.out(clean);
        else view.write(clean);
        return terminal.drained?.();
      },
    }).then((ended) => (interrupted.aborted ? ('interrupted' as const) : ended)),
  );
  if (end === 'interrupted') return EXIT.interrupted;
  switch (end.kind) {
    case 'ended':
      return (Object.values(EXIT) as number[]).includes(end.code) ? (end.code as ExitCode) : EXIT.strategy;
    case 'late':
      terminal.err(
        `Stopped: ${OutputFilter.line(end.call)} did not return within ${callSeconds} s; look for a loop without an end, or allow more with --hook-timeout\n`,
      );
      return EXIT.strategy;
    case 'flood':
      terminal.err(`Stopped: ${OutputFilter.line(end.call)} wrote more than 65536 bytes to its console\n`);
      return EXIT.strategy;
    case 'memory':
      terminal.err(`Stopped: the process of this run is out of memory, in ${OutputFilter.line(end.call)}\n`);
      return EXIT.strategy;
    case 'died':
      terminal.err(
        end.signal === 'SIGABRT'
          ? 'Stopped: the process of this run is out of memory\n'
          : `Stopped: the process of this run was ended by ${end.signal}\n`,
      );
      return EXIT.strategy;
  }
}

/** The page of a config that is backtested now, or the exit code of a backtest that failed and printed its error. */
export async function sandboxedPage(path: string, context: CommandContext): Promise<ReportedPage | ExitCode> {
  let page: ReportedPage | undefined;
  const code = await sandboxed({ command: 'page', path }, context, {
    onResult: (result) => {
      if (result['kind'] === 'page') page = result as unknown as ReportedPage;
    },
  });
  return page === undefined || code !== EXIT.ok ? code : page;
}

/** The run that a person names, its backtest in a sandbox; undefined where that failed, and the exit code is set. */
export async function namedPage(named: string, context: CommandContext): Promise<RunPage | undefined> {
  const { namedRun } = await import('../../app/storage/run-page.ts');
  let failed: ExitCode = EXIT.ok;
  try {
    return await namedRun(named, context.project, async (path) => {
      const page = await sandboxedPage(path, context);
      if (typeof page !== 'number') return page;
      failed = page;
      throw new Error('The backtest failed');
    });
  } catch (error) {
    if (failed === EXIT.ok) throw error;
    context.exit(failed);
    return undefined;
  }
}

/** Source in the repository and JavaScript in the published package. */
const ENTRY = new URL('./sandbox-entry.ts', import.meta.url).href;
const PROGRAM = fileURLToPath(import.meta.url.endsWith('.ts') ? ENTRY : ENTRY.replace(/\.ts$/, '.js'));
