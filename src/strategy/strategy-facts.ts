import type { Strategy } from './define-strategy.ts';
import type { ParamDeclarations } from './params.ts';
import type { StrategyEvent } from './strategy-event.ts';
import type { Timers } from './timers.ts';

/** Metadata of a strategy as plain data, for processes that must not run its code. */
export interface StrategyFacts {
  readonly name: string;
  readonly doc?: string;
  readonly params: ParamDeclarations;
  readonly timers?: Timers;
  /** Event kinds for which it has a hook. */
  readonly listensTo: ReadonlySet<StrategyEvent['kind']>;
}

/** The hook for each event kind. */
export const HOOKS = {
  signal: 'onSignal',
  bar: 'onBar',
  bars: 'onBars',
  quote: 'onQuote',
  fill: 'onFill',
  order: 'onOrder',
  timer: 'onTimer',
  start: 'onStart',
  stop: 'onStop',
} as const satisfies Record<StrategyEvent['kind'], keyof Strategy>;

/** Returns the event kinds for which a strategy has a hook. */
export function hooksOf(strategy: Strategy): ReadonlySet<StrategyEvent['kind']> {
  const kinds = Object.keys(HOOKS) as StrategyEvent['kind'][];
  return new Set(kinds.filter((kind) => strategy[HOOKS[kind]] !== undefined));
}
