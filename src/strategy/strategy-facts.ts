import type { Strategy } from './define-strategy.ts';
import type { ParamDeclarations } from './params.ts';
import type { StrategyEvent } from './strategy-event.ts';
import type { Timers } from './timers.ts';

/** The description of a strategy as plain data: all that is known of it where none of its code may run. */
export interface StrategyFacts {
  readonly name: string;
  readonly doc?: string;
  readonly params: ParamDeclarations;
  readonly timers?: Timers;
  /** Kinds of event that it has a hook for. */
  readonly listensTo: ReadonlySet<StrategyEvent['kind']>;
}

/** The hook that receives each kind of event. */
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

/** The kinds of event that a strategy has a hook for. */
export function hooksOf(strategy: Strategy): ReadonlySet<StrategyEvent['kind']> {
  const kinds = Object.keys(HOOKS) as StrategyEvent['kind'][];
  return new Set(kinds.filter((kind) => strategy[HOOKS[kind]] !== undefined));
}
