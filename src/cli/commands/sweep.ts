import type { CommandRegistration } from '../command-context.ts';
import { EXIT } from '../exit-codes.ts';
import { addSweepOptions, type SweepFlags, sweepOptionsOf } from '../options/sweep-options.ts';

/** Prints a text only once. */
function printOnce(print: (text: string) => void): (text: string) => void {
  const seen = new Set<string>();
  return (text) => {
    if (seen.has(text)) return;
    seen.add(text);
    print(text);
  };
}

/** `sluice sweep CONFIG`: compares backtests over many parameters. */
export const sweepCommand: CommandRegistration = (program, { terminal, project, exit }) => {
  addSweepOptions(
    program
      .command('sweep')
      .description(
        'backtest a strategy YAML with many parameters, and show which ones matter and which are stable',
      )
      .argument('<config>', 'path of the strategy YAML'),
    'a figure, an expression over figures, or an objective plugin',
  )
    .option(
      '--queue <address>',
      'a NATS server such as nats://127.0.0.1:4222, whose workers compute the trials ("sluice worker")',
    )
    .action(async (path: string, flags: SweepFlags) => {
      const [{ runSweep }, { withProgress }] = await Promise.all([
        import('../../app/research/sweep.ts'),
        import('../output/with-progress.ts'),
      ]);
      const options = await sweepOptionsOf(flags);
      const end = await withProgress('Sweep', terminal.view, (interrupted, onProgress) =>
        runSweep(path, project, options, {
          interrupted,
          onNotice: printOnce((text) => terminal.err(`${text}\n`)),
          onProgress: ({ done, total, known, best, tested }) => {
            const top = best === undefined ? '' : `, best ${best.toPrecision(4)}`;
            const luck = tested === undefined ? '' : `, tests for luck ${Math.round(100 * tested)}%`;
            onProgress({ done, total, known, text: `${done} of ${total} trials${top}${luck}` });
          },
        }),
      );
      if (end.kind === 'stopped') {
        terminal.err(
          `Stopped after ${end.done} of ${end.total} trials: the same command continues from there\n`,
        );
        exit(EXIT.interrupted);
        return;
      }
      const { report, files, luck } = end;
      if (flags.json === true) {
        const { findings, overfitting, ...description } = report;
        const { trials, failed, best, importance } = findings;
        const counts = { trials: trials.length + failed.length, failed: failed.length };
        terminal.out(
          `${JSON.stringify({ ...description, where: description.where ?? null, ...counts, best, importance, overfitting: overfitting ?? null, luck: luck ?? null, files })}\n`,
        );
      } else {
        const { sweepText } = await import('../../research/sweep-text.ts');
        const { luckText } = await import('../../research/luck.ts');
        const chance = luck === undefined ? '' : `\n${luckText(luck, report.overfitting, terminal)}`;
        terminal.out(
          `${sweepText(report, terminal)}${chance}\n${files.page}: open it in a browser\n${files.json}: all trials\n`,
        );
      }
      if (report.findings.best.length === 0) exit(EXIT.failedCheck);
    });
};
