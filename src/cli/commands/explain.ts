import { beside } from '../../reports/format.ts';
import { inkFor } from '../../reports/ink.ts';
import type { CommandRegistration } from '../command-context.ts';

/** `sluice explain CONFIG`: describes what a bot would do. */
export const explainCommand: CommandRegistration = (program, { terminal, project }) => {
  program
    .command('explain')
    .description('explain in plain words what a strategy YAML will do, its worst case, and what it needs')
    .argument('<config>', 'path of the strategy YAML')
    .option('--json', 'print the sentences as JSON')
    .action(async (path: string, options: { readonly json?: boolean }) => {
      const { explain } = await import('../../app/explain/explain.ts');
      const explanation = await explain(path, project);
      if (options.json === true) terminal.out(`${JSON.stringify({ config: path, said: explanation })}\n`);
      else {
        const { bold } = inkFor(terminal.colour);
        const points = (sentences: readonly string[]): string =>
          sentences.map((sentence) => `${beside('- ', sentence)}\n`).join('');
        terminal.out(
          explanation.map(({ title, sentences }) => `${bold(title)}\n${points(sentences)}`).join('\n'),
        );
      }
    });
};
