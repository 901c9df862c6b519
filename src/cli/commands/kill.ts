import type { FlatEnd, FlatFollower } from '../../app/control/follow-flat.ts';
import type { Killed } from '../../app/control/kill-bot.ts';
import { cancelsText, mayTrade } from '../../app/control/kill-order.ts';
import { withDotEnv } from '../../app/credentials/dot-env.ts';
import type { CommandRegistration } from '../command-context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { type BotFlags, namedBotOptions, withNamedBot } from '../options/bot-options.ts';

interface KillFlags extends BotFlags {
  readonly flatten?: boolean;
  readonly foreign?: boolean;
  readonly wait?: string;
}

/** `sluice kill`: cancels all orders and opens none until the operator resumes. */
export const killCommand: CommandRegistration = (program, { terminal, project, exit }) => {
  namedBotOptions(
    program
      .command('kill')
      .description(
        'stop a bot: cancel its orders and open nothing more until "sluice resume", even if the bot hangs',
      ),
  )
    .option('--flatten', 'give up what is held, too, and show how far that is until it is flat')
    .option('--wait <seconds>', 'with --flatten: end the display after so many seconds; the bot continues')
    .option('--foreign', "cancel orders on the account that are not the bot's, too")
    .option('--reason <text>', 'why, for the journal', 'killed by hand')
    .action(async (named: string | undefined, given: KillFlags) => {
      const flags = withNamedBot(named, given);
      const { namedBot } = await import('../../app/control/running-bots.ts');
      const { killBot } = await import('../../app/control/kill-bot.ts');
      const bot = namedBot(project, flags.bot);
      const { reason = 'killed by hand', flatten = false, foreign = false } = flags;
      const killing = killBot(bot, {
        reason,
        flatten,
        foreign,
        by: 'cli',
        project,
        environment: withDotEnvIfAny(project, terminal.err),
      });
      const follower =
        flatten && flags.json !== true && bot.running !== undefined
          ? await followed(bot.path, (line) => terminal.err(`${line}\n`))
          : undefined;
      const killed = await killing;
      terminal.out(
        flags.json === true ? `${JSON.stringify(killed)}\n` : killedText(bot.name, killed, flatten),
      );
      if (follower === undefined || killed.kind !== 'by-bot') {
        follower?.stop();
        exit(killedCode(killed));
        return;
      }
      const end = await follower.untilFlat(waitMsOf(flags.wait, terminal.err));
      terminal.err(flatEndText(bot.name, end));
      // A bot that is flat has no open order any more, whatever was open when it answered.
      const code = killedCode(end === 'flat' && !foreign ? { ...killed, open: [] } : killed);
      if (end === 'interrupted') exit(EXIT.interrupted);
      else exit(code === EXIT.ok && end !== 'flat' ? EXIT.failedCheck : code);
    });
};

function killedCode(killed: Killed): ExitCode {
  if (mayTrade(killed)) return EXIT.broker;
  return killed.unmarked === undefined ? EXIT.ok : EXIT.journal;
}

/** Ctrl-C ends the display only; a second one ends the command. The kill continues in the bot in both cases. */
async function followed(folder: string, show: (line: string) => void): Promise<FlatFollower | undefined> {
  try {
    const { followFlat } = await import('../../app/control/follow-flat.ts');
    const follower = followFlat(folder, show);
    process.once('SIGINT', () => {
      follower.stop();
      process.once('SIGINT', () => process.exit(EXIT.interrupted));
    });
    return follower;
  } catch {
    // The kill does not depend on the display.
    return undefined;
  }
}

/** An invalid number of seconds must not prevent a kill. */
function waitMsOf(seconds: string | undefined, warn: (text: string) => void): number {
  if (seconds === undefined) return Number.POSITIVE_INFINITY;
  const value = Number(seconds);
  if (seconds.trim() !== '' && value >= 0) return value * 1_000;
  warn(`--wait ${seconds} is not a number of seconds: shown until flat, end the display with Ctrl-C\n`);
  return Number.POSITIVE_INFINITY;
}

function flatEndText(name: string, end: FlatEnd): string {
  switch (end) {
    case 'flat':
    case 'kept':
      return '';
    case 'under way':
      return `${name} is not flat yet and continues to flatten: "sluice status" shows its state\n`;
    case 'interrupted':
      return `The display ended; ${name} continues to flatten: "sluice status" shows its state\n`;
    case 'silent':
      return `${name} does not answer any more: "sluice status" shows its state from the journal\n`;
  }
}

/** The environment with `.env`; a kill continues if the file cannot be read or used. */
function withDotEnvIfAny(project: string, warn: (text: string) => void) {
  try {
    return withDotEnv(process.env, project);
  } catch (error) {
    warn(`${error instanceof Error ? error.message : String(error)}\n`);
    return process.env;
  }
}

function killedText(name: string, killed: Killed, flatten: boolean): string {
  const { unmarked } = killed;
  const mark =
    unmarked === undefined
      ? `${name} is marked as killed and opens no more positions`
      : `${name} could NOT be marked as killed (${unmarked}): if it continues or is restarted, it opens orders; end its process, and repeat "sluice kill" when the disk can be written`;
  switch (killed.kind) {
    case 'by-bot':
      return `${name}: ${killed.message}\n${unmarked === undefined ? '' : `${mark}\n`}`;
    case 'past-bot':
      return (
        `${mark}: ${killed.why}\n` +
        `${cancelsText(killed)}\n` +
        (flatten
          ? 'No position was closed from here, and the bot closes them should it run again: end its process before you close any yourself\n'
          : '')
      );
    case 'marked':
      return `${mark}: ${killed.why}\n`;
  }
}
