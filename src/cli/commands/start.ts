import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { packageRoot } from '../../config/plugins/package-root.ts';
import type { RunRecord } from '../../events/run-record.ts';
import { interruptible } from '../bots/interruption.ts';
import type { CommandRegistration } from '../command-context.ts';
import { EXIT } from '../exit-codes.ts';

/** Configs of `sluice start`: real daily prices first, then a generated intraday series. */
const SHOWN = ['config/sma-cross.yaml', 'config/hk-intraday.yaml'];

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
      const { loadPaperRun } = await import('../../app/load/load-run.ts');
      const { watchedPaperRun } = await import('../bots/watched-run.ts');
      const { summaryText } = await import('../../reports/summary.ts');
      const records: RunRecord[] = [];
      await interruptible(async (interrupted, interrupt) => {
        for (const shipped of SHOWN) {
          const path = existsSync(join(project, shipped))
            ? shipped
            : relative(project, join(packageRoot(), shipped));
          const record = await watchedPaperRun(await loadPaperRun(path, project), {
            terminal,
            project,
            interrupted,
            interrupt,
          });
          records.push(record);
          if (interrupted.aborted) break;
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
