import { concat, concatMap, map, merge, type Observable, of, Subject } from 'rxjs';
import type { AlgorithmRunner, AlgorithmTask } from '../execution/algorithms/algorithm-runner.ts';
import type { RatesTask } from '../execution/gate/exchange-rates.ts';
import type { OrderNews } from '../execution/orders/order-news.ts';
import type { OrderTask } from '../execution/orders/order-tracking-context.ts';
import type { ReconcileTask } from '../execution/reconciliation/reconciler.ts';
import type { OrderIntent } from '../model/order.ts';
import type { MarketBatch } from '../ports/signal-source.ts';
import type { StrategyFailure } from '../ports/strategy-host.ts';
import type { Task, Turn } from '../ports/task.ts';
import type { Verdict } from '../risk/risk-gate.ts';
import type { CancelDraft, OrderDraft, ReplaceDraft } from '../strategy/order-draft.ts';
import type { MarketEvent, StrategyEvent } from '../strategy/strategy-event.ts';
import type { OrderRequest } from './order-factory.ts';
import { everyEvent, newestQuotes } from './quote-turns.ts';
import { serialExecutor } from './serial-executor.ts';

/** Every reason to look at something beside what the market says. */
export type EngineTask = OrderTask | ReconcileTask | AlgorithmTask | RatesTask;

/** The stages of a bot, each a function that does one thing and says so in its return type. */
export interface Stages {
  /** Recovers, and then tells the strategy that the run begins and what became of its orders meanwhile. */
  readonly open: () => Task<StrategyEvent>;
  /** Quote streams turned into signals, instant by instant; opened once the run has begun. */
  readonly batches$: Observable<MarketBatch>;
  /** True where a quote that waits gives way to a newer one of its symbol; a run that repeats exactly hears every one. */
  readonly conflates?: boolean;
  /** Reasons to look at an order, an algorithm or the books: pushes and timers. They wait until the run has begun. */
  readonly tasks$: Observable<EngineTask>;
  /** Marks positions at closing prices and hands on what the strategy is asked about. */
  readonly mark: (batch: MarketBatch) => readonly MarketEvent[];
  /** The strategy is at an end: writes it down, does with its orders what its policy says, and ends with the error. */
  readonly fail: (failure: StrategyFailure, strategy?: string) => Task;
  /** The same for the strategy that an event is about; another strategy goes on. */
  readonly blame: (event: StrategyEvent, failure: StrategyFailure) => Task;
  /** The strategy plugin picks orders. */
  readonly decide: (event: StrategyEvent) => Task<never, readonly OrderDraft[]>;
  /** Turns a draft into whole lots at a price; nothing comes out when there is nothing to do. */
  readonly size: (draft: OrderDraft, cause: StrategyEvent) => Task<never, Iterable<OrderRequest>>;
  /** The risk gate: facts first, then rules. */
  readonly judge: (intent: OrderIntent) => Task<never, Verdict>;
  /** Journals, signs, submits. */
  readonly execute: (verdict: Verdict) => Task<OrderNews>;
  /** Replaces or cancels an order that is open. */
  readonly change: (request: ReplaceDraft | CancelDraft) => Task<OrderNews>;
  /** Order algorithms: they begin, react to what became of an order before the strategy does, and make way for its orders. */
  readonly algorithms: Pick<AlgorithmRunner, 'start' | 'attend' | 'hold'>;
  /** Polls order details and books what is new. */
  readonly follow: (task: EngineTask) => Task<OrderNews>;
  /** Writes down what the strategy remembers from an answer on, if no order took it along. */
  readonly keep: () => void;
  /** What an operator or a rule wants, which waits behind nothing that waits. */
  readonly urgent$: Observable<Turn<OrderNews>>;
}

/**
 * Most news that one event may set off, reactions to reactions among them, before the strategy is held to be running in
 * circles: each order of the largest answer may be heard of three times.
 */
export const REACTIONS_MAX = 3_000;

/**
 * Quotes flow in, signals come out of them, a strategy picks orders, the gate lets through what the account can bear, the
 * executor sends them, and the tracker follows each until it is done; what becomes of an order is news to the strategy.
 * Everything goes through one lane, one event at a time, and the lane queues without loss: what it queues is bounded
 * where it enters (quotes conflate, an order waits at most once). Emits every event the strategy was asked about.
 */
export function pipeline(stages: Stages): Observable<StrategyEvent> {
  const {
    open,
    batches$,
    conflates = false,
    tasks$,
    urgent$,
    mark,
    fail,
    blame,
    decide,
    size,
    judge,
    execute,
    change,
    algorithms,
    follow,
    keep,
  } = stages;

  function* place(request: OrderRequest): Task<OrderNews> {
    if ('kind' in request) yield* change(request);
    else if ('spec' in request) yield* algorithms.start(request);
    else {
      const held = algorithms.hold(request);
      if (held === undefined) yield* execute(yield* judge(request));
      else yield* held;
    }
  }

  function* react(event: StrategyEvent, before: number): Task<OrderNews> {
    if (before >= REACTIONS_MAX) yield* blame(event, IN_CIRCLES);
    const attended = algorithms.attend(event);
    if (attended !== undefined) yield* attended;
    for (const draft of yield* decide(event))
      for (const request of yield* size(draft, event)) yield* place(request);
    keep();
  }

  /** Both the lane and the market wait for it. */
  const begun$ = new Subject<never>();
  function* begin(): Task<StrategyEvent> {
    yield* open();
    begun$.complete();
  }
  const turnsOf = conflates ? newestQuotes() : everyEvent;
  const market$ = batches$.pipe(
    concatMap((batch): readonly Turn<StrategyEvent>[] => {
      const { failure, strategy } = batch;
      const turns: readonly Turn<StrategyEvent>[] = mark(batch).flatMap(turnsOf);
      return failure === undefined ? turns : [...turns, () => fail(failure, strategy)];
    }),
  );
  const orders$ = tasks$.pipe(
    map(
      (task): Turn<StrategyEvent> =>
        () =>
          follow(task),
    ),
  );

  return merge(orders$, concat(of(begin), begun$, market$)).pipe(
    serialExecutor<StrategyEvent>(react, urgent$),
  );
}

const IN_CIRCLES: StrategyFailure = {
  kind: 'failed',
  message: `Strategy reacts to its own orders without end: more than ${REACTIONS_MAX} times at one instant`,
  stack: '',
};
