import type { RunRecord } from '../../events/run-record.ts';
import { utcDay } from '../../model/time.ts';
import { compareRuns, type Parity } from '../../reports/parity.ts';
import { parityText } from '../../reports/parity-text.ts';
import { stoppedOf } from '../../reports/stopped.ts';
import { EXIT } from '../exit-codes.ts';
import { interruptible } from '../interruption.ts';
import { params } from '../option-values.ts';
import type { CommandRegistration } from '../program.ts';
import { withParams } from '../with-params.ts';

interface ParityOptions {
  readonly param?: Readonly<Record<string, number | boolean | string>>;
  readonly json?: boolean;
}

/** `sluice parity CONFIG`: backtest and stepped paper run side by side. */
export const parityCommand: CommandRegistration = (program, { terminal, project, exit }) => {
  program
    .command('parity')
    .description('prove that backtest and paper decide the same, or show the first decision that differs')
    .argument('<config>', 'path of the strategy YAML')
    .option('--param <name=value>', 'a parameter in place of the one in the YAML; may be given again', params)
    .option('--json', 'print the outcome as JSON')
    .action(async (path: string, options: ParityOptions) => {
      const { loadRun } = await import('../../app/load-run.ts');
      const { backtestAlone } = await import('../../app/backtest.ts');
      const { watchedPaperRun } = await import('../watched-run.ts');
      const loaded = await loadRun(path, project, await withParams(options.param));
      // Nobody is told of a proof.
      const stepped = {
        ...loaded,
        notifiers: [],
        config: { ...loaded.config, paper: { kind: 'stepped' as const } },
      };
      const tested = backtestAlone(loaded);
      const parity = await interruptible(async (interrupted): Promise<Parity | undefined> => {
        const paper = await watchedPaperRun(stepped, { terminal, project, interrupted });
        return interrupted.aborted ? undefined : compareRuns(tested, paper);
      });
      if (parity === undefined) {
        exit(EXIT.interrupted);
        return;
      }
      terminal.out(
        options.json === true ? `${JSON.stringify(parity)}\n` : `${parityText(parity)}${stoppedNote(tested)}`,
      );
      if (parity.kind === 'different') exit(EXIT.failedCheck);
    });
};

/** A backtest by itself assumes somebody who resumes a gate that stopped, so its figures are others then. */
function stoppedNote(tested: RunRecord): string {
  const stopped = stoppedOf(tested);
  if (stopped === undefined) return '';
  const { state, rule, since } = stopped;
  return `In both the gate is ${state} by ${rule} since ${utcDay(since)} and nobody resumed it; "sluice backtest" assumes an operator who does\n`;
}
