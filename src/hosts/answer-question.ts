import type { SecuritySymbol } from '../model/symbol.ts';
import { unreachable } from '../model/unreachable.ts';
import type { StrategyAnswer, StrategyQuestion } from '../ports/strategy-host.ts';
import { contextOf, type StrategyContext } from '../strategy/context.ts';
import type { HookResult, Strategy } from '../strategy/define-strategy.ts';
import type { ExitTerms } from '../strategy/exits.ts';
import { type Decision, type OrderDraft, orderDrafts } from '../strategy/order-draft.ts';
import type { ParamDeclarations, ParamValues } from '../strategy/params.ts';
import type { PlainData } from '../strategy/state.ts';
import type { StrategyEvent } from '../strategy/strategy-event.ts';
import { HOOKS } from '../strategy/strategy-facts.ts';
import { heldState, stateToKeep, takeApart } from './hosted-state.ts';
import { readDecision } from './read-decision.ts';
import { readThrown } from './thrown.ts';

/** A strategy and what it was configured with. */
export interface HostedStrategy {
  readonly strategy: Strategy;
  readonly params: ParamValues<ParamDeclarations>;
  readonly symbols: readonly SecuritySymbol[];
}

/** Asks a strategy right here; what it throws and what it returns instead of drafts become a `failed` answer. */
export function answerQuestion(
  { strategy, params, symbols }: HostedStrategy,
  { event, snapshot, state: kept }: StrategyQuestion,
  draftsMax: number,
): StrategyAnswer {
  try {
    const state = heldState(strategy, kept);
    const context = contextOf(snapshot, { params, symbols, orders: orderDrafts, state });
    const apart = takeApart(strategy, call(strategy, event, context), state);
    if ('odd' in apart) return oddAnswer(strategy, apart.odd);
    const decision = withExits(apart.decision, strategy.exits?.({ params }));
    const read = readDecision(decision, draftsMax);
    if (read.kind === 'odd') return oddAnswer(strategy, read.what);
    if (strategy.exits !== undefined && read.drafts.some(({ kind }) => kind === 'rebalance'))
      return oddAnswer(
        strategy,
        'rebalances, and a rebalance opens positions without the exits that it declares',
      );
    const keep = stateToKeep(strategy, apart.state, kept);
    return 'odd' in keep ? oddAnswer(strategy, keep.odd) : { ...read, ...keep };
  } catch (thrown) {
    const { message, stack, place } = readThrown(thrown);
    const where = `Strategy "${strategy.name}" threw in ${HOOKS[event.kind]}`;
    return { kind: 'failed', message: `${where}: ${message}${place}`, stack };
  }
}

function oddAnswer({ name }: Strategy, what: string): StrategyAnswer {
  return { kind: 'failed', message: `Strategy "${name}" ${what}`, stack: '' };
}

function call(
  strategy: Strategy,
  event: StrategyEvent,
  context: StrategyContext,
): HookResult<PlainData | undefined> {
  switch (event.kind) {
    case 'signal':
      return strategy.onSignal?.(event, context);
    case 'bar':
      return strategy.onBar?.(event, context);
    case 'bars':
      return strategy.onBars?.(event, context);
    case 'quote':
      return strategy.onQuote?.(event, context);
    case 'fill':
      return strategy.onFill?.(event, context);
    case 'order':
      return strategy.onOrder?.(event, context);
    case 'timer':
      return strategy.onTimer?.(event, context);
    case 'start':
      return strategy.onStart?.(event, context);
    case 'stop':
      return strategy.onStop?.(event, context);
    default:
      return unreachable(event);
  }
}

/** Drafts that bring no exits of their own get the strategy's; what is no draft is for the reader to find odd. */
function withExits(decision: Decision, exits: ExitTerms | undefined): Decision {
  if (exits === undefined || decision === undefined || decision === null) return decision;
  return isList(decision) ? decision.map((draft) => withOwn(draft, exits)) : withOwn(decision, exits);
}

function isList(decision: OrderDraft | readonly OrderDraft[]): decision is readonly OrderDraft[] {
  return Array.isArray(decision);
}

function withOwn(draft: OrderDraft, exits: ExitTerms): OrderDraft {
  switch (draft?.kind) {
    case 'target-weight':
    case 'target-quantity':
    case 'target-notional':
    case 'target-risk':
    case 'order':
      return draft.exits === undefined ? { ...draft, exits } : draft;
    default:
      return draft;
  }
}
