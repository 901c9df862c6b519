import type { WalkForwardOptions } from '../../app/research/walk-forward.ts';
import type { CommandRegistration } from '../command-context.ts';
import { EXIT } from '../exit-codes.ts';
import { addSweepOptions, type SweepFlags, sweepOptionsOf } from '../options/sweep-options.ts';

interface WalkForwardFlags extends SweepFlags, Pick<WalkForwardOptions, 'train' | 'test' | 'anchored'> {}

/** `sluice walk-forward CONFIG`: chooses parameters on past days and tests them on the following ones. */
export const walkForwardCommand: CommandRegistration = (program, { terminal, project, exit }) => {
  addSweepOptions(
    program
      .command('walk-forward')
      .description(
        'optimise parameters on a window of days, test them on the days that follow, and roll forward',
      )
      .argument('<config>', 'path of the strategy YAML')
      .requiredOption('--train <length>', 'length of the training window: 90d, 26w, 6m or 2y')
      .requiredOption('--test <length>', 'length of the test window that follows, likewise')
      .option('--anchored', 'train from the first day on in each window'),
    'a figure, an expression over figures, or an objective plugin',
  ).action(async (path: string, flags: WalkForwardFlags) => {
    const [{ runWalkForward }, { withProgress }] = await Promise.all([
      import('../../app/research/walk-forward.ts'),
      import('../output/with-progress.ts'),
    ]);
    const { train, test, anchored, ...sweep } = flags;
    const options = { ...(await sweepOptionsOf(sweep)), train, test, anchored: anchored === true };
    const end = await withProgress('Walk forward', terminal.view, (interrupted, onProgress) =>
      runWalkForward(path, project, options, {
        interrupted,
        onProgress: ({ share, window, windows }) =>
          onProgress({ done: share, total: 1, text: `window ${window} of ${windows}` }),
      }),
    );
    if (end.kind === 'stopped') {
      terminal.err(
        `Stopped after ${end.windows} of ${end.total} windows: the same command continues from there\n`,
      );
      exit(EXIT.interrupted);
      return;
    }
    const { report, files } = end;
    const { walkForwardSummary, walkForwardText } = await import('../../research/walk-forward-report.ts');
    terminal.out(
      flags.json === true
        ? `${JSON.stringify({ ...walkForwardSummary(report), files })}\n`
        : `${walkForwardText(report, terminal)}\n${files.page}: open it in a browser\n${files.json}: all figures and daily returns\n`,
    );
    if (report.steps.every(({ chosen }) => chosen === null)) exit(EXIT.failedCheck);
  });
};
