import { setImmediate } from 'node:timers/promises';
import type { BotSnapshot } from '../../dashboard/bot-follower.ts';
import type { CommandResult } from '../../dashboard/bot-source.ts';
import { Bots } from '../../dashboard/bots.ts';
import { EnvironmentError } from '../broker/environment-error.ts';
import { projectBots } from './project-bots.ts';

/** Everything that is known of a bot at one moment: its own status and its journal. */
export type BotView = BotSnapshot;

/** One bot of a project, read as the dashboard reads it. */
export interface FollowedBot {
  /** Reads what is new in the journal and asks the bot itself. Rejects when the folder of the bot is gone. */
  refresh(): Promise<BotView>;
  command(kind: 'halt' | 'resume', reason: string): Promise<CommandResult>;
  /** Kills the bot, also one that hangs or does not run. */
  kill(reason: string): Promise<CommandResult>;
  close(): void;
}

/** Follows a bot of this project; `by` is who gives its commands, for the journal. */
export function followedBot(project: string, name: string, by: string): FollowedBot {
  const source = projectBots(project, by);
  const bots = new Bots(source, { pause: () => setImmediate() });
  return {
    refresh() {
      const bot = bots.find(name);
      if (bot === undefined)
        throw new EnvironmentError(`Cannot follow bot "${name}": its folder is gone from this project`);
      return bots.refresh(bot, 'some');
    },
    command: (kind, reason) => source.command(name, { kind }, reason),
    kill: (reason) => source.kill(name, reason),
    close: () => bots.close(),
  };
}
