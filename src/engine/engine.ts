import {
  catchError,
  concat,
  defer,
  EMPTY,
  finalize,
  from,
  ignoreElements,
  interval,
  merge,
  mergeMap,
  Observable,
  Subject,
  shareReplay,
  take,
  takeUntil,
  tap,
  throwError,
  toArray,
} from 'rxjs';
import type { BotState, TrackedOrder } from '../events/bot-state.ts';
import type {
  ForeignCharged,
  OrderCharged,
  OrderFilled,
  OrderSettled,
  RunEnded,
  SluiceEvent,
} from '../events/event.ts';
import { createFold } from '../events/fold.ts';
import { flattenedSymbols } from '../events/records/algorithm-record.ts';
import { manualFill } from '../events/records/manual-fill.ts';
import type {
  Decision,
  EarlierOrders,
  FlowCounts,
  LeftOutOrders,
  OpeningHoldings,
} from '../events/run-record.ts';
import type { UnreturnedDrafts } from '../events/unreturned-drafts.ts';
import { dayProfit } from '../execution/gate/day-profit.ts';
import { createExchangeRates, type RateStatus } from '../execution/gate/exchange-rates.ts';
import { unpricedSymbols } from '../execution/gate/exposure.ts';
import { limitsUsed } from '../execution/gate/limits-used.ts';
import { createLossWatch } from '../execution/gate/loss-watch.ts';
import { observedRestrictions } from '../execution/gate/observed-restrictions.ts';
import { createRestrictions } from '../execution/gate/restrictions.ts';
import type { Flattening } from '../execution/operator/position-flattener.ts';
import { createEarlierSchedules, type EarlierSchedules } from '../execution/operator/schedule.ts';
import type { OrderUpdate } from '../execution/orders/order-update.ts';
import { finalReconciliation } from '../execution/reconciliation/final-reconciliation.ts';
import { RECONCILE_EVERY_MS } from '../execution/reconciliation/reconciler.ts';
import { recover } from '../execution/reconciliation/recovery.ts';
import { createRecorder } from '../execution/recorder.ts';
import type { Bar } from '../model/bar.ts';
import { type Decimal, ZERO } from '../model/decimal.ts';
import { type GateStanding, type Restriction, standingOf, strictestOf } from '../model/gate.ts';
import type { Currency } from '../model/money.ts';
import type { IntentId } from '../model/order.ts';
import type { RiskNumber } from '../model/risk-number.ts';
import type { SecuritySymbol } from '../model/symbol.ts';
import type { Millis } from '../model/time.ts';
import type { Alarms } from '../ports/alarms.ts';
import { schedulerOn } from '../ports/clock-scheduler.ts';
import type { MarketBatch, SignalSource } from '../ports/signal-source.ts';
import {
  awaitAnswer,
  forwardEvents,
  ignoreEvents,
  runTask,
  type Task,
  type TaskFactory,
} from '../ports/task.ts';
import { toObservable } from '../ports/to-observable.ts';
import type { OrderDraft } from '../strategy/order-draft.ts';
import type { FillEvent, MarketEvent, StrategyEvent } from '../strategy/strategy-event.ts';
import { createCashBooker } from './cash-postings.ts';
import { changeOrder } from './change-order.ts';
import { createCorporateActionBooker } from './corporate-actions.ts';
import type { EngineParts } from './engine-parts.ts';
import { createExecutionServices } from './execution-services.ts';
import type { OrderRequest } from './order-factory.ts';
import { type EngineTask, pipeline } from './pipeline.ts';
import { createRunClock } from './run-clock.ts';
import { createStrategyRunners } from './strategy-runners.ts';
import { createView } from './view.ts';

/** Why the caller ends the run, with a message. */
export type Stop = Pick<RunEnded, 'reason' | 'message'>;

/** Maximum number of commands whose cancels are pending at once. */
const COMMANDS_AT_ONCE_MAX = 1_000;
/** Maximum number of tasks outside the event queue at once; the call budget spaces their calls. */
const TASKS_AT_ONCE_MAX = 64;

