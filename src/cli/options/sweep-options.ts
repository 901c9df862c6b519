import { type Command, Option } from 'commander';
import { SWEEP_METHODS } from '../../config/sweep/sweep-axes.ts';
import { sweepAxis } from '../commands/sweep.ts';
import { day, positiveNumber, seedNumber, wholeNumber } from './option-values.ts';

/** Adds the options that say of which trials a command chooses, as those of a sweep. */
export function withSweepOptions(command: Command): Command {
  return command
    .option(
      '--set <name=values>',
      'a parameter that varies, as for "sluice sweep"; may be given again',
      sweepAxis,
    )
    .option('--axes <file>', 'a YAML file with axes and the other settings of a "sweep" section')
    .addOption(
      new Option('--method <name>', 'how trials are chosen (default: grid, all combinations)').choices([
        ...SWEEP_METHODS,
      ]),
    )
    .option('--trials <count>', 'number of trials of the other methods (default: 100)', wholeNumber)
    .option('--where <condition>', 'only combinations for which it holds, such as "fast < slow"')
    .option('--from <day>', 'first day in place of the one in the YAML', day)
    .option('--to <day>', 'last day in place of the one in the YAML', day)
    .option(
      '--jobs <count>',
      'processes at once; the result does not depend on it (default: one per core)',
      wholeNumber,
    )
    .option('--seed <number>', 'seed of chance (default: 1)', seedNumber)
    .option('--fresh', 'run all trials again, also those that an earlier run left')
    .option('--hook-timeout <seconds>', 'how long one call of a strategy may compute', positiveNumber)
    .option('--json', 'print what came of it as JSON');
}
