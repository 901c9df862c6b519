import type { Command } from 'commander';

/** The bot of a command, and the reason for it. */
export interface BotFlags {
  readonly bot?: string;
  readonly reason?: string;
  readonly json?: boolean;
}

/** Adds `--bot` and `--json`. */
export function botOptions(command: Command): Command {
  return command
    .option('--bot <name>', 'name or folder of the bot (default: the one that runs here)')
    .option('--json', 'print the outcome as JSON');
}
