import { nearestName } from '../../model/nearest-name.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import type { StrategyAnswer, StrategyRequest } from '../../ports/strategy-host.ts';
import { contextOf, type StrategyContext } from '../../strategy/context.ts';
import type { HookResult, Strategy } from '../../strategy/define-strategy.ts';
import type { ExitTerms } from '../../strategy/exits.ts';
import { type Decision, draftsMade, type OrderDraft, orderDrafts } from '../../strategy/order-draft.ts';
import type { ParamDeclarations, ParamValues } from '../../strategy/params.ts';
import type { PlainData } from '../../strategy/state.ts';
import type { StrategyEvent } from '../../strategy/strategy-event.ts';
import { HOOKS } from '../../strategy/strategy-facts.ts';
import { readThrown } from '../workers/thrown.ts';
import { changedState, currentState, separateState } from './hosted-state.ts';
import { exitsProblem, readDecision } from './read-draft.ts';

/** A strategy and its parameters. */
export interface HostedStrategy {
  readonly strategy: Strategy;
  readonly params: ParamValues<ParamDeclarations>;
  readonly symbols: readonly SecuritySymbol[];
}

/** Calls a strategy in this thread; an exception or an invalid result becomes a `failed` answer. */
export function handleRequest(
  { strategy, params, symbols }: HostedStrategy,
  { event, snapshot, state: kept }: StrategyRequest,
  draftsMax: number,
): StrategyAnswer {
  try {
    const state = currentState(strategy, kept);
    const context = contextOf(snapshot, { params, symbols, orders: orderDrafts, state });
    const draftsBefore = draftsMade();
    const split = separateState(strategy, callHook(strategy, event, context), state);
    const hasNewDrafts = draftsMade() !== draftsBefore;
    if ('problem' in split) return invalidAnswer(strategy, event, split.problem);
    const exits = strategy.exits?.({ params });
    const problem = exitsProblem(exits);
    if (problem !== undefined) return invalidAnswer(strategy, event, `declares ${problem}`);
    const decision = withExits(split.decision, exits);
    const read = readDecision(decision, draftsMax);
    if (read.kind === 'odd') return invalidAnswer(strategy, event, read.what);
    const foreign = foreignSymbol(read.drafts, symbols);
    if (foreign !== undefined) return invalidAnswer(strategy, event, foreign);
    if (strategy.exits !== undefined && read.drafts.some(({ kind }) => kind === 'rebalance'))
      return invalidAnswer(
        strategy,
        event,
        'rebalances, and a rebalance opens positions without the exits that it declares',
      );
    const keep = changedState(strategy, split.state, kept);
    if ('problem' in keep) return invalidAnswer(strategy, event, keep.problem);
    const returnedNothing = hasNewDrafts && (split.decision === undefined || split.decision === null);
    return returnedNothing ? { ...read, ...keep, returnedNothing } : { ...read, ...keep };
  } catch (thrown) {
    const { message, stack, place } = readThrown(thrown);
    const where = `Strategy "${strategy.name}" threw in ${HOOKS[event.kind]}`;
    const hint = isReadOnly(thrown) ? READ_ONLY_HINT : '';
    return { kind: 'failed', message: `${where}: ${message}${place}${occurrenceText(event)}${hint}`, stack };
  }
}

const READ_ONLY_HINT =
  '; what a hook receives is read-only, a new state is returned: { state: { ...state, count: 1 }, orders }';

/** True for the error of V8 for a change of a frozen object. */
function isReadOnly(thrown: unknown): boolean {
  return (
    thrown instanceof TypeError &&
    /^Cannot (assign to read only|add|delete) property |^Cannot define property .*not extensible/.test(
      thrown.message,
    )
  );
}

/**
 * Returns the symbol and time of an event, such as ` on SPX.US at 2016-03-01 05:00 UTC`; empty for the start and the
 * end of a run.
 */
function occurrenceText(event: StrategyEvent): string {
  if (event.kind === 'start' || event.kind === 'stop') return '';
  const symbol = 'symbol' in event ? ` on ${event.symbol}` : '';
  return `${symbol} at ${new Date(event.time).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** Describes an order in a symbol that the strategy does not trade. */
function foreignSymbol(
  drafts: readonly OrderDraft[],
  symbols: readonly SecuritySymbol[],
): string | undefined {
  for (const draft of drafts) {
    const named = draft.kind === 'rebalance' ? Object.keys(draft.weights) : [draft.symbol];
    const foreign = named.find((symbol) => !symbols.some((own) => own === symbol));
    if (foreign === undefined) continue;
    const suggestion = nearestName(foreign, symbols);
    const guess = suggestion === undefined ? '' : `, did you mean "${suggestion}"?`;
    return `returned an order in "${foreign}", which is none of its symbols (${symbols.join(', ')})${guess}`;
  }
  return undefined;
}

function invalidAnswer({ name }: Strategy, event: StrategyEvent, what: string): StrategyAnswer {
  const message = `Strategy "${name}" ${what} (in ${HOOKS[event.kind]}${occurrenceText(event)})`;
  return { kind: 'failed', message, stack: '' };
}

/** Calls the hook for an event, if the strategy has it. */
export function callHook(
  strategy: Strategy,
  event: StrategyEvent,
  context: StrategyContext,
): HookResult<PlainData | undefined> {
  // Each hook takes the events of its kind, which the type of the table cannot express.
  const hook = strategy[HOOKS[event.kind]] as Hook | undefined;
  return hook?.call(strategy, event, context);
}

type Hook = (event: StrategyEvent, context: StrategyContext) => HookResult<PlainData | undefined>;

/** Adds the strategy's exits to drafts without exits; values that are not drafts remain for the reader to reject. */
function withExits(decision: Decision, exits: ExitTerms | undefined): Decision {
  if (exits === undefined || decision === undefined || decision === null) return decision;
  return isList(decision)
    ? decision.map((draft) => withDefaultExits(draft, exits))
    : withDefaultExits(decision, exits);
}

function isList(decision: OrderDraft | readonly OrderDraft[]): decision is readonly OrderDraft[] {
  return Array.isArray(decision);
}

function withDefaultExits(draft: OrderDraft, exits: ExitTerms): OrderDraft {
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
