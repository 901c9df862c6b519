import type { BotConfig, DataConfig } from './bot-config.ts';
import { ConfigError } from './config-error.ts';

/**
 * Whether a run on paper or live replays the past that its config names. A bot on an account or on the quotes of a broker trades now:
 * to it `data` is a folder of securities and splits, and its days are for backtests alone.
 */
export function isReplay({ data, broker, paper }: Pick<BotConfig, 'data' | 'broker' | 'paper'>): boolean {
  if (data === undefined) return false;
  return broker === undefined ? paper.kind !== 'upstream' : broker.admin !== undefined;
}

/**
 * The past that a config names, for a caller that replays it. Throws ConfigError (`missing`) where there is none, which only a bot on
 * an account can do without.
 */
export function dataOf({ data, path }: Pick<BotConfig, 'data' | 'path'>): DataConfig {
  if (data !== undefined) return data;
  const wanted = 'a map with "from" and "to"';
  const message = `Cannot replay a past: "data" is missing, want ${wanted}; only "sluice run" on an account goes without`;
  throw new ConfigError([
    {
      code: 'missing',
      file: path,
      line: 1,
      column: 1,
      path: 'data',
      value: undefined,
      wanted,
      nearest: undefined,
      message,
    },
  ]);
}
