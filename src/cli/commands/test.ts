import { inkFor } from '../../reports/ink.ts';
import type { CommandRegistration } from '../command-context.ts';
import { EXIT } from '../exit-codes.ts';
import type { TestOptions } from '../files/test-strategies.ts';
import { period, positiveNumber, symbols } from '../options/option-values.ts';

/**
 * `sluice test STRATEGY...`: runs strategies in difficult market situations in virtual time, and reports their
 * problems.
 */
export const testCommand: CommandRegistration = (program, context) => {
  const { terminal, exit } = context;
  program
    .command('test')
    .description(
      'test strategies on named bad days (gap, halt, feed loss, refused orders, ...) in virtual time',
    )
    .argument('<strategies...>', 'names of strategies, or their files')
    .option('--situations <names>', 'days to try, with commas between; "all" for every one', 'all')
    .option('--config <yaml>', 'take parameters, symbols and period from this strategy YAML')
    .option('--symbol <symbol>', 'what they trade instead of ACME.US; may be given again', symbols)
    .option('--period <period>', 'how much time one bar covers, up to 1d', period)
    .option('--hook-timeout <seconds>', 'how long one call of a strategy may compute', positiveNumber)
    .option('--json', 'print the result as JSON')
    .action(async (names: readonly string[], options: TestOptions) => {
      const { testStrategies, trialText } = await import('../files/test-strategies.ts');
      const { code, trials } = await testStrategies(names, options, context);
      if (code !== EXIT.ok) {
        exit(code);
        return;
      }
      if (options.json === true) terminal.out(`${JSON.stringify({ trials })}\n`);
      else {
        const ink = inkFor(terminal.colour);
        terminal.out(trials.map((trial) => trialText(trial, ink)).join('\n'));
      }
      if (trials.some((trial) => trial.findings.length > 0)) exit(EXIT.failedCheck);
    });
};
