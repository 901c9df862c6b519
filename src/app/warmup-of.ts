import { programOf } from '../backtest/setup.ts';
import type { BotConfig } from '../config/bot-config.ts';
import type { Strategy } from '../strategy/define-strategy.ts';

/** How many bars of each symbol warm a strategy up. Throws StrategyError when its signals cannot be built. */
export function warmupOf({ params, period, symbols }: BotConfig, strategy: Strategy): number {
  const securities = symbols.map((symbol) => ({ symbol }));
  return programOf({ strategy, params, period, securities }).warmup;
}
