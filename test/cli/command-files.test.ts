import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { COMMAND_FILES } from '#src/cli/command-files.ts';
import { createProgram } from '#src/cli/program.ts';

const SILENT = {
  terminal: {
    out: () => undefined,
    err: () => undefined,
    view: { isTTY: false, colour: false, write: () => undefined },
    colour: false,
  },
  project: '.',
  exit: () => undefined,
};

const namesOf = (program: Command): readonly string[] => program.commands.map((command) => command.name());

describe('the list of command files', () => {
  it.each(COMMAND_FILES)('names exactly the commands that a file adds: $names', async ({ names, load }) => {
    const program = new Command();
    (await load())(program, SILENT);
    expect(namesOf(program)).toEqual(names);
  });
});

describe('a program for one name', () => {
  it('has the commands of its file alone', async () => {
    expect(namesOf(await createProgram(SILENT, 'backtest'))).toEqual(['backtest']);
    expect(namesOf(await createProgram(SILENT, 'halt'))).toEqual(['resume', 'halt']);
  });

  it.each(['backtst', '--help', 'help', undefined])('has all commands when asked for %s', async (only) => {
    const all = COMMAND_FILES.flatMap(({ names }) => names);
    expect(namesOf(await createProgram(SILENT, only))).toEqual(all);
  });
});