/** Events after which algorithms may want a change although none of their orders changed. */
const RECONSIDERATION_EVENTS: ReadonlySet<SluiceEvent['kind']> = new Set([
  'foreign-filled',
  'books-adopted',
  'gate-moved',
]);

const FINISHED: Stop = { reason: 'finished', message: '' };

/** A bot, ready to run. */
export interface Engine {
  /**
   * Runs until `stop$` emits; completes when everything pending has been recorded, errors when it cannot continue.
   */
  run(stop$: Observable<Stop>): Observable<never>;
  flow(): FlowCounts;
  /** Signals and order events so far, in order; empty if they are not kept. */
  readonly decisions: readonly Decision[];
  /** One mark for each time at which the signal source reported closes, or a delisted security was paid out. */
  readonly equity: readonly EquityMark[];
  /** Equity now, in the account's currency. */
  equityNow(): number;
  /** Close of a symbol's newest bar; NaN before the first. */
  lastClose(symbol: SecuritySymbol): number;
  /** The newest closed bars of a symbol, ascending; empty if none are kept. */
  recentBars(symbol: SecuritySymbol): readonly Bar[];
  /** What each of several strategies has earned, in the account's currency; empty in a bot with one. */
  earned(): ReadonlyMap<string, number>;
  /** Hooks that made drafts and returned nothing, so far. */
  unreturned(): readonly UnreturnedDrafts[];
  /** Requests of strategies that could not be turned into orders, so far. */
  leftOut(): readonly LeftOutOrders[];
  /** Strategies that failed while others continue. */
  readonly quarantined: ReadonlySet<string>;
  /** Positions at the start of this run; undefined before the start, and if there were none. */
  opening(): OpeningHoldings | undefined;
  /** What earlier runs did with their schedules; empty in the first run, and before the journal was read. */
  readonly earlierSchedules: EarlierSchedules;
  readonly state: BotState;
  /** Current state of the gate; stricter than in `state` while a change is being written to disk. */
  gateNow(): GateStanding;
  /** Every current cause that restricts the gate, the strictest first; in one symbol or in all. */
  restrictionsNow(): readonly Restriction[];
  /** Exchange rates of the account's currencies. */
  rates(): readonly RateStatus[];
  /** How much of each limit of the account is used. */
  limitsUsed(): readonly RiskNumber[];
  /**
   * Profit of the bot's symbols since their exchanges' day started, in the account's currency; undefined if a price
   * or rate is missing.
   */
  dayProfit(): Decimal | undefined;
  /** Positions that are being closed, and what each close waits for. */
  flattening(): readonly Flattening[];
  /** Symbols of positions and orders whose value is not known, so that equity is unknown and nothing opens. */
  unpriced(): readonly SecuritySymbol[];
}

