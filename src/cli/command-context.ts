import type { Command } from 'commander';
import type { ExitCode } from './exit-codes.ts';
import type { Terminal } from './output/terminal.ts';

/** What every command gets. */
export interface CommandContext {
  readonly terminal: Terminal;
  /** Folder of the user's project: where the command runs. */
  readonly project: string;
  /** Says how the command ended; the last word counts. */
  readonly exit: (code: ExitCode) => void;
  /** Says that nothing is to be waited for: the process ends as soon as what it wrote is out. */
  readonly over: () => void;
}

/** Adds one command to the program. */
export type CommandRegistration = (program: Command, context: CommandContext) => void;
