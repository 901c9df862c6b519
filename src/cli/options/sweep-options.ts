import { type Command, InvalidArgumentError, Option } from 'commander';
import type { SweepOptions } from '../../app/research/sweep.ts';
import {
  AXIS_WANTED,
  type AxisSpec,
  readAxis,
  SWEEP_METHODS,
  type SweepConfig,
} from '../../config/sweep/sweep-axes.ts';
import { omitUndefined } from '../../model/omit-undefined.ts';
import { UsageError } from '../usage-error.ts';
import { day, positiveNumber, seedNumber, wholeNumber } from './option-values.ts';

type Axes = Readonly<Record<string, AxisSpec>>;

/** The options of a sweep as commander reads them. */
export interface SweepFlags
  extends Pick<
    SweepOptions,
    'method' | 'trials' | 'objective' | 'where' | 'jobs' | 'seed' | 'from' | 'to' | 'fresh' | 'queue'
  > {
  readonly set?: Axes;
  readonly axes?: string;
  readonly hookTimeout?: number;
  readonly json?: boolean;
}

/** Adds the options of a sweep to a command that runs one; `objectives` describes the objectives that the command accepts. */
export function addSweepOptions(command: Command, objectives: string): Command {
  return command
    .option(
      '--set <name=values>',
      'a parameter that varies: fast=5..50:5 (from..to:step), mode=a,b, or fast alone for what the strategy declares; may be given again',
      axisOption,
    )
    .option('--axes <file>', 'a YAML file with axes and the other settings of a "sweep" section')
    .addOption(
      new Option('--method <name>', 'how trials are chosen (default: grid, all combinations)').choices([
        ...SWEEP_METHODS,
      ]),
    )
    .option('--trials <count>', 'number of trials, for all methods but grid (default: 100)', wholeNumber)
    .option('--objective <figure>', `${objectives}; the best trial has most of it (default: sharpe)`)
    .option('--where <condition>', 'only combinations for which it holds, such as "fast < slow"')
    .option('--from <day>', 'first day, instead of the one in the YAML', day)
    .option('--to <day>', 'last day, instead of the one in the YAML', day)
    .option(
      '--jobs <count>',
      'trials at once; the result does not depend on it (default: one per core)',
      wholeNumber,
    )
    .option('--seed <number>', 'seed of random, tpe and cma-es (default: 1)', seedNumber)
    .option('--fresh', 'run all trials again, also those that an earlier run left')
    .option('--hook-timeout <seconds>', 'how long one call of a strategy may compute', positiveNumber)
    .option('--json', 'print the result as JSON; the files it names have everything');
}

/** The options of a sweep, with the settings of a file of axes. */
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

/** Collects the axes of a repeatable option. */
function axisOption(text: string, before: Axes = {}): Axes {
  const [, name, values] = /^((?:[a-z][a-z0-9-]*\.)?[A-Za-z_][A-Za-z0-9_]*)(?:=(.+))?$/.exec(text) ?? [];
  const spec: AxisSpec | undefined = values === undefined ? { kind: 'range' } : readAxis(values);
  if (name === undefined || spec === undefined)
    throw new InvalidArgumentError(`Want NAME=VALUES, VALUES ${AXIS_WANTED}.`);
  return { ...before, [name]: spec };
}
