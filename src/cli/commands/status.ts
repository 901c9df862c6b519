import { Option } from 'commander';
import type { StatusFlags } from '../bots/show-status.ts';
import type { CommandRegistration } from '../command-context.ts';
import { botOptions } from '../options/bot-options.ts';

/** `sluice status`, from the bot while it runs, otherwise from its journal; `sluice watch`, the same continuously. */
export const statusCommand: CommandRegistration = (program, context) => {
  botOptions(
    program
      .command('status')
      .description(
        'show the state of a bot: gate and its reason, age of quotes, positions, open and unknown orders',
      ),
  )
    .option('--env', 'print the main facts as lines that a shell can source')
    .action(async (flags: StatusFlags) => {
      const { showStatus } = await import('../bots/show-status.ts');
      await showStatus(flags, context);
    });
  program
    .command('watch')
    .description(
      'show a running bot on the terminal, with keys to kill, pause and resume it; without a terminal, print events line by line',
    )
    .option('--bot <name>', 'name or folder of the bot (default: the one that runs here)')
    // For "sluice run", which starts this command as its own view.
    .addOption(new Option('--of-run', 'the view of the run that started this process').hideHelp())
    .action(async ({ bot, ofRun = false }: { readonly bot?: string; readonly ofRun?: boolean }) => {
      const { watchBot } = await import('../bots/watch-bot.ts');
      await watchBot(bot, { ofRun }, context);
    });
};
