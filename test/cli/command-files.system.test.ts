import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { COMMAND_FILES, COMMAND_GROUPS } from '#src/cli/command-files.ts';
import { createProgram } from '#src/cli/program.ts';
import { sluice } from './run-sluice.ts';

const SILENT = {
  terminal: {
    out: () => undefined,
    err: () => undefined,
    view: { isTTY: false, colour: false, write: () => undefined },
    colour: false,
  },
  project: '.',
  exit: () => undefined,
  over: () => undefined,
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
  it('has only the commands of its file', async () => {
    expect(namesOf(await createProgram(SILENT, 'backtest'))).toEqual(['backtest']);
    expect(namesOf(await createProgram(SILENT, 'halt'))).toEqual(['resume', 'pause', 'halt']);
  });

  it.each(['backtst', '--help', 'help', undefined])('has all commands when called with %s', async (only) => {
    const all = COMMAND_FILES.flatMap(({ names }) => names);
    expect(namesOf(await createProgram(SILENT, only))).toEqual(all);
  });
});

/** A command and all its subcommands. */
const tree = (command: Command): readonly Command[] => [command, ...command.commands.flatMap(tree)];

describe('help', () => {
  it('keeps within 80 columns, for every command', async () => {
    const commands = tree(await createProgram(SILENT));
    expect(commands.length).toBeGreaterThan(50);
    const wide = commands.flatMap((command) =>
      command
        .helpInformation()
        .split('\n')
        .filter((line) => line.length > 80),
    );
    expect(wide).toEqual([]);
  });

  it('groups commands by purpose', async () => {
    const text = (await createProgram(SILENT)).helpInformation();
    expect(text.match(/^[A-Z].*:$/gm)).toEqual([
      'Options:',
      ...Object.values(COMMAND_GROUPS).map((title) => `${title}:`),
      'Commands:',
    ]);
  });

  it('is suggested for an unknown word as that of the command, also of a subcommand', async () => {
    const ended = await sluice(['data', 'import', 'prices.csv', '--symbl', '700.HK']);
    expect(ended.code).toBe(2);
    expect(ended.err).toContain('Run "sluice data import --help"');
  });

  it('is an error for an unknown command', async () => {
    expect(await sluice(['foo', '--help'])).toMatchObject({ code: 2, out: '' });
    expect((await sluice(['data', 'frob', '-h'])).err).toMatch(/unknown command 'frob'/);
    expect((await sluice(['data', 'check', '-h'])).code).toBe(0);
  });
});

describe('a bot named as an argument', () => {
  it.each(['pause', 'halt', 'resume', 'kill'])('may not differ from --bot of %s', async (command) => {
    const two = await sluice([command, 'one', '--bot', 'other', '--reason', 'looks odd']);
    expect([two.code, two.err]).toEqual([2, expect.stringContaining('"one" and --bot "other": name one')]);
  });
});
