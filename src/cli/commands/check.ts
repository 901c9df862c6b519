import { problemText } from '../../config/config-error.ts';
import type { ConfigProblem } from '../../config/config-problem.ts';
import { EXIT } from '../exit-codes.ts';
import type { CommandRegistration } from '../program.ts';

/** `sluice check CONFIG...`: every mistake of every file in one list; warnings alone are no failure. */
export const checkCommand: CommandRegistration = (program, { terminal, project, exit }) => {
  program
    .command('check')
    .description('list every mistake in strategy YAMLs, with line, column and what was meant')
    .argument('<configs...>', 'paths of strategy YAMLs')
    .option('--json', 'print the list as JSON')
    .action(async (paths: readonly string[], options: { readonly json?: boolean }) => {
      const { checkConfig } = await import('../../app/load-run.ts');
      const problems: ConfigProblem[] = [];
      const warnings: ConfigProblem[] = [];
      const fine: string[] = [];
      for (const path of paths) {
        const loaded = await checkConfig(path, project);
        if (loaded.kind === 'problems') problems.push(...loaded.problems);
        else {
          fine.push(path);
          warnings.push(...loaded.warnings);
        }
      }
      if (options.json === true) terminal.out(`${JSON.stringify({ ok: fine, problems, warnings })}\n`);
      else terminal.out(text(fine, problems, warnings));
      if (problems.length > 0) exit(EXIT.config);
    });
};

function text(
  fine: readonly string[],
  problems: readonly ConfigProblem[],
  warnings: readonly ConfigProblem[],
): string {
  const lines = [
    ...problems.map(problemText),
    ...warnings.map((warning) => `Warning: ${problemText(warning)}`),
    ...fine.map((path) => `${path}: ok`),
  ];
  const totals = [counted(problems.length, 'problem'), counted(warnings.length, 'warning')].flat();
  return `${[...lines, ...totals].join('\n')}\n`;
}

/** How many of something there are, when there are any. */
function counted(count: number, noun: string): readonly string[] {
  return count === 0 ? [] : [`${count} ${count === 1 ? noun : `${noun}s`}`];
}
