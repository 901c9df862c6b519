import type { Command } from 'commander';
import type { ExitCode } from './exit-codes.ts';
import type { Terminal } from './output/terminal.ts';

/** The context that every command receives. */
export interface CommandContext {
  readonly terminal: Terminal;
  /** Folder of the user's project: the working directory. */
  readonly project: string;
  /** Sets the exit code; the last call counts. */
  readonly exit: (code: ExitCode) => void;
  /** Ends the process as soon as its output is written, without waiting for open handles. */
  readonly over: () => void;
}

/** Adds one command to the program. */
export type CommandRegistration = (program: Command, context: CommandContext) => void;