/** Connects the ports to the pipeline. The engine does not know which adapters implement them. */
export function createEngine(parts: EngineParts): Engine {
  const { clock, source, broker, limits } = parts;
  const flow = createFlow(source);
  const decisions: Decision[] = [];
  const { keepsDecisions = true } = parts;
  const equity: EquityMark[] = [];
  const fold = createFold();
  const opening = createOpening();
  const tasks$ = new Subject<EngineTask>();
  const detachedTasks$ = new Subject<TaskFactory<never>>();
  const runClock = createRunClock(clock);
  const due = (task: EngineTask): void => tasks$.next(task);
  const urgent$ = new Subject<TaskFactory<OrderUpdate>>();
  const runNext = (turn: TaskFactory<OrderUpdate>): void => urgent$.next(turn);
  const runDetached = (turn: TaskFactory<never>): void => detachedTasks$.next(turn);
  const recorder = createRecorder(parts.journal, fold, (event) => {
    flow.count(event);
    opening.handle(event, fold.state);
    if (keepsDecisions && isDecision(event)) decisions.push(event);
    // No bar of the security closes any more, and perhaps none of another symbol.
    if (event.kind === 'corporate-action' && event.action === 'delisting')
      addMark(equity, { time: event.at, ...view.valuation() });
    if (event.kind === 'order-filled' || event.kind === 'foreign-filled') checkLosses();
    else if (event.kind === 'gate-moved') services.operator.handleGateMoved(event);
    if (RECONSIDERATION_EVENTS.has(event.kind)) algorithms.queueAll();
    services.exitWatch?.handle(event);
    services.flattener.handle(event);
    parts.onEvent?.(event);
    if (event.kind === 'foreign-filled') cash.foreignFilled();
  });
  const restrictions = createRestrictions({ recorder, clock, killMark: parts.killMark });
  const alarms: Alarms = { raise: (alarm) => parts.onAlarm?.(alarm) };
  const rates = createExchangeRates({
    broker,
    clock: runClock,
    queueTask: due,
    state: fold.state,
    currency: parts.currency,
    alarms,
    fx: parts.fx,
    fxSeries: parts.fxSeries,
    traded: [...parts.securities.values()].map(({ currency }) => currency),
  });
  const view = createView(parts, fold.state, { restrictions, rates });
  const services = createExecutionServices(parts, {
    recorder,
    view,
    restrictions,
    runClock,
    due,
    runNext,
    runConcurrently: runConcurrently,
  });
  const { gate, tracker, reconciler, executor, algorithms } = services;
  restrictions.observe(() =>
    observedRestrictions({
      state: fold.state,
      rates,
      reconciler,
      missingQuotes: parts.missingQuotes,
      broker: parts.broker,
      failedRule: gate.failedRule,
      recoveringSince: () => recoveringSince,
    }),
  );
  /**
   * Price of positions for the loss limits. On paper and live these are the quotes, because a bar may take a day. In
   * a backtest only closes are known between bars.
   */
  const priceNow = broker.facts.pushComplete ? view.priceOf : view.quotedPriceOf;
  const losses = createLossWatch(
    view.factSources,
    { symbols: [...parts.securities.keys()], priceOf: priceNow },
    limits,
  );
  let stop: Stop | undefined;
  const earlierSchedules = createEarlierSchedules();
  let recoveringSince: Millis | undefined = clock.now();
  const strategies = createStrategyRunners(parts, {
    view,
    recorder,
    algorithms,
    operator: services.operator,
    isOver: () => stop !== undefined,
  });

  /** Losses count whether or not an order is judged. A killed gate is not changed by further losses. */
  function checkLosses(equity = view.valuation(priceNow).equity): void {
    if (losses.isNearLossLimit(equity) && restrictions.standing().state !== 'killed')
      services.operator.review();
  }

  /** Where pushes are complete, losses are checked only at events of the strategy, as in a backtest. */
  function markPositions(batch: MarketBatch): readonly MarketEvent[] {
    const isClose = batch.marks.length > 0;
    if (isClose || batch.events.length > 0) {
      const valuation = view.valuation();
      if (isClose) addMark(equity, { time: batch.time, ...valuation });
      if (!broker.facts.pushComplete) checkLosses();
      else if (batch.events.length > 0) checkLosses(valuation.equity);
    }
    for (const event of batch.events) {
      if (event.kind !== 'signal') continue;
      flow.signal();
      if (keepsDecisions) decisions.push(event);
    }
    return batch.events;
  }

  /** Replays the journal of earlier processes first. */
  function replay(): readonly FillEvent[] {
    for (const event of parts.journal.replay()) {
      services.exitWatch?.replayed(event);
      fold.apply(event);
      earlierSchedules.replayed(event);
    }
    return strategies.unacknowledgedFills(parts.journal, clock.now());
  }

  /** Every start is a recovery, even with an empty journal; only then does the strategy receive events. */
  function* start(): Task<StrategyEvent> {
    const events: StrategyEvent[] = [...replay()];
    const { strategy, config, currency, lease } = parts;
    strategies.check(fold.state);
    const recovery = recover({
      broker,
      recorder,
      clock,
      tracker,
      reconciler,
      alarms: services.alarms,
      budget: parts.budget,
      lease,
      move: restrictions.impose,
      requestPrice: view.requestPrice,
      rates: rates.refresh,
      start: { strategy, config, currency },
    });
    const deliver = (event: StrategyEvent): void => {
      events.push(event);
    };
    yield* forwardEvents(recovery, deliver);
    strategies.open();
    // A kill holds across restarts: cancels what an earlier process could not.
    recoveringSince = undefined;
    if (restrictions.standing().state === 'killed')
      yield* forwardEvents(services.killSwitch.completeCancels([]), deliver);
    // Before the algorithms: a bracket whose entry was filled in the meantime ends.
    services.flattener.begin(flattenedSymbols(fold.state.algorithms));
    yield* forwardEvents(algorithms.resume(), deliver);
    yield* forwardEvents(services.flattener.closePositions(), deliver);
    yield* strategies.lifecycleEvents('start', clock.now());
    yield* events;
  }

  const cash = createCashBooker(parts.interestAccrual, { clock: runClock, broker, recorder, runDetached });
  const actions = createCorporateActionBooker(parts.corporateActions ?? [], {
    clock: runClock,
    runDetached,
    securities: parts.securities,
    state: fold.state,
    recorder,
  });

  function* handleTask(task: EngineTask): Task<OrderUpdate> {
    actions.catchUp();
    switch (task.kind) {
      case 'reconcile':
        yield* reconciler.run();
        yield* rates.refresh();
        checkLosses();
        return;
      case 'rates':
        yield* rates.refresh();
        return;
      case 'algorithm':
        yield* algorithms.run(task);
        return;
      default:
        yield* tracker.run(task);
    }
  }

  const { yieldToEventLoop } = parts;
  function* size(draft: OrderDraft, event: StrategyEvent): Task<never, Iterable<OrderRequest>> {
    if (yieldToEventLoop !== undefined) yield* awaitAnswer(yieldToEventLoop());
    return yield* strategies.size(draft, event);
  }

  /**
   * Passes on what the broker pushes; if pushes may be lost, the books are compared from time to time in addition.
   */
  const pushed$ = merge(
    broker.hints$.pipe(tap(tracker.queueHint)),
    (broker.late$ ?? EMPTY).pipe(tap(tracker.handleLateAnswer)),
    (broker.pushes$ ?? EMPTY).pipe(tap(reconciler.handlePushState)),
    broker.facts.pushComplete
      ? EMPTY
      : interval(RECONCILE_EVERY_MS, schedulerOn(clock)).pipe(tap(() => due({ kind: 'reconcile' }))),
  ).pipe(ignoreElements());

  const trade$ = (stop$: Observable<unknown>): Observable<StrategyEvent> =>
    pipeline({
      start,
      batches$: source.batches$.pipe(takeUntil(stop$)),
      conflates: !broker.facts.pushComplete,
      tasks$: merge(tasks$, pushed$).pipe(takeUntil(stop$), finalize(runClock.end)),
      urgent$: urgent$.pipe(takeUntil(stop$)),
      markPositions,
      fail: strategies.fail,
      failOwner: strategies.failOwner,
      decide: strategies.decide,
      size,
      judge: gate.judge,
      execute: executor.execute,
      change: (request) => changeOrder(request, fold.state, services),
      algorithms,
      handleTask,
      saveState: strategies.saveStates,
    });

  /**
   * Nothing opens any more: searches unknown orders a last time, and notifies the strategy of the end of the run,
   * when it can no longer send.
   */
  function* shutDown(): Task {
    yield* ignoreEvents(finalReconciliation({ broker, clock, tracker, state: fold.state }));
    for (const event of strategies.lifecycleEvents('stop', clock.now())) yield* strategies.decide(event);
    strategies.saveStates();
    recordEnd(stop ?? FINISHED);
  }

  /** Records why the run ended, as the last record. */
  function recordEnd(stop: Stop): void {
    recorder.record({ kind: 'run-ended', at: clock.now(), ...stop });
  }

  function handleFailure(error: unknown): Observable<never> {
    recordEnd({ reason: 'failed', message: error instanceof Error ? error.message : String(error) });
    return throwError(() => error);
  }

  function run(stop$: Observable<Stop>): Observable<never> {
    const stopping$ = stop$.pipe(
      take(1),
      tap((why) => {
        stop = why;
      }),
      // Replayed, so that a stop requested before trading started is not lost.
      shareReplay({ bufferSize: 1, refCount: true }),
    );
    const commands$ = (parts.commands$ ?? EMPTY).pipe(
      takeUntil(stopping$),
      mergeMap((request) => toObservable(services.operator.accept(request) ?? EMPTY), COMMANDS_AT_ONCE_MAX),
    );
    const detached$ = detachedTasks$.pipe(mergeMap(eventsOf), takeUntil(stopping$));
    const begin$ = defer(() => {
      actions.begin();
      cash.startReading();
      return EMPTY;
    });
    const trading$ = concat(begin$, trade$(stopping$), eventsOf(shutDown));
    return merge(stopping$, commands$, detached$, trading$).pipe(
      ignoreElements(),
      catchError(handleFailure),
      finalize(() => services.exitWatch?.close()),
    );
  }

  return {
    run,
    flow: flow.counts,
    decisions,
    equity,
    equityNow: () => view.valuation(priceNow).equity,
    lastClose: (symbol) => source.lastPrice(symbol),
    recentBars: (symbol) => source.recentBars?.(symbol) ?? [],
    earned: view.earned,
    quarantined: strategies.quarantined,
    unreturned: strategies.unreturned,
    leftOut: strategies.leftOut,
    opening: opening.holdings,
    earlierSchedules,
    state: fold.state,
    restrictionsNow: restrictions.all,
    gateNow: () => {
      const strictest = strictestOf(restrictions.all());
      return strictest === undefined ? fold.state.gate.standing : standingOf(strictest);
    },
    unpriced: () => unpricedSymbols(view.factSources),
    limitsUsed: () => limitsUsed(view.factSources, limits, view.valuation().equity),
    dayProfit: () => dayProfit(view.factSources),
    rates: rates.statuses,
    flattening: services.flattener.standing,
  };
}

