import { omitUndefined } from '../../model/omit-undefined.ts';
import type { BotInfo } from './bot-info.ts';
import { isKillMarked, markKill } from './kill-mark.ts';
import type { KillOrder, Stopped } from './kill-order.ts';
import { type BotResponse, requestBot } from './request-bot.ts';
import type { KnownBot } from './running-bots.ts';

/** Result of a kill; `unmarked`: why the mark is not on disk, so that the bot's next start would open orders. */
export type Killed = Stopped & { readonly unmarked?: string };
/** Time in which a bot must acknowledge a kill; after it the kill bypasses the bot. */
const ACKNOWLEDGEMENT_MS = 100;
/** Time in which a bot must finish a kill that it acknowledged: cancels wait for the call budget. */
const KILL_TIMEOUT_MS = 120_000;
/** Time after which a disk without the mark counts as not writable. */
const MARK_TIMEOUT_MS = 5_000;

/**
 * Kills a bot in three ways, each of which works without the others: a command to the bot; cancels from this process
 * if the bot does not execute the command or does not run; and a mark on disk, which blocks its next order and its
 * next start. A disk that fails or hangs delays no cancel. Always resolves.
 * @see docs/reliability.md, I-14
 */
export async function killBot(bot: KnownBot, order: KillOrder): Promise<Killed> {
  const reason = `${order.reason} (${order.by})`;
  const { running, lastRun } = bot;
  if (running === undefined) {
    const why = 'the bot does not run';
    const hasOrders = lastRun !== undefined && !lastRun.ownVenue;
    const stopping = hasOrders
      ? cancelledOutOfBand(bot.path, lastRun, order, why)
      : Promise.resolve<Stopped>({ kind: 'marked', why, left: false });
    return withMark(stopping, writeMark(bot.path, reason));
  }
  const { flatten, foreign, by } = order;
  const command = { kind: 'kill', flatten, foreign };
  const request = { kind: 'command', command, by, reason: order.reason };
  const answer = await requestBot(bot.path, {
    request,
    timeoutMs: KILL_TIMEOUT_MS,
    acknowledgementMs: ACKNOWLEDGEMENT_MS,
  });
  if (answer.kind === 'done') {
    // The bot writes the mark before it acts.
    const { message, open, unread } = answer;
    const stopped = { kind: 'by-bot', message, ...omitUndefined({ open, unread }) } as const;
    return isKillMarked(bot.path) ? stopped : withMark(Promise.resolve(stopped), writeMark(bot.path, reason));
  }
  const stopping = cancelledOutOfBand(bot.path, running, order, failureText(answer));
  return withMark(stopping, writeMark(bot.path, reason));
}

/** Returns why the bot did not execute the kill; a bot of another version may refuse the request. */
function failureText(answer: Exclude<BotResponse, { kind: 'done' }>): string {
  if (answer.kind === 'refused') return `the bot refused the kill (${answer.message})`;
  return `the bot does not respond (${answer.kind === 'silent' ? answer.why : 'unexpected response to a kill'})`;
}

/** Writes the mark; resolves with the reason if that failed. */
function writeMark(folder: string, reason: string): Promise<string | undefined> {
  const late = new Promise<string>((resolve) => {
    setTimeout(
      () => resolve(`the disk did not answer within ${MARK_TIMEOUT_MS} ms`),
      MARK_TIMEOUT_MS,
    ).unref();
  });
  const done = markKill(folder, reason).then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
  return Promise.race([done, late]);
}

async function withMark(stopping: Promise<Stopped>, marking: Promise<string | undefined>): Promise<Killed> {
  const [stopped, unmarked] = await Promise.all([stopping, marking]);
  return unmarked === undefined ? stopped : { ...stopped, unmarked };
}

async function cancelledOutOfBand(
  folder: string,
  info: BotInfo,
  order: KillOrder,
  why: string,
): Promise<Stopped> {
  const { cancelOutOfBand } = await import('./cancel-out-of-band.ts');
  return cancelOutOfBand({ folder, info }, order, why);
}
