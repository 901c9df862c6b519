import { omitUndefined } from '../../model/omit-undefined.ts';
import type { Strategy } from '../../strategy/define-strategy.ts';
import type { StrategyEvent } from '../../strategy/strategy-event.ts';
import { hooksOf, type StrategyFacts } from '../../strategy/strategy-facts.ts';

/** The metadata of a strategy as plain data for messages between threads. */
interface StrategyMetadata extends Omit<StrategyFacts, 'listensTo'> {
  readonly listensTo: readonly StrategyEvent['kind'][];
}

export function strategyMetadata(strategy: Strategy): StrategyMetadata {
  const { name, doc, params, timers } = strategy;
  return {
    name,
    params,
    listensTo: [...hooksOf(strategy)],
    ...omitUndefined({ doc, timers }),
  };
}