function runConcurrently<E>(tasks: readonly TaskFactory<E>[]): Observable<readonly E[]> {
  return from(tasks).pipe(
    mergeMap(eventsOf, TASKS_AT_ONCE_MAX),
    toArray(),
    shareReplay({ bufferSize: 1, refCount: true }),
  );
}

function eventsOf<E>(make: () => Task<E>): Observable<E> {
  return new Observable((subscriber) => {
    const running = runTask(make(), subscriber);
    return () => running?.stop();
  });
}

/**
 * Determines the positions at the start of a run: later runs continue with the journal's books, the first one opens
 * them from the account.
 */
export function createOpening() {
  let opening: OpeningHoldings | undefined;
  return {
    handle(event: SluiceEvent, { openedAt, portfolio }: BotState): void {
      const begins = event.kind === 'lease-taken' ? openedAt !== undefined : event.kind === 'run-started';
      if (begins && opening === undefined) opening = { at: event.at, holdings: portfolio.holdings };
    },
    holdings: () => (opening === undefined || opening.holdings.size === 0 ? undefined : opening),
  };
}

/** A run, as its journal has it. */
export interface JournaledRun {
  /** Without signals. */
  readonly decisions: readonly Decision[];
  /** By currency: charges stated during the run for orders that earlier runs filled. */
  readonly earlierCharges: ReadonlyMap<Currency, Decimal>;
  /** Orders of earlier runs that `decisions` refer to. */
  readonly earlierOrders: EarlierOrders;
}

