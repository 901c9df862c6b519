import { Command, CommanderError } from 'commander';
import { packageVersion } from '../config/plugins/package-root.ts';
import { TEXT_COLUMNS } from '../reports/format.ts';
import type { CommandContext } from './command-context.ts';
import { COMMAND_FILES, COMMAND_GROUPS } from './command-files.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { explain } from './explain-error.ts';
import { processTerminal } from './output/terminal.ts';

/** Creates the program with all its commands, or only with those of the file that has the command `only`. */
export async function createProgram(context: CommandContext, only?: string): Promise<Command> {
  const wanted = COMMAND_FILES.filter(({ names }) => only !== undefined && names.includes(only));
  const files = wanted.length > 0 ? wanted : COMMAND_FILES;
  const registrations = await Promise.all(
    files.map(async ({ group, load }) => ({ group, register: await load() })),
  );
  const program = new Command('sluice')
    .description('Bots that execute stock orders automatically: strategies, a risk gate, signed orders.')
    .version(packageVersion())
    .showSuggestionAfterError()
    .showHelpAfterError('Run "sluice --help" to see the commands')
    .configureHelp({ helpWidth: TEXT_COLUMNS, subcommandTerm: (command) => command.name() })
    .helpCommand('help [command]', 'show what a command takes')
    .exitOverride();
  for (const [group, title] of Object.entries(COMMAND_GROUPS)) {
    program.commandsGroup(`${title}:`);
    for (const each of registrations) if (each.group === group) each.register(program, context);
  }
  for (const command of program.commands) pointToHelp(command, 'sluice');
  return program;
}

/** Makes a command and its subcommands answer an unknown word with their own help. */
function pointToHelp(command: Command, above: string): void {
  const words = `${above} ${command.name()}`;
  command.exitOverride().showHelpAfterError(`Run "${words} --help"`);
  for (const each of command.commands) pointToHelp(each, words);
}

/** Length of a command line without words: Node.js and the program. */
const NOTHING_TYPED = 2;

/** Result of a command line. */
export interface CommandEnd {
  readonly code: number;
  /** True if the process must not wait for anything that the command left. */
  readonly isOver: boolean;
}

/** Runs one command line. Expected errors are one clear text on stderr; others keep their stack. */
export async function runCommandLine(argv: readonly string[]): Promise<CommandEnd> {
  const terminal = processTerminal();
  let code: ExitCode = EXIT.ok;
  let isOver = false;
  const context: CommandContext = {
    terminal,
    project: process.cwd(),
    exit: (next) => {
      code = next;
    },
    over: () => {
      isOver = true;
    },
  };
  try {
    if (argv.length <= NOTHING_TYPED) {
      const { whatNext } = await import('./output/what-next.ts');
      terminal.out(await whatNext(context.project));
      return { code, isOver };
    }
    const program = await createProgram(context, argv[NOTHING_TYPED]);
    await program.parseAsync(
      namesNothing(program, argv.slice(NOTHING_TYPED)) ? withoutHelp(argv) : [...argv],
    );
    return { code, isOver };
  } catch (error) {
    return { code: await codeOf(error, context), isOver: false };
  }
}

/** Commander throws after it has printed a message, also after printing help. */
async function codeOf(error: unknown, context: CommandContext): Promise<ExitCode> {
  if (!(error instanceof CommanderError)) return explain(error, context);
  return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
}

const HELP: ReadonlySet<string> = new Set(['-h', '--help']);

/** Whether a command line names a command that there is not; help for it is no answer, then. */
function namesNothing(program: Command, words: readonly string[]): boolean {
  let command = program;
  for (const word of words) {
    if (command.commands.length === 0 || word.startsWith('-') || word === 'help') return false;
    const next = command.commands.find((each) => each.name() === word);
    if (next === undefined) return true;
    command = next;
  }
  return false;
}

function withoutHelp(argv: readonly string[]): string[] {
  return argv.filter((word) => !HELP.has(word));
}
