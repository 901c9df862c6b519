import { day, params } from '../option-values.ts';
import type { BacktestOptions } from '../print-backtest.ts';
import type { CommandRegistration } from '../program.ts';

/** `sluice backtest CONFIG`: the config's strategy over its past, in virtual time. */
export const backtestCommand: CommandRegistration = (program, context) => {
  program
    .command('backtest')
    .description('run a strategy YAML over its past in virtual time and print what came of it')
    .argument('<config>', 'path of the strategy YAML')
    .option('--param <name=value>', 'a parameter in place of the one in the YAML; may be given again', params)
    .option('--from <day>', 'first day in place of the one in the YAML', day)
    .option('--to <day>', 'last day in place of the one in the YAML', day)
    .option('--fills <file>', 'write every fill into a CSV file')
    .option('--json', 'print the report as JSON')
    .action(async (path: string, options: BacktestOptions) => {
      const { printBacktest } = await import('../print-backtest.ts');
      await printBacktest(path, options, context);
    });
};
