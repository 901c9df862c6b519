import type { BotConfig, PaperClock } from '../../config/bot-config.ts';
import { EXIT } from '../exit-codes.ts';
import { interruptible } from '../interruption.ts';
import { positiveNumber } from '../option-values.ts';
import { printReport } from '../print-report.ts';
import type { CommandRegistration } from '../program.ts';

interface RunOptions {
  readonly json?: boolean;
  readonly speed?: number;
}

/** `sluice run CONFIG`: on paper, against an embedded venue of its own. */
export const runCommand: CommandRegistration = (program, { terminal, project, exit }) => {
  program
    .command('run')
    .description('run a strategy YAML on paper: signed HTTP and real sockets against an embedded venue')
    .argument('<config>', 'path of the strategy YAML')
    .option(
      '--speed <times>',
      'let the venue run so many times as fast as the wall, instead of stepped',
      positiveNumber,
    )
    .option('--json', 'print the report as JSON')
    .action(async (path: string, options: RunOptions) => {
      const { loadRun } = await import('../../app/load-run.ts');
      const { watchedPaperRun } = await import('../watched-run.ts');
      const loaded = await loadRun(path, project);
      const config: BotConfig = { ...loaded.config, paper: clockOf(options, loaded.config.paper) };
      const record = await interruptible(async (interrupted) => {
        const run = await watchedPaperRun({ ...loaded, config }, { terminal, project, interrupted });
        if (interrupted.aborted) exit(EXIT.interrupted);
        return run;
      });
      await printReport(record, { terminal, json: options.json === true });
    });
};

function clockOf({ speed }: RunOptions, configured: PaperClock): PaperClock {
  return speed === undefined ? configured : { kind: 'scaled', speed };
}
