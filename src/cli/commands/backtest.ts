import type { CalendarDay } from '../../model/time.ts';
import { boundedAlarms } from '../alarm-line.ts';
import { given } from '../given.ts';
import { day, params } from '../option-values.ts';
import { printReport } from '../print-report.ts';
import type { CommandRegistration } from '../program.ts';

interface BacktestOptions {
  readonly param?: Readonly<Record<string, number | boolean | string>>;
  readonly from?: CalendarDay;
  readonly to?: CalendarDay;
  readonly json?: boolean;
}

/** `sluice backtest CONFIG`: the config's strategy over its past, in virtual time. */
export const backtestCommand: CommandRegistration = (program, { terminal, project }) => {
  program
    .command('backtest')
    .description('run a strategy YAML over its past in virtual time and print what came of it')
    .argument('<config>', 'path of the strategy YAML')
    .option('--param <name=value>', 'a parameter in place of the one in the YAML; may be given again', params)
    .option('--from <day>', 'first day in place of the one in the YAML', day)
    .option('--to <day>', 'last day in place of the one in the YAML', day)
    .option('--json', 'print the report as JSON')
    .action(async (path: string, options: BacktestOptions) => {
      const { loadRun } = await import('../../app/load-run.ts');
      const { backtest } = await import('../../app/backtest.ts');
      const { changedConfig } = await import('../../app/config-changes.ts');
      const { createSystemTimers } = await import('../../app/system-timers.ts');
      const { openProgress } = await import('../progress.ts');
      const { param, from, to } = options;
      const changes = given({ params: param, from, to });
      const loaded = await loadRun(path, project, (config, strategy, members) =>
        changedConfig(config, { strategy, members }, changes),
      );
      const progress = openProgress('Backtest', terminal.view, createSystemTimers());
      const alarms = boundedAlarms((line) => progress.say(line));
      const record = backtest(loaded, { onAlarm: alarms.raise, onProgress: (share) => progress.at(share) });
      progress.end();
      alarms.end();
      await printReport(record, { terminal, json: options.json === true });
    });
};
