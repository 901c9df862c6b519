import { concat, concatMap, map, merge, type Observable, of, Subject } from 'rxjs';
import type { AlgorithmRunner, AlgorithmTask } from '../execution/algorithms/algorithm-runner.ts';
import type { RatesTask } from '../execution/gate/exchange-rates.ts';
import type { OrderTask } from '../execution/orders/order-tracking-context.ts';
import type { OrderUpdate } from '../execution/orders/order-update.ts';
import type { ReconcileTask } from '../execution/reconciliation/reconciler.ts';
import type { OrderIntent } from '../model/order.ts';
import type { MarketBatch } from '../ports/signal-source.ts';
import type { StrategyFailure } from '../ports/strategy-host.ts';
import type { Task, TaskFactory } from '../ports/task.ts';
import type { Verdict } from '../risk/risk-gate.ts';
import type { CancelDraft, OrderDraft, ReplaceDraft } from '../strategy/order-draft.ts';
import type { MarketEvent, StrategyEvent } from '../strategy/strategy-event.ts';
import type { OrderRequest } from './order-factory.ts';
import { conflatedQuotes, separateEntries } from './quote-conflation.ts';
import { serialExecutor } from './serial-executor.ts';

/** Work that does not come from market data: a push, a timer or a scheduled read. */
export type EngineTask = OrderTask | ReconcileTask | AlgorithmTask | RatesTask;

/** The stages of a bot. Each is a function that does one thing, which its return type names. */
export interface Stages {
  /** Recovers, then sends the strategy its `start` event and what happened to its orders since the last run. */
  readonly start: () => Task<StrategyEvent>;
  /** Market data and signals, one batch per instant; subscribed to once the run has begun. */
  readonly batches$: Observable<MarketBatch>;
  /** True where a queued quote is replaced by a newer one of its symbol. False in a run that must repeat exactly. */
  readonly conflates?: boolean;
  /** Tasks for an order, an algorithm or the reconciliation, from pushes and timers. They wait until the run has begun. */
  readonly tasks$: Observable<EngineTask>;
  /** Marks positions at closing prices and returns the events for the strategy. */
  readonly markPositions: (batch: MarketBatch) => readonly MarketEvent[];
  /** Stops a failed strategy: records the failure, applies its policy to its orders, and throws the error. */
  readonly fail: (failure: StrategyFailure, strategy?: string) => Task;
  /** The same for the strategy that an event belongs to; other strategies continue. */
  readonly failOwner: (event: StrategyEvent, failure: StrategyFailure) => Task;
  /** Calls the strategy with an event and returns its drafts. */
  readonly decide: (event: StrategyEvent) => Task<never, readonly OrderDraft[]>;
  /** Turns a draft into requests in whole lots at a price; none if there is nothing to do. */
  readonly size: (draft: OrderDraft, cause: StrategyEvent) => Task<never, Iterable<OrderRequest>>;
  /** The risk gate: gathers facts, then applies the rules. */
  readonly judge: (intent: OrderIntent) => Task<never, Verdict>;
  /** Journals, signs and submits an approved order; records a denial. */
  readonly execute: (verdict: Verdict) => Task<OrderUpdate>;
  /** Amends or cancels a working order. */
  readonly change: (request: ReplaceDraft | CancelDraft) => Task<OrderUpdate>;
  /** Order algorithms. They handle an order event before the strategy does, and yield priority to its orders. */
  readonly algorithms: Pick<AlgorithmRunner, 'start' | 'handleOrderEvent' | 'withRetryMark' | 'hold'>;
  /** Runs one task, for example reads an order and books its new fills. */
  readonly handleTask: (task: EngineTask) => Task<OrderUpdate>;
  /** Records the strategy's new state if no order recorded it. */
  readonly saveState: () => void;
  /** Work of an operator or a rule, which runs before everything that is queued. */
  readonly urgent$: Observable<TaskFactory<OrderUpdate>>;
}

/**
 * Maximum number of order events that may follow from one event, reactions to reactions included, before the strategy
 * counts as looping. It allows three events for each order of the largest answer.
 */
export const REACTIONS_MAX = 3_000;

/**
 * Connects the stages: market data -> signals -> strategy -> risk gate -> executor -> order tracking. Order events go back to
 * the strategy.
 *
 * All events go through one queue (`serialExecutor`), one at a time and without loss. The queue is bounded at its sources:
 * quotes conflate, and an order has at most one entry. Emits every event that the strategy was called with.
 */
export function pipeline(stages: Stages): Observable<StrategyEvent> {
  const {
    start,
    batches$,
    conflates = false,
    tasks$,
    urgent$,
    markPositions,
    fail,
    failOwner,
    decide,
    size,
    judge,
    execute,
    change,
    algorithms,
    handleTask,
    saveState,
  } = stages;

  function* place(request: OrderRequest): Task<OrderUpdate> {
    if ('kind' in request) yield* change(request);
    else if ('spec' in request) yield* algorithms.start(request);
    else {
      const holding = algorithms.hold(request);
      if (holding === undefined) yield* execute(yield* judge(request));
      else yield* holding;
    }
  }

  function* react(received: StrategyEvent, eventsBefore: number): Task<OrderUpdate> {
    if (eventsBefore >= REACTIONS_MAX) yield* failOwner(received, ENDLESS_REACTIONS);
    const algorithmTask = algorithms.handleOrderEvent(received);
    if (algorithmTask !== undefined) yield* algorithmTask;
    const event = algorithms.withRetryMark(received);
    for (const draft of yield* decide(event))
      for (const request of yield* size(draft, event)) yield* place(request);
    saveState();
  }

  /** Both the event queue and the market wait for it. */
  const started$ = new Subject<never>();
  function* begin(): Task<StrategyEvent> {
    yield* start();
    started$.complete();
  }
  const queueEntries = conflates ? conflatedQuotes() : separateEntries;
  const market$ = batches$.pipe(
    concatMap((batch): readonly TaskFactory<StrategyEvent>[] => {
      const { failure, strategy } = batch;
      const turns: readonly TaskFactory<StrategyEvent>[] = markPositions(batch).flatMap(queueEntries);
      return failure === undefined ? turns : [...turns, () => fail(failure, strategy)];
    }),
  );
  const orders$ = tasks$.pipe(
    map(
      (task): TaskFactory<StrategyEvent> =>
        () =>
          handleTask(task),
    ),
  );

  return merge(orders$, concat(of(begin), started$, market$)).pipe(
    serialExecutor<StrategyEvent>(react, urgent$),
  );
}

const ENDLESS_REACTIONS: StrategyFailure = {
  kind: 'failed',
  message: `Strategy reacts to its own orders without end: more than ${REACTIONS_MAX} times at one instant`,
  stack: '',
};
