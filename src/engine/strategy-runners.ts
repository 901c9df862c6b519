import type { BotState } from '../events/bot-state.ts';
import { createUnacknowledgedFills } from '../events/records/strategy-state-record.ts';
import { fillUpdate } from '../execution/orders/order-update.ts';
import type { Millis } from '../model/time.ts';
import type { StrategyFailure } from '../ports/strategy-host.ts';
import type { Task } from '../ports/task.ts';
import type { OrderDraft } from '../strategy/order-draft.ts';
import type { FillEvent, LifeEvent, StrategyEvent } from '../strategy/strategy-event.ts';
import type { EngineParts } from './engine-parts.ts';
import type { OrderRequest } from './order-factory.ts';
import { createStrategyRunner, type StrategyRunner, type StrategyRunnerParts } from './strategy-runner.ts';
import { checkState } from './strategy-state-store.ts';

/**
 * The strategies of a bot, each with its own runner and its own events. A bot with one strategy ends when it fails;
 * with several, when all have failed.
 */
export function createStrategyRunners(
  parts: EngineParts,
  context: Omit<StrategyRunnerParts, 'parts' | 'isLast'>,
) {
  const quarantined = new Set<string>();
  const members = parts.members ?? [];
  const strategies = members.length === 0 ? [createOnlyRunner()] : members.map(createRunner);
  const byName = new Map(strategies.map((each) => [each.parts.strategy, each]));
  const { state } = context.recorder;

  function createOnlyRunner() {
    return { parts, runner: createStrategyRunner({ ...context, parts, isLast: () => true }) };
  }

  function createRunner(member: NonNullable<EngineParts['members']>[number]) {
    const securities = new Map(
      member.symbols.flatMap((symbol) => {
        const security = parts.securities.get(symbol);
        return security === undefined ? [] : [[symbol, security] as const];
      }),
    );
    const { host, policy, name } = member;
    const own: EngineParts = { ...parts, host, policy, strategy: name, securities };
    const view = context.view.forMember(member);
    const isLast = (): boolean => {
      quarantined.add(name);
      return quarantined.size === members.length;
    };
    return {
      parts: own,
      runner: createStrategyRunner({ ...context, parts: own, view, owner: name, isLast }),
    };
  }

  /** The strategy of an event: market events name it, order events belong to the owner of the order. */
  function ownerOf(event: StrategyEvent): string | undefined {
    if (event.kind === 'fill') return state.order(event.fill.intentId)?.strategy;
    return event.kind === 'order' ? state.order(event.intentId)?.strategy : event.strategy;
  }

  function runnerOf(event: StrategyEvent): StrategyRunner | undefined {
    if (members.length === 0) return strategies[0]?.runner;
    const owner = ownerOf(event);
    return owner === undefined || quarantined.has(owner) ? undefined : byName.get(owner)?.runner;
  }

  /** A strategy has ended for another reason than an answer; a bot with one strategy needs no name. */
  function* fail(failure: StrategyFailure, strategy?: string): Task {
    const failed = members.length === 0 ? strategies[0] : byName.get(strategy ?? '');
    if (failed !== undefined && !quarantined.has(strategy ?? '')) yield* failed.runner.fail(failure);
  }

  function* decide(event: StrategyEvent): Task<never, readonly OrderDraft[]> {
    const runner = runnerOf(event);
    return runner === undefined ? [] : yield* runner.decide(event);
  }

  function* size(draft: OrderDraft, event: StrategyEvent): Task<never, Iterable<OrderRequest>> {
    const runner = members.length === 0 ? strategies[0]?.runner : byName.get(ownerOf(event) ?? '')?.runner;
    return runner === undefined ? [] : yield* runner.size(draft, event);
  }

  return {
    /** Strategies that failed and are no longer called. */
    quarantined,
    decide,
    size,
    fail,
    /** Ends the strategy of an event. */
    failOwner: (event: StrategyEvent, failure: StrategyFailure): Task => fail(failure, ownerOf(event)),
    /** Records states that no order recorded. */
    saveStates: () => {
      for (const { runner } of strategies) runner.keep();
    },
    /** Records the initial states. */
    open: () => {
      for (const { runner } of strategies) runner.open();
    },
    /** Hooks that made drafts and returned nothing, so far. */
    unreturned: () => strategies.flatMap(({ runner }) => runner.unreturned()),
    /** Requests that could not be turned into orders, so far. */
    leftOut: () => strategies.flatMap(({ runner }) => runner.leftOut()),
    /** Checks that all strategies can continue with the journal. Throws StrategyError. */
    check: (known: BotState): void => {
      for (const { parts } of strategies) checkState(known, parts);
    },
    /** Start or end of the run, once for each strategy. */
    lifecycleEvents: (kind: LifeEvent['kind'], time: Millis): readonly LifeEvent[] =>
      members.length === 0 ? [{ kind, time }] : members.map(({ name }) => ({ kind, time, strategy: name })),
    /** Executions in the journal without a recorded answer of the strategy, in order. */
    unacknowledgedFills(journal: EngineParts['journal'], time: Millis): readonly FillEvent[] {
      const readers = strategies
        .filter(({ parts: { host } }) => host.declaredState !== undefined && host.listensTo.has('fill'))
        .map(({ parts: { strategy } }) => ({ strategy, fills: createUnacknowledgedFills(strategy) }));
      if (readers.length === 0) return [];
      for (const event of journal.replay()) for (const { fills } of readers) fills.apply(event);
      return readers.flatMap(({ strategy, fills }) =>
        fills
          .fills()
          .filter(({ intentId }) => members.length === 0 || state.order(intentId)?.strategy === strategy)
          .map((fill) => fillUpdate(fill, time)),
      );
    },
  };
}
