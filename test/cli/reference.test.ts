import { join } from 'node:path';
import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { createProgram } from '#src/cli/program.ts';
import { referenceMarkdown } from '#src/cli/reference.ts';

const PAGE = join(import.meta.dirname, '../../docs/cli.md');

function unheard() {
  const silent = { out: () => undefined, err: () => undefined };
  return {
    terminal: { ...silent, view: { isTTY: false, colour: false, write: () => undefined }, colour: false },
    project: '.',
    exit: () => undefined,
    over: () => undefined,
  };
}

describe('docs/cli.md', () => {
  it('documents every command of the program ("npx vitest run test/cli/reference.test.ts -u" regenerates it)', async () => {
    await expect(referenceMarkdown(await createProgram(unheard()))).toMatchFileSnapshot(PAGE);
  });

  it('has a section for every command with an action, and no option for a secret', async () => {
    const page = referenceMarkdown(await createProgram(unheard()));
    for (const path of ['account', 'order submit', 'watchlist pin', 'catalogue album add', 'token refresh'])
      expect(page).toContain(`\n### sluice ${path}\n`);
    expect(page).not.toMatch(/`--[a-z-]*(?:secret|password|app-key|access-token)/);
  });
});

describe('the page of a program', () => {
  it('lists arguments, required options, choices and defaults', () => {
    const program = new Command('tool').description('A tool');
    program
      .command('do')
      .description('do a thing')
      .argument('<how>', 'how')
      .argument('[what...]', 'what | which')
      .requiredOption('--must <word>', 'has to be there')
      .option('--may <word>', 'need not', 'x');
    const page = referenceMarkdown(program);
    expect(page).toContain('```text\ntool do <how> [what...] --must <word> [options]\n```');
    expect(page).toContain('| `[what...]` | what \\| which |');
    expect(page).toContain('| `--may <word>` | need not (default: `x`) |');
    expect(page).toContain('\nDo a thing.\n');
  });
});
