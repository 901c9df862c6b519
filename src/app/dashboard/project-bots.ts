import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type {
  BotSource,
  BotState,
  ListedBot,
  LivePipeline,
  LivePrices,
  LiveStatus,
} from '../../dashboard/bot-source.ts';
import { tailSqliteJournal } from '../../journal/tail.ts';
import { omitUndefined } from '../../model/omit-undefined.ts';
import { intentId } from '../../model/order.ts';
import { securitySymbol } from '../../model/symbol.ts';
import { RULES } from '../../risk/rules.ts';
import type { BotPipeline } from '../control/bot-pipeline.ts';
import type { BotPrices } from '../control/bot-prices.ts';
import type { BotStatus } from '../control/bot-status.ts';
import type { SocketCommand } from '../control/control-message.ts';
import { type Killed, killBot } from '../control/kill-bot.ts';
import { killMarkPath, markedKill } from '../control/kill-mark.ts';
import { cancelsText } from '../control/kill-order.ts';
import { requestBot } from '../control/request-bot.ts';
import { type KnownBot, knownBots } from '../control/running-bots.ts';
import { withDotEnv } from '../credentials/dot-env.ts';

/** Timeout after which a bot counts as silent. */
const STATUS_MS = 2_000;
/** Longest wait of a command for the call budget and for the engine. */
const COMMAND_MS = 60_000;

/** The bots of a project folder for a dashboard; `by` is the origin of commands in the journal. */
export function projectBots(project: string, by = 'dashboard'): BotSource {
  const find = (name: string): KnownBot | undefined => knownBots(project).find((bot) => bot.name === name);

  return {
    list: () =>
      knownBots(project).map((bot) => ({
        name: bot.name,
        state: stateOf(bot),
        strategy: bot.lastRun?.strategy ?? '',
        config: bot.lastRun?.config ?? '',
        mode: modeOf(bot.lastRun),
        origin: bot.lastRun?.origin,
        since: bot.lastRun?.since ?? '',
        span: bot.lastRun?.span,
      })),
    journal(name) {
      const path = join(find(name)?.path ?? '', 'journal.db');
      return existsSync(path) ? tailSqliteJournal(path) : undefined;
    },
    async status(name) {
      const bot = find(name);
      if (bot?.running === undefined) return undefined;
      const answer = await requestBot(bot.path, { request: { kind: 'status' }, timeoutMs: STATUS_MS });
      return answer.kind === 'status' ? (answer.status as BotStatus satisfies LiveStatus) : undefined;
    },
    async prices(name, symbol, series = false) {
      const bot = find(name);
      if (bot?.running === undefined) return undefined;
      const request = { kind: 'prices', series, ...omitUndefined({ symbol }) };
      const answer = await requestBot(bot.path, { request, timeoutMs: STATUS_MS });
      return answer.kind === 'prices' ? (answer.prices as BotPrices satisfies LivePrices) : undefined;
    },
    async pipeline(name) {
      const bot = find(name);
      if (bot?.running === undefined) return undefined;
      const answer = await requestBot(bot.path, { request: { kind: 'pipeline' }, timeoutMs: STATUS_MS });
      return answer.kind === 'pipeline' ? (answer.pipeline as BotPipeline satisfies LivePipeline) : undefined;
    },
    rules: RULES.map(({ name }) => name),
    killMark(name) {
      const bot = find(name);
      if (bot === undefined) return undefined;
      try {
        return markedKill(killMarkPath(bot.path))?.reason;
      } catch {
        // A bot that was never killed has no mark.
        return undefined;
      }
    },
    async command(name, command, reason) {
      const bot = find(name);
      if (bot?.running === undefined)
        return { kind: 'refused', message: `Bot "${name}" does not run: start it with "sluice run"` };
      const request = { kind: 'command', command: socketCommandOf(command), by, reason };
      const answer = await requestBot(bot.path, { request, timeoutMs: COMMAND_MS });
      if (answer.kind === 'done' || answer.kind === 'refused') return answer;
      const why = answer.kind === 'silent' ? answer.why : 'unexpected response to a command';
      return {
        kind: 'silent',
        message: `Bot "${name}" does not answer (${why}); it is unknown whether it executes the command; a kill works without it`,
      };
    },
    async kill(name, reason) {
      const bot = find(name);
      if (bot === undefined) return { kind: 'refused', message: `No bot is called "${name}"` };
      const killed = await killBot(bot, {
        reason,
        flatten: false,
        foreign: false,
        by,
        project,
        environment: environmentOf(project),
      });
      return { kind: 'done', message: killedText(name, killed) };
    },
  };
}

function stateOf({ running, lastRun }: KnownBot): BotState {
  if (running !== undefined) return 'running';
  return lastRun !== undefined && lastRun.ended === undefined ? 'died' : 'ended';
}

/** A bot on an embedded venue is on paper, even if its file of an earlier version has no mode. */
function modeOf(last: KnownBot['lastRun']): ListedBot['mode'] {
  return last?.mode ?? (last?.ownVenue === true ? 'paper' : null);
}

function socketCommandOf(command: Parameters<BotSource['command']>[1]): SocketCommand {
  switch (command.kind) {
    case 'cancel-all':
    case 'flatten': {
      const { kind, symbols } = command;
      return { kind, ...(symbols === undefined ? {} : { symbols: symbols.map(securitySymbol) }) };
    }
    case 'settle':
      return { ...command, intentId: intentId(command.intentId) };
    default:
      return command;
  }
}

/** The environment with `.env`; a kill continues if the file cannot be read. */
function environmentOf(project: string): Readonly<Record<string, string | undefined>> {
  try {
    return withDotEnv(process.env, project);
  } catch {
    return process.env;
  }
}

function killedText(name: string, killed: Killed): string {
  const mark =
    killed.unmarked === undefined
      ? `${name} is marked as killed and opens no more positions`
      : `${name} could NOT be marked as killed (${killed.unmarked}): end its process, and kill it again when the disk can be written`;
  switch (killed.kind) {
    case 'by-bot':
      return killed.unmarked === undefined ? killed.message : `${killed.message}; ${mark}`;
    case 'past-bot':
      return `${mark}: ${killed.why}. ${cancelsText(killed)}`;
    case 'marked':
      return `${mark}: ${killed.why}`;
  }
}
