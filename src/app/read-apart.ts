import { statSync } from 'node:fs';
import { feedOf } from '../backtest/setup.ts';
import type { BotConfig } from '../config/bot-config.ts';
import type { PluginReader, PluginReading } from '../config/plugin-loader.ts';
import { createWorkerHost, type WorkerHost, type WorkerHostOptions } from '../hosts/worker.ts';
import { WorkerStartError } from '../hosts/worker-start-error.ts';
import { printable } from '../model/printable.ts';
import { millis } from '../model/time.ts';
import type { StrategyFacts } from '../strategy/strategy-facts.ts';
import { createSystemClock } from './system-clock.ts';

const WHAT_CHARS = 400;

/**
 * Reads a strategy's file in a thread that lives no longer than that: a top level that throws, loops, exits or takes all the
 * memory it can get ends in a fault, and costs this process nothing.
 */
export const readApart: PluginReader<StrategyFacts> = (file, said) => {
  const { mtimeMs, size } = statSync(file);
  const version = [file, mtimeMs, size, said].join(' ');
  const known = looked.get(version) ?? look(file, said);
  if (looked.size < LOOKED_MAX) looked.set(version, known);
  return known;
};

/** A command that reads ten configs of one strategy looks at it once. */
const looked = new Map<string, ReturnType<PluginReader<StrategyFacts>>>();
const LOOKED_MAX = 1_000;

async function look(file: string, said: string): Promise<PluginReading<StrategyFacts>> {
  try {
    const strategy = await lookAt({ file, params: {}, symbols: [] }, async ({ facts }) => facts);
    return { kind: 'ok', plugin: strategy };
  } catch (error) {
    if (!(error instanceof WorkerStartError) || error.failure === undefined) throw error;
    const { fault, what } = error.failure;
    const code = fault === 'bad-signals' ? 'import-failed' : fault;
    return { kind: 'fault', code, what: printable(what.replaceAll(file, said), WHAT_CHARS) };
  }
}

/**
 * How many bars of each symbol warm a bot's strategies up at most, found out in a thread of its own. Throws WorkerStartError when the
 * strategy cannot be loaded or its signals cannot be built.
 */
export async function warmupOf(
  { params, period, symbols, members }: BotConfig,
  { strategyFile, memberFiles }: { readonly strategyFile: string; readonly memberFiles?: readonly string[] },
): Promise<number> {
  if (members.length === 0) return warmupIn({ params, period, symbols }, strategyFile);
  let most = 0;
  for (const [at, member] of members.entries())
    most = Math.max(most, await warmupIn({ ...member, period }, memberFiles?.[at] ?? ''));
  return most;
}

function warmupIn(
  { params, period, symbols }: Pick<BotConfig, 'params' | 'period' | 'symbols'>,
  file: string,
): Promise<number> {
  return lookAt(
    { file, params, symbols, signals: { feed: feedOf(period, symbols) } },
    async ({ signals }) => signals.warmup,
  );
}

async function lookAt<T>(
  options: Pick<WorkerHostOptions, 'file' | 'params' | 'symbols' | 'signals'>,
  look: (host: WorkerHost) => Promise<T>,
): Promise<T> {
  const host = await createWorkerHost({
    ...options,
    clock: createSystemClock(),
    startsAt: millis(0),
    seed: 1,
  });
  try {
    return await look(host);
  } finally {
    await host.close();
  }
}
