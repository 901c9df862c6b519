import { runName } from '../../backtest/setup.ts';
import type { TradingDependencies } from '../run/assemble-bot.ts';
import type { PaperOptions } from '../run/run-paper.ts';
import type { BotInfo } from './bot-info.ts';

/** What a bot says of itself to whoever looks into its folder. */
export function botInfoOf({ setup, config }: PaperOptions, around: TradingDependencies): BotInfo {
  const { machine, ready, profile, deployment, ownVenue } = around;
  return {
    ...{ pid: process.pid, config: config.path, strategy: runName(setup) },
    ...{ http: ready.http, profile, deployment, ownVenue },
    since: new Date(machine.now()).toISOString(),
  };
}
