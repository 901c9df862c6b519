import type { LeftOutOrders } from '../events/run-record.ts';
import type { UnreturnedDrafts } from '../events/unreturned-drafts.ts';
import type { AlgorithmRunner } from '../execution/algorithms/algorithm-runner.ts';
import type { OperatorCommands } from '../execution/operator/operator-commands.ts';
import type { Recorder } from '../execution/recorder.ts';
import { omitUndefined } from '../model/omit-undefined.ts';
import type { SecuritySymbol } from '../model/symbol.ts';
import type { StrategyFailure, StrategyQuestion } from '../ports/strategy-host.ts';
import { answerTo, silently, type Task } from '../ports/task.ts';
import { type OrderDraft, orderDrafts } from '../strategy/order-draft.ts';
import type { StrategyEvent } from '../strategy/strategy-event.ts';
import { HOOKS } from '../strategy/strategy-facts.ts';
import type { EngineParts } from './engine-parts.ts';
import { createOrderFactory, type OrderRequest } from './order-factory.ts';
import { StrategyError } from './strategy-error.ts';
import { createStrategyStateStore } from './strategy-state-store.ts';
import type { EngineView } from './view.ts';

/** Calls a strategy and turns what it returns into orders. */
export interface StrategyRunner {
  /** Asks it about an event that it listens to, and returns what it wants. */
  decide(event: StrategyEvent): Task<never, readonly OrderDraft[]>;
  /** Sizes one draft; nothing comes out when there is nothing to do, or it is too late. */
  size(draft: OrderDraft, event: StrategyEvent): Task<never, Iterable<OrderRequest>>;
  /** The strategy has ended: recorded, its orders treated by its policy, and then the error if it was the last. */
  fail(failure: StrategyFailure): Task<never, unknown>;
  /** Writes down what it remembers from an answer on, if no order took it along. */
  keep(): void;
  /** Writes down the state that it begins with, at its first start on this journal. */
  open(): void;
  /** Hooks that made drafts and returned nothing, so far. */
  unreturned(): readonly UnreturnedDrafts[];
  /** Orders of it that could not be made, so far. */
  leftOut(): readonly LeftOutOrders[];
}

/** Dependencies of the runner. */
export interface StrategyRunnerParts {
  readonly parts: EngineParts;
  readonly view: EngineView;
  readonly recorder: Recorder;
  readonly algorithms: Pick<AlgorithmRunner, 'waiting' | 'makeRoom'>;
  readonly operator: Pick<OperatorCommands, 'abandon' | 'abandonOwn'>;
  /** Its name among several; absent in a bot with one. */
  readonly owner?: string;
  /** Records that it failed: true when no strategy is left, and the bot ends. */
  readonly isLast: () => boolean;
  /** True once the run is about to end: what is wanted now comes too late to be sent. */
  readonly isOver: () => boolean;
}

/** Errors with StrategyError once the strategy throws or breaks its contract. */
export function createStrategyRunner(dependencies: StrategyRunnerParts): StrategyRunner {
  const { parts, view, recorder, algorithms, owner } = dependencies;
  const { clock, host, strategy } = parts;
  const stateStore = createStrategyStateStore({ host, strategy, recorder, clock });
  const unreturned = new Map<string, UnreturnedDrafts>();
  const drafts = createOrderFactory({ parts, view, recorder, algorithms, stateStore, owner });

  function* decide(event: StrategyEvent): Task<never, readonly OrderDraft[]> {
    if (!host.listensTo.has(event.kind)) return NOTHING;
    const answer = yield* answerTo(host.ask(questionOf(event)));
    if (answer.kind === 'failed') return yield* failed(answer);
    stateStore.hold(answer, event);
    if (answer.isUnreturned === true) noteUnreturned(HOOKS[event.kind]);
    return answer.drafts;
  }

  function questionOf(event: StrategyEvent): StrategyQuestion {
    const state = stateStore.state();
    return { event, snapshot: view.snapshot(), ...omitUndefined({ state }) };
  }

  function noteUnreturned(hook: string): void {
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
  function* failed({ message, stack }: Omit<StrategyFailure, 'kind'>): Task<never, readonly OrderDraft[]> {
    const policy = parts.policy.whenStrategyFails ?? 'cancel';
    const isLast = dependencies.isLast();
    recorder.record({
      kind: 'strategy-failed',
      at: clock.now(),
      message,
      stack,
      ...omitUndefined({ strategy: owner }),
    });
    if (isLast) {
      yield* silently(dependencies.operator.abandon(policy));
      throw new StrategyError(message);
    }
    yield* silently(dependencies.operator.abandonOwn(owner ?? '', policy));
    return policy === 'close' ? closing() : NOTHING;
  }

  function closing(): readonly OrderDraft[] {
    const { symbols } = view.snapshot();
    return [...parts.securities.keys()].flatMap((symbol) =>
      (symbols[symbol]?.position.quantity ?? 0) === 0
        ? []
        : [orderDrafts.close(symbol, 'the strategy failed and its position is given up')],
    );
  }

  function* size(draft: OrderDraft, event: StrategyEvent): Task<never, Iterable<OrderRequest>> {
    if (dependencies.isOver()) {
      stateStore.drop();
      return NOTHING;
    }
    const draftSymbols = draft.kind === 'rebalance' ? Object.keys(draft.weights) : [draft.symbol];
    const unknown = draftSymbols.find((symbol) => !parts.securities.has(symbol as SecuritySymbol));
    if (unknown !== undefined) {
      yield* failed(unknownSymbol(unknown));
      return NOTHING;
    }
    if (draft.kind === 'rebalance') return drafts.rebalance(draft, event);
    const security = parts.securities.get(draft.symbol);
    return security === undefined ? NOTHING : drafts.one(draft, security, event);
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
    fail: failed,
    keep: stateStore.flush,
    open: stateStore.open,
    unreturned: () => [...unreturned.values()],
    leftOut: drafts.leftOut,
  };
}

const NOTHING: readonly never[] = [];
