import type { SocketCommand } from '../../app/control/control-message.ts';
import type { CommandContext } from '../command-context.ts';
import { EXIT } from '../exit-codes.ts';
import type { BotFlags } from '../options/bot-options.ts';

/** A command waits for the call budget and for the event that is being processed; none takes longer than this. */
const ANSWER_MS = 60_000;

/** Sends a command to a running bot and prints its result; a refusal is a failed check. */
export async function commandBot(
  command: SocketCommand,
  { bot, reason = '', json }: BotFlags,
  { terminal, project, exit }: CommandContext,
): Promise<void> {
  const { namedBot } = await import('../../app/control/running-bots.ts');
  const { requestBot } = await import('../../app/control/request-bot.ts');
  const { EnvironmentError } = await import('../../app/broker/environment-error.ts');
  const named = namedBot(project, bot);
  if (named.running === undefined) throw new EnvironmentError(notRunning(named.name));
  const request = { kind: 'command', command, by: 'cli', reason };
  const answer = await requestBot(named.path, { request, timeoutMs: ANSWER_MS });
  if (answer.kind === 'silent' && answer.gone) throw new EnvironmentError(notRunning(named.name));
  if (answer.kind !== 'done' && answer.kind !== 'refused')
    throw new EnvironmentError(
      `Bot "${named.name}" (process ${named.running.pid}) does not answer: ${answer.kind === 'silent' ? answer.why : 'unexpected answer'}\n  "sluice kill" works past a bot that hangs`,
    );
  terminal.out(json === true ? `${JSON.stringify(answer)}\n` : `${answer.message}\n`);
  if (answer.kind === 'refused') exit(EXIT.failedCheck);
}

function notRunning(name: string): string {
  return `Bot "${name}" does not run, so it cannot carry out a command\n  Start it with "sluice run": it applies the journal and the kill file from its first moment`;
}
