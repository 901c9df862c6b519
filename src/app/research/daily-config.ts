import type { BotConfig } from '../../config/bot-config.ts';
import { ConfigError } from '../../config/config-error.ts';
import { dataOf } from '../../config/data-of.ts';
import { omitUndefined } from '../../model/omit-undefined.ts';
import { PERIODS } from '../../model/period.ts';
import { ResearchError } from '../../research/research-error.ts';
import { checkConfig } from '../load/check-config.ts';
import { changedConfig } from './config-changes.ts';
import type { SweepOptions } from './sweep.ts';

/**
 * Reads the config of a study of daily returns, with the days of the options; `study` names it in errors. Throws
 * ConfigError, ConfigChangeError, and ResearchError for bars longer than a day: their returns are not daily, so
 * annualised figures would be wrong.
 */
export async function dailyConfig(
  path: string,
  project: string,
  { from, to }: Pick<SweepOptions, 'from' | 'to'>,
  study: string,
): Promise<BotConfig & { readonly data: NonNullable<BotConfig['data']> }> {
  const loaded = await checkConfig(path, project);
  if (loaded.kind === 'problems') throw new ConfigError(loaded.problems);
  const { period } = loaded.config;
  if (PERIODS.indexOf(period) > PERIODS.indexOf('1d'))
    throw new ResearchError(
      `Cannot ${study} bars of "${period}": it needs daily returns, so choose a period of "1d" or less`,
    );
  const changes = { ...omitUndefined({ from, to }) };
  const config = changedConfig(loaded.config, loaded, changes);
  return { ...config, data: dataOf(config) };
}
