import { resolve } from 'node:path';
import type { TrialFacts } from '../../app/research/trial-facts.ts';
import type { ReportedPage } from '../../app/storage/run-source.ts';
import type { CommandRegistration } from '../command-context.ts';
import { EXIT } from '../exit-codes.ts';
import { day, params, positiveNumber } from '../options/option-values.ts';
import type { BacktestOptions } from '../output/print-backtest.ts';
import { UsageError } from '../usage-error.ts';

interface HookTimeout {
  readonly hookTimeout?: number;
}

/** `sluice backtest CONFIG`: runs a strategy over historical bars, in virtual time. */
export const backtestCommand: CommandRegistration = (program, context) => {
  program
    .command('backtest')
    .description('backtest a strategy YAML on historical bars and print the result')
    .argument('<config>', 'path of the strategy YAML')
    .option(
      '--param <name=value>',
      'value of a parameter, instead of the one in the YAML; may be repeated',
      params,
    )
    .option('--from <day>', 'first day, instead of the one in the YAML', day)
    .option('--to <day>', 'last day, instead of the one in the YAML', day)
    .option('--fills <file>', 'write every fill into a CSV file')
    .option(
      '--equity <file>',
      'write equity, drawdown and exposure at every close into a CSV file, which "sluice tearsheet" reads',
    )
    .option('--explain', 'add all figures, where the profit came from, definitions and assumptions')
    .option('--json', 'print the report as JSON')
    .option('--no-keep', 'keep no record of this backtest below .sluice/backtests')
    .option('--hook-timeout <seconds>', 'how long one call of a strategy may compute', positiveNumber)
    .action(async (path: string, { hookTimeout, ...options }: BacktestOptions & HookTimeout) => {
      const { fills, equity } = options;
      if (fills !== undefined && equity !== undefined && resolve(fills) === resolve(equity))
        throw new UsageError(`--fills and --equity name one file, "${fills}", want two files`);
      const { createSystemClock } = await import('../../app/clock/system-clock.ts');
      const startedAt = createSystemClock().now();
      const { sandboxed } = await import('../sandbox/sandboxed.ts');
      const asked = (['fills', 'equity'] as const).filter((file) => options[file] !== undefined);
      const written = new Map<unknown, string>();
      let trial: TrialFacts | undefined;
      let page: ReportedPage | undefined;
      // The report is printed after the files are written, or not at all.
      let report = '';
      const { terminal } = context;
      const held = {
        ...terminal,
        out: (text: string) => {
          report += text;
        },
      };
      const printingContext = asked.length === 0 ? context : { ...context, terminal: held };
      const code = await sandboxed({ command: 'backtest', path, options }, printingContext, {
        callSeconds: hookTimeout,
        onResult: (result) => {
          if (result['kind'] === 'trial') trial = result['facts'] as TrialFacts;
          if (result['kind'] === 'page') page = result as unknown as ReportedPage;
          if (result['kind'] === 'file' && typeof result['text'] === 'string')
            written.set(result['file'], result['text']);
        },
      });
      if (code === EXIT.ok && asked.length > 0) {
        const { WRITTEN_FILES, writeOutputFile } = await import('../files/write-file.ts');
        for (const file of asked) {
          const [path, csv] = [options[file], written.get(file)];
          if (path !== undefined && csv !== undefined)
            writeOutputFile(csv, { project: context.project, path, what: WRITTEN_FILES[file] });
        }
      }
      if (report !== '') terminal.out(report);
      if (trial !== undefined) {
        const { countTrial } = await import('../../app/research/trial-ledger.ts');
        const uncounted = countTrial(context.project, trial);
        if (uncounted !== undefined) terminal.err(`Warning: ${uncounted}\n`);
      }
      if (code === EXIT.ok && page !== undefined) {
        const { saveFinishedBacktest } = await import('../../app/storage/saved-backtests.ts');
        const kept = saveFinishedBacktest(
          { reported: page, startedAt, path, options: changesOf(options) },
          context.project,
        );
        if ('warning' in kept) terminal.err(`Warning: ${kept.warning}\n`);
        else if (options.json !== true)
          terminal.err(`Kept as ${kept.folder}: open or compare it in "sluice ui"\n`);
      }
      context.exit(code);
      context.over();
    });
};

/** The options that change the config, as typed. */
function changesOf({ param = {}, from, to }: BacktestOptions): readonly string[] {
  return [
    ...Object.entries(param).map(([name, value]) => `--param ${name}=${value}`),
    ...(from === undefined ? [] : [`--from ${from}`]),
    ...(to === undefined ? [] : [`--to ${to}`]),
  ];
}
