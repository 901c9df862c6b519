import type { StatusFlags } from '../bots/show-status.ts';
import type { CommandRegistration } from '../command-context.ts';
import { botOptions } from '../options/bot-options.ts';

/** `sluice status`: the status of a bot, from the bot while it runs, otherwise from its journal. */
export const statusCommand: CommandRegistration = (program, context) => {
  botOptions(
    program
      .command('status')
      .description('show the state of a bot: gate and why, feed ages, positions, open and unknown orders'),
  )
    .option('--env', 'print the main facts as lines that a shell can source')
    .action(async (flags: StatusFlags) => {
      const { showStatus } = await import('../bots/show-status.ts');
      await showStatus(flags, context);
    });
};