/**
 * Reads a run from its journal; the newest one if there are several. `order` finds an order of any run: a fill that
 * an operator settled is a fill of the report, as in the books.
 */
export function journaledRun(events: Iterable<SluiceEvent>, order: BotState['order']): JournaledRun {
  let decisions: Decision[] = [];
  const earlierCharges = new Map<Currency, Decimal>();
  for (const event of events) {
    if (event.kind === 'lease-taken') {
      decisions = [];
      earlierCharges.clear();
    } else if (event.kind === 'order-charged' || event.kind === 'foreign-charged') {
      if (addLaterCharge(decisions, event)) continue;
      const { currency, fee } = event;
      earlierCharges.set(currency, (earlierCharges.get(currency) ?? ZERO).plus(fee));
    } else if (event.kind === 'order-settled') decisions.push(...manualFillIn(event, order(event.intentId)));
    else if (isDecision(event)) decisions.push(event);
  }
  return { decisions, earlierCharges, earlierOrders: earlierOrdersIn(decisions, order) };
}

function earlierOrdersIn(decisions: readonly Decision[], orderOf: BotState['order']): EarlierOrders {
  const drafted = new Set<IntentId>();
  const earlier = new Map<IntentId, TrackedOrder>();
  for (const decision of decisions) {
    if (!('intentId' in decision)) continue;
    const { intentId } = decision;
    if (decision.kind === 'intent-drafted') drafted.add(intentId);
    const order = drafted.has(intentId) || earlier.has(intentId) ? undefined : orderOf(intentId);
    if (order !== undefined) earlier.set(intentId, order);
  }
  return earlier;
}

