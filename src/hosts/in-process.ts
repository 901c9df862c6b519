import { defer, type Observable, of } from 'rxjs';
import { Decimal } from '../model/decimal.ts';
import { printable } from '../model/printable.ts';
import type { SecuritySymbol } from '../model/symbol.ts';
import { unreachable } from '../model/unreachable.ts';
import type { StrategyAnswer, StrategyHost, StrategyQuestion } from '../ports/strategy-host.ts';
import { contextOf, type StrategyContext } from '../strategy/context.ts';
import type { Strategy } from '../strategy/define-strategy.ts';
import { type Decision, type OrderDraft, orderDrafts } from '../strategy/order-draft.ts';
import type { ParamDeclarations, ParamValues } from '../strategy/params.ts';
import { placeIn } from '../strategy/place-in.ts';
import type { StrategyEvent } from '../strategy/strategy-event.ts';

/** A strategy and what it was configured with. */
export interface HostedStrategy {
  readonly strategy: Strategy;
  readonly params: ParamValues<ParamDeclarations>;
  readonly symbols: readonly SecuritySymbol[];
}

/** Most orders that a strategy may ask for at one event; more is taken for a runaway. */
export const DRAFTS_MAX = 1_000;

/** Runs a strategy in this very process: fast, for backtests and for strategies that are trusted. */
export function createInProcessHost(hosted: HostedStrategy): StrategyHost {
  const own = { params: hosted.params, symbols: hosted.symbols, orders: orderDrafts };
  return {
    listensTo: listensTo(hosted.strategy),
    ask: (question) => defer((): Observable<StrategyAnswer> => of(answer(hosted.strategy, question, own))),
  };
}

function answer(
  strategy: Strategy,
  question: StrategyQuestion,
  own: Parameters<typeof contextOf>[1],
): StrategyAnswer {
  try {
    return draftsOf(strategy, call(strategy, question.event, contextOf(question.snapshot, own)));
  } catch (thrown) {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    const where = `Strategy "${strategy.name}" threw in ${hookOf(question.event)}`;
    return {
      kind: 'failed',
      message: `${where}: ${error.message}${placeIn(error)}`,
      stack: error.stack ?? '',
    };
  }
}

function call(strategy: Strategy, event: StrategyEvent, context: StrategyContext): Decision {
  switch (event.kind) {
    case 'signal':
      return strategy.onSignal?.(event, context);
    case 'bar':
      return strategy.onBar?.(event, context);
    case 'quote':
      return strategy.onQuote?.(event, context);
    case 'fill':
      return strategy.onFill?.(event, context);
    case 'order':
      return strategy.onOrder?.(event, context);
    case 'start':
      return strategy.onStart?.(event, context);
    case 'stop':
      return strategy.onStop?.(event, context);
    default:
      return unreachable(event);
  }
}

const HOOKS = {
  signal: 'onSignal',
  bar: 'onBar',
  quote: 'onQuote',
  fill: 'onFill',
  order: 'onOrder',
  start: 'onStart',
  stop: 'onStop',
} as const satisfies Record<StrategyEvent['kind'], keyof Strategy>;

function hookOf(event: StrategyEvent): string {
  return HOOKS[event.kind];
}

function listensTo(strategy: Strategy): ReadonlySet<StrategyEvent['kind']> {
  const kinds = Object.keys(HOOKS) as StrategyEvent['kind'][];
  return new Set(kinds.filter((kind) => strategy[HOOKS[kind]] !== undefined));
}

/** Most fields of a rubbish answer that an error names. */
const FIELDS_SHOWN = 8;

function draftsOf(strategy: Strategy, decision: Decision): StrategyAnswer {
  if (decision === undefined || decision === null) return { kind: 'drafts', drafts: [] };
  const drafts: readonly unknown[] = Array.isArray(decision) ? decision : [decision];
  const odd = drafts.findIndex((draft) => !isDraft(draft));
  if (odd >= 0) return failed(strategy, `returned ${describe(drafts[odd])}, want what context.orders gives`);
  if (drafts.length > DRAFTS_MAX)
    return failed(strategy, `returned ${drafts.length} orders at once, most is ${DRAFTS_MAX}`);
  return { kind: 'drafts', drafts: drafts as readonly OrderDraft[] };
}

function failed(strategy: Strategy, what: string): StrategyAnswer {
  return { kind: 'failed', message: `Strategy "${strategy.name}" ${what}`, stack: '' };
}

function isDraft(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const draft = value as Readonly<Record<string, unknown>>;
  if (typeof draft['symbol'] !== 'string') return false;
  switch (draft['kind']) {
    case 'target-weight':
      return typeof draft['weight'] === 'number';
    case 'target-quantity':
      return isFigure(draft['quantity']);
    case 'order':
      return isSide(draft['side']) && isFigure(draft['quantity']) && areTerms(draft['terms']);
    default:
      return false;
  }
}

function isSide(value: unknown): boolean {
  return value === 'buy' || value === 'sell';
}

function isFigure(value: unknown): boolean {
  return typeof value === 'number' || typeof value === 'string' || Decimal.isDecimal(value);
}

function areTerms(value: unknown): boolean {
  if (value === undefined) return true;
  if (typeof value !== 'object' || value === null) return false;
  const { price = 0, triggerPrice = 0 } = value as Readonly<Record<string, unknown>>;
  return isFigure(price) && isFigure(triggerPrice);
}

function describe(value: unknown): string {
  if (value instanceof Promise) {
    // Nobody will ever wait for it, so its failure must not end the process.
    value.catch(() => undefined);
    return 'a Promise (hooks are plain functions, not async)';
  }
  if (value === undefined || value === null) return `${value} in a list`;
  if (typeof value !== 'object') return `a ${typeof value}`;
  const fields = Object.entries(value).map(([name, field]) => printable(`${name}: ${String(field)}`));
  return fields.length === 0
    ? 'an empty object'
    : `an object with ${fields.slice(0, FIELDS_SHOWN).join(', ')}`;
}
