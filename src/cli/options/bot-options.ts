import type { Command } from 'commander';
import { UsageError } from '../usage-error.ts';

/** The bot of a command, and the reason for it. */
export interface BotFlags {
  readonly bot?: string;
  readonly reason?: string;
  readonly json?: boolean;
}

/** Adds `--bot` and `--json`. */
export function botOptions(command: Command): Command {
  return command
    .option(
      '--bot <name>',
      'name or folder of the bot, or the name of its config while it runs (default: the one that runs here)',
    )
    .option('--json', 'print the outcome as JSON');
}

/** Adds the bot as an argument, in addition to `--bot` and `--json`. */
export function namedBotOptions(command: Command): Command {
  return botOptions(command.argument('[bot]', 'name, folder or config of the bot, the same as --bot'));
}

/** Returns the flags with the bot that either the argument or `--bot` names. */
export function withNamedBot<T extends BotFlags>(named: string | undefined, flags: T): T {
  if (named === undefined) return flags;
  if (flags.bot !== undefined && flags.bot !== named)
    throw new UsageError(`Two bots are named, "${named}" and --bot "${flags.bot}": name one`);
  return { ...flags, bot: named };
}
