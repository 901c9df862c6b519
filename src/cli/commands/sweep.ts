import { InvalidArgumentError, Option } from 'commander';
import type { SweepOptions } from '../../app/research/sweep.ts';
import {
  AXIS_WANTED,
  type AxisSpec,
  readAxis,
  SWEEP_METHODS,
  type SweepConfig,
} from '../../config/sweep/sweep-axes.ts';
import { omitUndefined } from '../../model/omit-undefined.ts';
import { interruptible } from '../bots/interruption.ts';
import type { CommandRegistration } from '../command-context.ts';
import { EXIT } from '../exit-codes.ts';
import { day, positiveNumber, seedNumber, wholeNumber } from '../options/option-values.ts';
import { leftText } from '../output/time-left.ts';
import { UsageError } from '../usage-error.ts';

type Axes = Readonly<Record<string, AxisSpec>>;

/** What the options of a sweep come to; other commands that run sweeps share them. */
export interface SweepFlags
  extends Pick<
    SweepOptions,
    'method' | 'trials' | 'objective' | 'where' | 'jobs' | 'seed' | 'from' | 'to' | 'fresh'
  > {
  readonly set?: Axes;
  readonly axes?: string;
  readonly hookTimeout?: number;
  readonly json?: boolean;
}

/** `sluice sweep CONFIG`: backtests over many parameters, compared. */
export const sweepCommand: CommandRegistration = (program, { terminal, project, exit }) => {
  program
    .command('sweep')
    .description('backtest a strategy YAML with many parameters, and say which matter and which are stable')
    .argument('<config>', 'path of the strategy YAML')
    .option(
      '--set <name=values>',
      'a parameter that varies: fast=5..50:5 (from..to:step), mode=a,b, or fast alone for what the strategy declares; may be given again',
      sweepAxis,
    )
    .option('--axes <file>', 'a YAML file with axes and the other settings of a "sweep" section')
    .addOption(
      new Option('--method <name>', 'how trials are chosen (default: grid, all combinations)').choices([
        ...SWEEP_METHODS,
      ]),
    )
    .option('--trials <count>', 'number of trials, for all methods but grid (default: 100)', wholeNumber)
    .option(
      '--objective <figure>',
      'a figure, an expression over figures, or an objective plugin; the best trial has most of it (default: sharpe)',
    )
    .option('--where <condition>', 'only combinations for which it holds, such as "fast < slow"')
    .option('--from <day>', 'first day in place of the one in the YAML', day)
    .option('--to <day>', 'last day in place of the one in the YAML', day)
    .option(
      '--jobs <count>',
      'processes at once; the result does not depend on it (default: one per core)',
      wholeNumber,
    )
    .option('--seed <number>', 'seed of random, tpe and cma-es (default: 1)', seedNumber)
    .option('--fresh', 'run all trials again, also those that an earlier run left')
    .option('--hook-timeout <seconds>', 'how long one call of a strategy may compute', positiveNumber)
    .option('--json', 'print what came of it as JSON; all trials are in the result file')
    .action(async (path: string, flags: SweepFlags) => {
      const [{ runSweep }, { openProgress }, { createSystemTimers }] = await Promise.all([
        import('../../app/research/sweep.ts'),
        import('../output/progress.ts'),
        import('../../app/clock/system-timers.ts'),
      ]);
      const options = await sweepOptionsOf(flags);
      const timers = createSystemTimers();
      const progress = openProgress('Sweep', terminal.view, timers);
      const began = timers.now();
      const end = await interruptible((interrupted) =>
        runSweep(path, project, options, {
          interrupted,
          onProgress: (now) => {
            const { done, total, known, best } = now;
            const left = leftText(done - known, total - done, timers.now() - began);
            const top = best === undefined ? '' : `, best ${best.toPrecision(4)}`;
            progress.at(done / total, `${done} of ${total} trials${left}${top}`);
          },
        }),
      ).finally(() => progress.end());
      if (end.kind === 'stopped') {
        terminal.err(
          `Stopped after ${end.done} of ${end.total} trials: the same command goes on from there\n`,
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

/** The options as a sweep takes them, with what a file of axes says. */
export async function sweepOptionsOf(flags: SweepFlags): Promise<SweepOptions> {
  const { set, axes: file, hookTimeout, json: _json, ...others } = flags;
  if (set !== undefined && file !== undefined)
    throw new UsageError('Cannot take axes from "--set" and from a file: leave one of the two out');
  const read: Partial<SweepConfig> =
    file === undefined ? {} : await (await import('../../config/sweep/sweep-file.ts')).readSweepFile(file);
  return omitUndefined({
    ...read,
    ...omitUndefined(others),
    axes: set ?? read.axes,
    callSeconds: hookTimeout,
  });
}

/** Collects an axis of a repeatable option. */
export function sweepAxis(text: string, before: Axes = {}): Axes {
  const [, name, values] = /^((?:[a-z][a-z0-9-]*\.)?[A-Za-z_][A-Za-z0-9_]*)(?:=(.+))?$/.exec(text) ?? [];
  const spec: AxisSpec | undefined = values === undefined ? { kind: 'range' } : readAxis(values);
  if (name === undefined || spec === undefined)
    throw new InvalidArgumentError(`Want NAME=VALUES, VALUES ${AXIS_WANTED}.`);
  return { ...before, [name]: spec };
}
