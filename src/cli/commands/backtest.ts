import { printReport } from '../print-report.ts';
import type { CommandRegistration } from '../program.ts';

/** `sluice backtest CONFIG`: the config's strategy over its past, in virtual time. */
export const backtestCommand: CommandRegistration = (program, { terminal, project }) => {
  program
    .command('backtest')
    .description('run a strategy YAML over its past in virtual time and print what came of it')
    .argument('<config>', 'path of the strategy YAML')
    .option('--json', 'print the report as JSON')
    .action(async (path: string, options: { readonly json?: boolean }) => {
      const { loadRun } = await import('../../app/load-run.ts');
      const { backtest } = await import('../../app/backtest.ts');
      const record = backtest(await loadRun(path, project));
      await printReport(record, { terminal, json: options.json === true });
    });
};
