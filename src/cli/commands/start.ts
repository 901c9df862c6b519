import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { packageRoot } from '../../config/plugins/package-root.ts';
import type { RunRecord } from '../../events/run-record.ts';
import { interruptible } from '../bots/interruption.ts';
import type { CommandRegistration } from '../command-context.ts';
import { EXIT } from '../exit-codes.ts';

/** Configs of `sluice start`, and their first days: real daily prices first, then a generated intraday series. */
const SHOWN = [
  { config: 'config/sma-cross.yaml', from: '2010-01-04' },
  { config: 'config/hk-intraday.yaml' },
] as const;

/** Time for each config, machine milliseconds: the command ends within a minute on a slow machine, too. */
const SHOWN_FOR_MS = 20_000;

const NEXT = [
  ['npx sluice backtest config/sma-cross.yaml', 'the same strategy in virtual time'],
  ['npx sluice report config/sma-cross.yaml', 'charts, trades and costs on a page'],
  ['npx sluice parity config/sma-cross.yaml', 'proof that both decide the same'],
  ['npx sluice check config/*.yaml', 'every mistake before anything runs'],
] as const;

/** `sluice start`: a demonstration on paper with the included configs and data. */
export const startCommand: CommandRegistration = (program, { terminal, project, exit }) => {
  program
    .command('start')
    .description('trade the shipped configs on paper and show what flows through each stage')
    .action(async () => {
      const { abortedAfter } = await import('../../app/clock/every.ts');
      const { loadPaperRun } = await import('../../app/load/load-run.ts');
      const { changedConfig } = await import('../../app/research/config-changes.ts');
      const { watchedPaperRun } = await import('../bots/watched-run.ts');
      const { summaryText } = await import('../../reports/summary.ts');
      const records: RunRecord[] = [];
      await interruptible(async (interrupted, interrupt) => {
        for (const { config: shipped, ...changes } of SHOWN) {
          const path = existsSync(join(project, shipped))
            ? shipped
            : relative(project, join(packageRoot(), shipped));
          const loaded = await loadPaperRun(path, project, (config, declared) =>
            changedConfig(config, { strategy: declared }, changes),
          );
          const timedOut = abortedAfter(SHOWN_FOR_MS);
          const record = await watchedPaperRun(loaded, {
            terminal,
            project,
            interrupted: AbortSignal.any([interrupted, timedOut]),
            interrupt,
          });
          records.push(record);
          if (interrupted.aborted) break;
          if (timedOut.aborted)
            terminal.out(
              `Ended after ${SHOWN_FOR_MS / 1_000} s; "npx sluice run ${shipped}" trades to the end.\n`,
            );
        }
        if (interrupted.aborted) exit(EXIT.interrupted);
      });
      terminal.out(`\n${summaryText(records, { colour: terminal.colour })}\n${nextText()}`);
    });
};

function nextText(): string {
  const width = Math.max(...NEXT.map(([command]) => command.length));
  return [
    'What to try next:',
    ...NEXT.map(([command, why]) => `  ${command.padEnd(width)}  ${why}`),
    '',
  ].join('\n');
}
