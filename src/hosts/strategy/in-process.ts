import { Decimal } from '../../model/decimal.ts';
import type { StrategyHost } from '../../ports/strategy-host.ts';
import { ImmediateRequest } from '../../ports/task.ts';
import { hooksOf } from '../../strategy/strategy-facts.ts';
import { type HostedStrategy, handleRequest } from './handle-request.ts';
import { declaredState } from './hosted-state.ts';

/** Most orders that a strategy may return for one event. */
export const DRAFTS_MAX = 1_000;

/** Returns a deep copy, so that a hook that modifies its event affects neither the record nor other hooks. */
function copyOf<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(copyOf) as T;
  if (Decimal.isDecimal(value)) return new Decimal(value) as T;
  const copy = { ...value };
  for (const name in copy) {
    const field = copy[name];
    if (typeof field === 'object') copy[name] = copyOf(field);
  }
  return copy;
}

/** Runs a strategy in this process: fast, for backtests and trusted strategies. */
export function createInProcessHost(hosted: HostedStrategy): StrategyHost {
  return {
    listensTo: hooksOf(hosted.strategy),
    declaredState: declaredState(hosted.strategy),
    call: (request) =>
      new ImmediateRequest(() =>
        handleRequest(hosted, { ...request, event: copyOf(request.event) }, DRAFTS_MAX),
      ),
  };
}
