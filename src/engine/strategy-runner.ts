import type { UnreturnedDrafts } from '../events/unreturned-drafts.ts';
import type { AlgorithmRunner } from '../execution/algorithms/algorithm-runner.ts';
import type { OperatorCommands } from '../execution/operator/operator-commands.ts';
import type { Recorder } from '../execution/recorder.ts';
import { omitUndefined } from '../model/omit-undefined.ts';
import type { SecuritySymbol } from '../model/symbol.ts';
import type { StrategyFailure, StrategyRequest } from '../ports/strategy-host.ts';
import { awaitAnswer, ignoreEvents, type Task } from '../ports/task.ts';
import { type OrderDraft, orderDrafts } from '../strategy/order-draft.ts';
import type { StrategyEvent } from '../strategy/strategy-event.ts';
import { HOOKS } from '../strategy/strategy-facts.ts';
import type { EngineParts } from './engine-parts.ts';
import { createOrderFactory, type OrderRequest } from './order-factory.ts';
import { StrategyError } from './strategy-error.ts';
import { createStrategyStateStore } from './strategy-state-store.ts';
import type { EngineView } from './view.ts';

/** Calls a strategy and turns what it returns into orders. */
export type StrategyRunner = ReturnType<typeof createStrategyRunner>;

/** Dependencies of the runner. */
export interface StrategyRunnerParts {
  readonly parts: EngineParts;
  readonly view: EngineView;
  readonly recorder: Recorder;
  readonly algorithms: Pick<AlgorithmRunner, 'waiting' | 'endForExclusiveOrder'>;
  readonly operator: Pick<OperatorCommands, 'abandon' | 'abandonStrategy'>;
  /** Its name among several; absent in a bot with one. */
  readonly owner?: string;
  /** Records that it failed; returns true if no strategy is left, and the bot ends. */
  readonly isLast: () => boolean;
  /** True when the run is about to end: further orders come too late to be sent. */
  readonly isOver: () => boolean;
}

/** Errors with StrategyError when the strategy throws or breaks its contract. */
export function createStrategyRunner(dependencies: StrategyRunnerParts) {
  const { parts, view, recorder, algorithms, owner } = dependencies;
  const { clock, host, strategy } = parts;
  const stateStore = createStrategyStateStore({ host, strategy, recorder, clock });
  const unreturned = new Map<string, UnreturnedDrafts>();
  const orderFactory = createOrderFactory({ parts, view, recorder, algorithms, stateStore, owner });

  /** Calls it with an event that it has a hook for, and returns its drafts. */
  function* decide(event: StrategyEvent): Task<never, readonly OrderDraft[]> {
    if (!host.listensTo.has(event.kind)) return NOTHING;
    const answer = yield* awaitAnswer(host.call(questionOf(event)));
    if (answer.kind === 'failed') return yield* handleFailure(answer);
    stateStore.hold(answer, event);
    if (answer.returnedNothing === true) recordUnreturned(HOOKS[event.kind]);
    return answer.drafts;
  }

  function questionOf(event: StrategyEvent): StrategyRequest {
    const state = stateStore.state();
    return { event, snapshot: view.snapshot(), ...omitUndefined({ state }) };
  }

  function recordUnreturned(hook: string): void {
    const before = unreturned.get(hook);
    const noted = {
      ...omitUndefined({ strategy: owner }),
      hook,
      calls: (before?.calls ?? 0) + 1,
    };
    unreturned.set(hook, noted);
    if (before === undefined) parts.onUnreturned?.(noted);
  }

  /** Among several, only this one is no longer called; its policy decides whether its position is closed. */
  function* handleFailure({
    message,
    stack,
  }: Omit<StrategyFailure, 'kind'>): Task<never, readonly OrderDraft[]> {
    const policy = parts.policy.whenStrategyFails ?? 'cancel';
    const isLast = dependencies.isLast();
    recorder.record({
      kind: 'strategy-failed',
      at: clock.now(),
      message,
      stack,
      ...omitUndefined({ strategy: owner }),
      ...(policy === 'keep' ? { keepsOrders: true } : {}),
    });
    if (isLast) {
      yield* ignoreEvents(dependencies.operator.abandon(policy));
      throw new StrategyError(message);
    }
    yield* ignoreEvents(dependencies.operator.abandonStrategy(owner ?? '', policy));
    return policy === 'close' ? closingDrafts() : NOTHING;
  }

  function closingDrafts(): readonly OrderDraft[] {
    const { symbols } = view.snapshot();
    return [...parts.securities.keys()].flatMap((symbol) =>
      (symbols[symbol]?.position.quantity ?? 0) === 0
        ? []
        : [orderDrafts.close(symbol, 'the strategy failed and its position is given up')],
    );
  }

  /** Sizes one draft; yields nothing if there is nothing to do, or if it is too late. */
  function* size(draft: OrderDraft, event: StrategyEvent): Task<never, Iterable<OrderRequest>> {
    if (dependencies.isOver()) {
      stateStore.drop();
      return NOTHING;
    }
    const draftSymbols = draft.kind === 'rebalance' ? Object.keys(draft.weights) : [draft.symbol];
    const unknown = draftSymbols.find((symbol) => !parts.securities.has(symbol as SecuritySymbol));
    if (unknown !== undefined) {
      yield* handleFailure(unknownSymbol(unknown));
      return NOTHING;
    }
    if (draft.kind === 'rebalance') return orderFactory.rebalance(draft, event);
    const security = parts.securities.get(draft.symbol);
    return security === undefined ? NOTHING : orderFactory.requestFor(draft, security, event);
  }

  function unknownSymbol(symbol: string) {
    const known = [...parts.securities.keys()].join(', ');
    return {
      message: `Strategy asked for an order in "${symbol}", which this bot does not trade (symbols: ${known})`,
      stack: '',
    };
  }

  return {
    decide,
    size,
    /**
     * Ends the strategy after a failure: records it, applies its policy to its orders, and throws the error if it was
     * the last strategy.
     */
    fail: handleFailure,
    /** Records its state after an answer, if no order recorded it. */
    keep: stateStore.flush,
    /** Records its initial state, at its first start on this journal. */
    open: stateStore.open,
    /** Hooks that made drafts and returned nothing, so far. */
    unreturned: () => [...unreturned.values()],
    /** Its requests that could not be turned into orders, so far. */
    leftOut: orderFactory.leftOut,
  };
}

const NOTHING: readonly never[] = [];
