import type { CommandRegistration } from '../command-context.ts';
import { type BotFlags, botOptions } from '../options/bot-options.ts';

/** `sluice resume --reason`, `sluice halt`: change the gate manually. */
export const resumeCommand: CommandRegistration = (program, context) => {
  botOptions(
    program
      .command('resume')
      .description('let a killed or halted bot trade again; refused while orders or books are unsettled'),
  )
    .requiredOption('--reason <text>', 'what was wrong and why it is right now, for the journal')
    .action(async (flags: BotFlags) => {
      const { commandBot } = await import('../bots/command-bot.ts');
      await commandBot({ kind: 'resume' }, flags, context);
    });
  botOptions(
    program.command('halt').description('stop a bot from sending orders; what rests at the venue stays'),
  )
    .option('--reduce-only', 'allow orders that reduce exposure only')
    .requiredOption('--reason <text>', 'why, for the journal')
    .action(async ({ reduceOnly, ...flags }: BotFlags & { readonly reduceOnly?: boolean }) => {
      const { commandBot } = await import('../bots/command-bot.ts');
      await commandBot({ kind: reduceOnly === true ? 'reduce-only' : 'halt' }, flags, context);
    });
};
