import type { CommandContext, CommandRegistration } from '../command-context.ts';
import { type BotFlags, namedBotOptions, withNamedBot } from '../options/bot-options.ts';

interface PauseFlags extends BotFlags {
  readonly reduceOnly?: boolean;
}

/** `sluice resume`, `sluice pause`, `sluice halt`: change the gate manually. */
export const resumeCommand: CommandRegistration = (program, context) => {
  namedBotOptions(
    program
      .command('resume')
      .description('resume a killed or halted bot; refused while orders or books are unsettled'),
  )
    .requiredOption('--reason <text>', 'what was wrong and why it is right now, for the journal')
    .action(async (named: string | undefined, flags: BotFlags) => {
      const { commandBot } = await import('../bots/command-bot.ts');
      await commandBot({ kind: 'resume' }, withNamedBot(named, flags), context);
    });
  pauseCommand('pause', 'stop a bot from sending orders, the same as "sluice halt"', { program, context });
  pauseCommand('halt', 'stop a bot from sending orders; what rests at the venue stays', { program, context });
};

/** Adds a command that halts the gate; two names, because the dashboard and the terminal view call it "pause". */
function pauseCommand(
  name: 'pause' | 'halt',
  description: string,
  {
    program,
    context,
  }: { readonly program: Parameters<CommandRegistration>[0]; readonly context: CommandContext },
): void {
  namedBotOptions(program.command(name).description(description))
    .option('--reduce-only', 'allow orders that reduce exposure only')
    .requiredOption('--reason <text>', 'why, for the journal')
    .action(async (named: string | undefined, { reduceOnly, ...flags }: PauseFlags) => {
      const { commandBot } = await import('../bots/command-bot.ts');
      const kind = reduceOnly === true ? 'reduce-only' : 'halt';
      await commandBot({ kind }, withNamedBot(named, flags), context);
    });
}
