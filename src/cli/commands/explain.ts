import type { CommandRegistration } from '../program.ts';

/** `sluice explain CONFIG`: what a bot will do, before it does. */
export const explainCommand: CommandRegistration = (program, { terminal, project }) => {
  program
    .command('explain')
    .description('say in plain words what a strategy YAML will do, its worst case, and what it needs')
    .argument('<config>', 'path of the strategy YAML')
    .option('--json', 'print the sentences as JSON')
    .action(async (path: string, options: { readonly json?: boolean }) => {
      const { explain } = await import('../../app/explain.ts');
      const said = await explain(path, project);
      if (options.json === true) terminal.out(`${JSON.stringify({ config: path, said })}\n`);
      else terminal.out(said.map(({ title, sentences }) => part(title, sentences)).join('\n'));
    });
};

const WIDTH = 78;

function part(title: string, sentences: readonly string[]): string {
  return `${title}\n${sentences.map((sentence) => wrapped(sentence)).join('\n')}\n`;
}

/** A sentence as a point of a list, at most 80 columns wide. */
function wrapped(sentence: string): string {
  const lines: string[] = [];
  for (const word of sentence.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || last.length + word.length + 1 > WIDTH) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines.map((line, index) => `${index === 0 ? '- ' : '  '}${line}`).join('\n');
}
