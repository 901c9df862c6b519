import type { Parity, RunRows } from '../../reports/parity.ts';
import { interruptible } from '../bots/interruption.ts';
import type { CommandRegistration } from '../command-context.ts';
import { EXIT } from '../exit-codes.ts';
import { params } from '../options/option-values.ts';
import { ONLY_DOCUMENTED, withParams } from '../options/with-params.ts';

/** The backtest, from the process in which it ran. */
interface TestedRun {
  readonly rows: RunRows;
  /** Notes about it. */
  readonly note: string;
}

interface ParityOptions {
  readonly param?: Readonly<Record<string, number | boolean | string>>;
  readonly json?: boolean;
  readonly onlyDocumented?: boolean;
}

/** `sluice parity CONFIG`: compares a backtest with a stepped paper run. */
export const parityCommand: CommandRegistration = (program, context) => {
  const { terminal, project, exit } = context;
  program
    .command('parity')
    .description('check that backtest and paper make the same decisions, or show the first one that differs')
    .argument('<config>', 'path of the strategy YAML')
    .option(
      '--param <name=value>',
      'value of a parameter, instead of the one in the YAML; may be repeated',
      params,
    )
    .option('--only-documented', ONLY_DOCUMENTED)
    .option('--json', 'print the outcome as JSON')
    .action(async (path: string, options: ParityOptions) => {
      const { loadPaperRun } = await import('../../app/load/load-run.ts');
      const { watchedPaperRun } = await import('../bots/watched-run.ts');
      const { sandboxed } = await import('../sandbox/sandboxed.ts');
      const { compareRows, runRows } = await import('../../reports/parity.ts');
      const { parityText } = await import('../../reports/parity-text.ts');
      let tested: TestedRun | undefined;
      const code = await sandboxed({ command: 'parity', path, options }, context, {
        onResult: (result) => {
          if (result['kind'] === 'tested') tested = result as unknown as TestedRun;
        },
      });
      if (code !== EXIT.ok || tested === undefined) {
        exit(code);
        return;
      }
      const { rows, note } = tested;
      const loaded = await loadPaperRun(
        path,
        project,
        await withParams(options.param, options.onlyDocumented),
      );
      // A parity run sends no notifications.
      const stepped = {
        ...loaded,
        notifiers: [],
        config: { ...loaded.config, paper: { kind: 'stepped' as const } },
      };
      const parity = await interruptible(async (interrupted, interrupt): Promise<Parity | undefined> => {
        const paper = await watchedPaperRun(stepped, { terminal, project, interrupted, interrupt });
        return interrupted.aborted ? undefined : compareRows(rows, runRows(paper));
      });
      if (parity === undefined) {
        exit(EXIT.interrupted);
        return;
      }
      terminal.out(options.json === true ? `${JSON.stringify(parity)}\n` : `${parityText(parity)}${note}`);
      if (parity.kind === 'different') exit(EXIT.failedCheck);
    });
};
