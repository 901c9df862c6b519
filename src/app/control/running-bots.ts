import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, extname, join, relative } from 'node:path';
import { EnvironmentError } from '../broker/environment-error.ts';
import { WORK_DIR } from '../storage/open-store.ts';
import { BOT_INFO_FILE, type BotInfo, isRunning, readBotInfo } from './bot-info.ts';
import { killMarkPath } from './kill-mark.ts';

/** A bot of this project, running or not. */
export interface KnownBot {
  readonly name: string;
  readonly path: string;
  readonly shown: string;
  readonly running: BotInfo | undefined;
  /** Its latest run, finished or not; undefined if there was none of this version. */
  readonly lastRun: BotInfo | undefined;
}

const PARENTS = ['accounts', 'runs'] as const;

/** Lists the bots that ever ran in this project and can receive commands or be killed, the latest first. */
export function knownBots(project: string): readonly KnownBot[] {
  return PARENTS.flatMap((parent) => {
    const folder = join(project, WORK_DIR, parent);
    return existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
  })
    .flatMap((path) => {
      const changedAt = [killMarkPath(path), join(path, BOT_INFO_FILE)].flatMap(
        (file) => changedAtMs(file) ?? [],
      );
      return changedAt.length === 0 ? [] : [{ path, changedAt: Math.max(...changedAt) }];
    })
    .toSorted((a, b) => b.changedAt - a.changedAt)
    .map(({ path }) => {
      const lastRun = readBotInfo(path);
      const runs = lastRun !== undefined && lastRun.ended === undefined && isRunning(lastRun.pid);
      return {
        name: basename(path),
        path,
        shown: relative(project, path),
        running: runs ? lastRun : undefined,
        lastRun,
      };
    });
}

/** Modification time of a file; undefined if it is missing or not readable. */
function changedAtMs(path: string): number | undefined {
  try {
    return statSync(path).mtimeMs;
  } catch {
    return undefined;
  }
}

/**
 * Returns the bot with a name or folder, or else the only one that runs with a config of this path or name; without a
 * name, the only bot that runs, or else the only one that ran on a broker account. Throws EnvironmentError with the
 * list of bots if none or several match.
 */
export function namedBot(project: string, named: string | undefined): KnownBot {
  const all = knownBots(project);
  const fitting = named === undefined ? unnamed(all) : withName(all, named.replace(/\/$/, ''));
  const [only, ...others] = fitting;
  if (only !== undefined && others.length === 0) return only;
  throw new EnvironmentError(noBotReason(named, fitting.length > 0 ? fitting : all, fitting.length));
}

function withName(all: readonly KnownBot[], named: string): readonly KnownBot[] {
  const exact = all.filter(({ name, shown, path }) => [name, shown, path].includes(named));
  if (exact.length > 0) return exact;
  return all.filter(({ running }) => {
    if (running === undefined) return false;
    const { config } = running;
    return [config, basename(config), basename(config, extname(config))].includes(named);
  });
}

function unnamed(all: readonly KnownBot[]): readonly KnownBot[] {
  const running = all.filter((bot) => bot.running !== undefined);
  if (running.length > 0) return running;
  const onAccounts = all.filter(({ lastRun }) => lastRun?.ownVenue === false);
  return onAccounts.length === 1 ? onAccounts : [];
}

function noBotReason(named: string | undefined, bots: readonly KnownBot[], fitting: number): string {
  const list = bots.slice(0, 10).map(({ name, running: info }) => {
    const what = info === undefined ? 'does not run' : `runs as process ${info.pid}, ${info.config}`;
    return `\n  ${name} (${what})`;
  });
  const advice = 'name one with --bot, or as the argument of a command such as "sluice kill"';
  if (fitting > 1) {
    const what = named === undefined ? `${fitting} bots run` : `${fitting} bots match "${named}"`;
    return `Which bot? ${what}, ${advice}:${list.join('')}`;
  }
  if (list.length === 0)
    return `No bot has run in this folder yet: start one with "sluice run CONFIG", or go to the folder that it was started from`;
  const problem = named === undefined ? 'No bot is running here' : `No bot is called "${named}"`;
  return `${problem}. Bots of this folder:${list.join('')}\n  ${advice.replace('name', 'Name')}`;
}
