import { InvalidArgumentError, Option } from 'commander';
import type { MonteCarloOptions } from '../../app/research/monte-carlo.ts';
import { BOOTSTRAPS } from '../../research/resampling.ts';
import type { CommandRegistration } from '../command-context.ts';
import { EXIT } from '../exit-codes.ts';
import { seedNumber, wholeNumber } from '../options/option-values.ts';

/** `sluice monte-carlo RUN`: simulates other possible results of a run. */
export const monteCarloCommand: CommandRegistration = (program, context) => {
  const { terminal, project, exit } = context;
  program
    .command('monte-carlo')
    .description('resample a run: bands of equity, drawdown and ruin, and a comparison with random entries')
    .argument('<run>', 'a strategy YAML, which is backtested now, or the folder of a saved run')
    .addOption(
      new Option('--bootstrap <name>', 'what is resampled (default: stationary, blocks of days)').choices([
        ...BOOTSTRAPS,
      ]),
    )
    .option('--runs <count>', 'number of simulated runs (default: 10000)', wholeNumber)
    .option(
      '--block <days>',
      'days of a block (default: the square root of the days of the run)',
      wholeNumber,
    )
    .option('--ruin <share>', 'loss of the initial equity that counts as ruin (default: 50%)', share)
    .option('--seed <number>', 'seed of chance (default: 1)', seedNumber)
    .option('--json', 'print the result as JSON')
    .action(async (named: string, flags: MonteCarloOptions & { readonly json?: boolean }) => {
      const [{ namedPage }, { runMonteCarlo }, { withProgress }] = await Promise.all([
        import('../sandbox/sandboxed.ts'),
        import('../../app/research/monte-carlo.ts'),
        import('../output/with-progress.ts'),
      ]);
      const page = await namedPage(named, context);
      if (page === undefined) return;
      const { json, ...options } = flags;
      let wanted = 0;
      const { report, files } = await withProgress('Monte Carlo', terminal.view, (interrupted, onProgress) =>
        runMonteCarlo(page, project, options, {
          interrupted,
          onProgress: ({ done, total }) => {
            wanted = total;
            onProgress({ done, total, text: `${done} of ${total} runs` });
          },
        }),
      );
      if (json === true) terminal.out(`${JSON.stringify({ ...report, files })}\n`);
      else {
        const { monteCarloText } = await import('../../research/monte-carlo-report.ts');
        terminal.out(
          `${monteCarloText(report, terminal)}\n${files.page}: open it in a browser\n${files.json}: all figures\n`,
        );
      }
      if (report.plan.runs < wanted) {
        terminal.err(`Stopped after ${report.plan.runs} of ${wanted} runs: the figures are those of these\n`);
        exit(EXIT.interrupted);
      }
    });
};

function share(text: string): number {
  const [, figure, percent] = /^(\d+(?:\.\d+)?)(%?)$/.exec(text) ?? [];
  const value = percent === '%' ? Number(figure) / 100 : Number(figure);
  if (figure === undefined || !(value > 0 && value <= 1))
    throw new InvalidArgumentError('Want a share above 0 up to 1, such as 50%.');
  return value;
}
