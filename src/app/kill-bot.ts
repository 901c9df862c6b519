import { askBot } from './ask-bot.ts';
import type { BotCard } from './bot-card.ts';
import { openKillMark } from './kill-mark.ts';
import type { KnownBot } from './running-bots.ts';

/** What a person wants killed, and how. */
export interface KillOrder {
  readonly reason: string;
  readonly flatten: boolean;
  readonly foreign: boolean;
  readonly by: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly project: string;
}

/** What came of a kill. */
export type Killed =
  /** The bot did it. */
  | { readonly kind: 'by-bot'; readonly message: string }
  /** The bot does not answer, or does not run, and its orders were cancelled past it. */
  | {
      readonly kind: 'past-bot';
      readonly cancelled: readonly string[];
      readonly failed: readonly string[];
      readonly why: string;
    }
  /** The mark lies there, and the bot opens nothing any more; `left` when orders may be open that nobody could cancel. */
  | { readonly kind: 'marked'; readonly why: string; readonly left: boolean };

/** A bot that has not taken a kill in by then is passed by. */
const HEARD_MS = 100;
/** One that took it in has so long to say that it is done: cancels wait for the call budget. */
const DONE_MS = 120_000;

/**
 * Kills a bot: the mark first, which its next order runs into whatever it is doing; then a word to the bot itself; and when
 * nobody there hears it, or it does not run at all, its orders are cancelled from here. Rejects only when not even the mark
 * can be written.
 * @see reliability.md, I-14
 */
export async function killBot(bot: KnownBot, order: KillOrder): Promise<Killed> {
  const { reason, flatten, foreign, by } = order;
  const mark = openKillMark(bot.path);
  mark.set(`${reason} (${by})`);
  mark.close();
  const { card, last } = bot;
  if (card === undefined) {
    const why = 'the bot does not run';
    return last === undefined || last.ownVenue
      ? { kind: 'marked', why, left: false }
      : cancelledPast(last, order, why);
  }
  const request = { kind: 'command', command: { kind: 'kill', flatten, foreign }, by, reason };
  const answer = await askBot(bot.path, { request, answerMs: DONE_MS, heardMs: HEARD_MS });
  if (answer.kind === 'done' || answer.kind === 'refused') return { kind: 'by-bot', message: answer.message };
  const silence = answer.kind === 'silent' ? answer.why : 'it said something else';
  return cancelledPast(card, order, `the bot is silent (${silence})`);
}

async function cancelledPast(card: BotCard, order: KillOrder, why: string): Promise<Killed> {
  const { cancelPastBot } = await import('./cancel-past-bot.ts');
  return cancelPastBot(card, order, why);
}
