import { InvalidArgumentError } from 'commander';
import type { CrossValidateOptions } from '../../app/research/cross-validate.ts';
import { interruptible } from '../bots/interruption.ts';
import type { CommandRegistration } from '../command-context.ts';
import { EXIT } from '../exit-codes.ts';
import { wholeNumber } from '../options/option-values.ts';
import { withSweepOptions } from '../options/sweep-options.ts';
import { type SweepFlags, sweepOptionsOf } from './sweep.ts';

interface CrossValidateFlags
  extends SweepFlags,
    Pick<CrossValidateOptions, 'groups' | 'test' | 'purge' | 'embargo'> {}

/** `sluice cross-validate CONFIG`: many ways to choose parameters on some days and test them on others. */
export const crossValidateCommand: CommandRegistration = (program, { terminal, project, exit }) => {
  withSweepOptions(
    program
      .command('cross-validate')
      .description(
        'choose parameters on some groups of days and test them on the others, in all combinations',
      )
      .argument('<config>', 'path of the strategy YAML')
      .option('--groups <count>', 'groups of consecutive days (default: 8)', wholeNumber)
      .option('--test <count>', 'groups that each split tests (default: 2)', wholeNumber)
      .option(
        '--purge <days>',
        'trading days beside a tested group that are not trained on (default: 10d)',
        days,
      )
      .option('--embargo <days>', 'trading days after it that are not, in addition (default: 5d)', days)
      .option(
        '--objective <figure>',
        'a figure of daily returns or an expression over them (default: sharpe)',
      ),
  ).action(async (path: string, flags: CrossValidateFlags) => {
    const [{ runCrossValidate }, { openProgress }, { createSystemTimers }, { leftText }] = await Promise.all([
      import('../../app/research/cross-validate.ts'),
      import('../output/progress.ts'),
      import('../../app/clock/system-timers.ts'),
      import('../output/time-left.ts'),
    ]);
    const { groups, test, purge, embargo, ...sweep } = flags;
    const { omitUndefined } = await import('../../model/omit-undefined.ts');
    const options = { ...(await sweepOptionsOf(sweep)), ...omitUndefined({ groups, test, purge, embargo }) };
    const timers = createSystemTimers();
    const progress = openProgress('Cross-validate', terminal.view, timers);
    const began = timers.now();
    const end = await interruptible((interrupted) =>
      runCrossValidate(path, project, options, {
        interrupted,
        onProgress: ({ done, total, known }) => {
          const left = leftText(done - known, total - done, timers.now() - began);
          progress.at(done / total, `${done} of ${total} trials${left}`);
        },
      }),
    ).finally(() => progress.end());
    if (end.kind === 'stopped') {
      terminal.err(
        `Stopped after ${end.done} of ${end.total} trials: the same command continues from there\n`,
      );
      exit(EXIT.interrupted);
      return;
    }
    const { report, files } = end;
    const { crossValidationSummary, crossValidationText } = await import(
      '../../research/cross-validation-report.ts'
    );
    terminal.out(
      flags.json === true
        ? `${JSON.stringify({ ...crossValidationSummary(report), files })}\n`
        : `${crossValidationText(report, terminal)}\n${files.page}: open it in a browser\n${files.json}: all figures and daily returns\n`,
    );
    if (report.chosen.length === 0) exit(EXIT.failedCheck);
  });
};

/** Reads trading days: `10d` or `10`. */
function days(text: string): number {
  const [, count] = /^(\d{1,4})d?$/.exec(text) ?? [];
  if (count === undefined) throw new InvalidArgumentError('Want trading days such as 10d.');
  return Number(count);
}
