import { feedOf } from '../../backtest/setup.ts';
import type { BotConfig } from '../../config/bot-config.ts';
import { createWorkerHost } from '../../hosts/strategy/worker.ts';
import { millis } from '../../model/time.ts';
import { createSystemClock } from '../clock/system-clock.ts';

/**
 * Returns the largest number of warm-up bars of each symbol that a bot's strategies need, computed in a separate
 * thread. Throws WorkerStartError if the strategy cannot be loaded or its signals cannot be built.
 */
export async function warmupOf(
  { params, period, sessions, symbols, members }: BotConfig,
  { strategyFile, memberFiles }: { readonly strategyFile: string; readonly memberFiles?: readonly string[] },
): Promise<number> {
  if (members.length === 0) return warmupIn({ params, period, sessions, symbols }, strategyFile);
  let most = 0;
  for (const [at, member] of members.entries())
    most = Math.max(most, await warmupIn({ ...member, period, sessions }, memberFiles?.[at] ?? ''));
  return most;
}

async function warmupIn(
  { params, period, sessions, symbols }: Pick<BotConfig, 'params' | 'period' | 'sessions' | 'symbols'>,
  file: string,
): Promise<number> {
  const host = await createWorkerHost({
    file,
    params,
    symbols,
    signals: { feed: feedOf(period, symbols, sessions) },
    clock: createSystemClock(),
    startsAt: millis(0),
    seed: 1,
  });
  try {
    return host.signals.warmup;
  } finally {
    await host.close();
  }
}
