import { InvalidArgumentError } from 'commander';
import type { CrossValidateOptions } from '../../app/research/cross-validate.ts';
import type { CommandRegistration } from '../command-context.ts';
import { EXIT } from '../exit-codes.ts';
import { wholeNumber } from '../options/option-values.ts';
import { addSweepOptions, type SweepFlags, sweepOptionsOf } from '../options/sweep-options.ts';

interface CrossValidateFlags
  extends SweepFlags,
    Pick<CrossValidateOptions, 'groups' | 'test' | 'purge' | 'embargo'> {}

/** `sluice cross-validate CONFIG`: many splits into days that choose parameters and days that test them. */
export const crossValidateCommand: CommandRegistration = (program, { terminal, project, exit }) => {
  addSweepOptions(
    program
      .command('cross-validate')
      .description(
        'optimise parameters on some groups of days and test them on the others, in all combinations',
      )
      .argument('<config>', 'path of the strategy YAML')
      .option('--groups <count>', 'groups of consecutive days (default: 8)', wholeNumber)
      .option('--test <count>', 'groups that each split tests (default: 2)', wholeNumber)
      .option(
        '--purge <days>',
        'trading days on both sides of a tested group that are not trained on (default: 10d)',
        days,
      )
      .option('--embargo <days>', 'trading days after it that are not, in addition (default: 5d)', days),
    'a figure of daily returns, or an expression over them',
  ).action(async (path: string, flags: CrossValidateFlags) => {
    const [{ runCrossValidate }, { withProgress }, { omitUndefined }] = await Promise.all([
      import('../../app/research/cross-validate.ts'),
      import('../output/with-progress.ts'),
      import('../../model/omit-undefined.ts'),
    ]);
    const { groups, test, purge, embargo, ...sweep } = flags;
    const options = { ...(await sweepOptionsOf(sweep)), ...omitUndefined({ groups, test, purge, embargo }) };
    const end = await withProgress('Cross-validate', terminal.view, (interrupted, onProgress) =>
      runCrossValidate(path, project, options, {
        interrupted,
        onProgress: ({ done, total, known }) =>
          onProgress({ done, total, known, text: `${done} of ${total} trials` }),
      }),
    );
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

/** Parses trading days: `10d` or `10`. */
function days(text: string): number {
  const [, count] = /^(\d{1,4})d?$/.exec(text) ?? [];
  if (count === undefined) throw new InvalidArgumentError('Want trading days such as 10d.');
  return Number(count);
}