function manualFillIn(event: OrderSettled, order: TrackedOrder | undefined): readonly OrderFilled[] {
  const fill = order === undefined ? undefined : manualFill(event, order.terms);
  return fill === undefined ? [] : [{ kind: 'order-filled', at: event.at, intentId: event.intentId, fill }];
}

/**
 * Adds charges that came after the fills of an order to its last fill, as a report counts fees with fills; false if
 * none of the fills is of this order.
 */
function addLaterCharge(decisions: Decision[], event: OrderCharged | ForeignCharged): boolean {
  const at = decisions.findLastIndex((each) =>
    event.kind === 'order-charged'
      ? each.kind === 'order-filled' && each.intentId === event.intentId
      : each.kind === 'foreign-filled' && each.fill.orderId === event.orderId,
  );
  const filled = decisions[at];
  if (filled === undefined || !('fill' in filled)) return false;
  const { fill } = filled;
  const charges = event.kind === 'order-charged' ? [...fill.charges, ...event.charges] : fill.charges;
  const fee = fill.fee.plus(event.fee);
  decisions[at] =
    filled.kind === 'order-filled'
      ? { ...filled, fill: { ...filled.fill, fee, charges } }
      : { ...filled, fill: { ...filled.fill, fee, charges } };
  return true;
}

function isDecision(event: SluiceEvent): event is Exclude<Decision, { kind: 'signal' }> {
  switch (event.kind) {
    case 'intent-drafted':
    case 'intent-denied':
    case 'intent-armed':
    case 'submit-refused':
    case 'order-moved':
    case 'order-filled':
    case 'foreign-filled':
    case 'books-adopted':
    case 'state-kept':
    case 'corporate-action':
    case 'interest-booked':
      return true;
    default:
      return false;
  }
}

/** One point of the equity curve: right after the bars of one time closed, or a delisted security was paid out. */
interface EquityMark {
  readonly time: number;
  readonly equity: number;
  readonly exposure: number;
}

/** Adds a point to a curve; of two at one time the later counts. */
function addMark(marks: EquityMark[], mark: EquityMark): void {
  if (marks.at(-1)?.time === mark.time) marks.pop();
  marks.push(mark);
}

/** Counts events at each stage, from zero; market data is counted where it enters. */
function createFlow(source: SignalSource) {
  const counts = { signals: 0, intents: 0, denied: 0, orders: 0, fills: 0 };
  return {
    signal: () => {
      counts.signals += 1;
    },
    count: (event: SluiceEvent): void => {
      if (event.kind === 'intent-drafted') counts.intents += 1;
      else if (event.kind === 'intent-denied') counts.denied += 1;
      else if (event.kind === 'submit-acked') counts.orders += 1;
      else if (event.kind === 'order-filled' || event.kind === 'foreign-filled') counts.fills += 1;
    },
    counts: (): FlowCounts => ({ ...source.received(), ...counts }),
  };
}
