import { problemText } from '../../config/config-error.ts';
import type { ConfigProblem } from '../../config/config-problem.ts';
import { EXIT } from '../exit-codes.ts';
import type { CommandRegistration } from '../program.ts';

/** `sluice check CONFIG...`: every mistake of every file in one list. */
export const checkCommand: CommandRegistration = (program, { terminal, project, exit }) => {
  program
    .command('check')
    .description('list every mistake in strategy YAMLs, with line, column and what was meant')
    .argument('<configs...>', 'paths of strategy YAMLs')
    .option('--json', 'print the list as JSON')
    .action(async (paths: readonly string[], options: { readonly json?: boolean }) => {
      const { checkConfig } = await import('../../app/load-run.ts');
      const problems: ConfigProblem[] = [];
      const fine: string[] = [];
      for (const path of paths) {
        const loaded = await checkConfig(path, project);
        if (loaded.kind === 'ok') fine.push(path);
        else problems.push(...loaded.problems);
      }
      if (options.json === true) terminal.out(`${JSON.stringify({ ok: fine, problems })}\n`);
      else terminal.out(text(fine, problems));
      if (problems.length > 0) exit(EXIT.config);
    });
};

function text(fine: readonly string[], problems: readonly ConfigProblem[]): string {
  const lines = [...problems.map(problemText), ...fine.map((path) => `${path}: ok`)];
  const total =
    problems.length === 0 ? [] : [`${problems.length} ${problems.length === 1 ? 'problem' : 'problems'}`];
  return `${[...lines, ...total].join('\n')}\n`;
}
