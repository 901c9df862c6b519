import type { BotConfig, DataConfig } from './bot-config.ts';
import { ConfigError } from './config-error.ts';

/**
 * True if a paper or live run replays the historical data of its config. For a bot on an account or on the quotes of
 * a broker, `data` is a folder of securities and splits, and its days apply only to backtests.
 */
export function isReplay({ data, broker, paper }: Pick<BotConfig, 'data' | 'broker' | 'paper'>): boolean {
  if (data === undefined) return false;
  return broker === undefined ? paper.kind !== 'upstream' : broker.admin !== undefined;
}

/**
 * Returns the historical data of a config. Throws ConfigError (`missing`) if there is none, which is allowed only for
 * a bot on an account.
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
