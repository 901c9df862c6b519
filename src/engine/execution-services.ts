import { openingStopped } from '../events/records/gate-record.ts';
import { isOpenOrWaiting } from '../events/records/open-orders.ts';
import { createAlgorithmRunner } from '../execution/algorithms/algorithm-runner.ts';
import { createExitWatch } from '../execution/algorithms/exit-watch.ts';
import { exitsDue } from '../execution/algorithms/exits-due.ts';
import type { RebalanceOrder } from '../execution/algorithms/rebalance.ts';
import { CALL_BUDGET } from '../execution/call-budget/call-budget.ts';
import { createGate } from '../execution/gate/gate.ts';
import type { Restrictions } from '../execution/gate/restrictions.ts';
import { createKillSwitch } from '../execution/operator/kill-switch.ts';
import { createManualSettlement } from '../execution/operator/manual-settlement.ts';
import { createOperatorCommands } from '../execution/operator/operator-commands.ts';
import { createPositionFlattener } from '../execution/operator/position-flattener.ts';
import { createExecutor } from '../execution/orders/executor.ts';
import { createOrderAmender } from '../execution/orders/order-amender.ts';
import { createOrderTracker } from '../execution/orders/order-tracker.ts';
import type { OrderUpdate } from '../execution/orders/order-update.ts';
import { createExternalOrders } from '../execution/reconciliation/external-orders.ts';
import { BOOKS_DIFFER, createReconciler } from '../execution/reconciliation/reconciler.ts';
import type { Recorder } from '../execution/recorder.ts';
import type { TargetHolding } from '../model/algorithm.ts';
import { decimalOfDouble } from '../model/amount.ts';
import type { Price } from '../model/decimal.ts';
import { isTerminalStatus, type OrderIntent } from '../model/order.ts';
import { marketOf, type SecuritySymbol } from '../model/symbol.ts';
import { NEVER } from '../model/time.ts';
import type { Alarms } from '../ports/alarms.ts';
import type { Clock } from '../ports/clock.ts';
import type { RunConcurrently, Task, TaskFactory } from '../ports/task.ts';
import { believedPrice } from '../risk/fact-rules.ts';
import type { GateTransition } from '../risk/gate-state.ts';
import { isWithinBand, sizeDraft } from '../strategy/sizing.ts';
import type { EngineParts } from './engine-parts.ts';
import type { EngineTask } from './pipeline.ts';
import { draftFor } from './rebalance-of.ts';
import type { EngineView } from './view.ts';

/** The services that act on orders, connected with each other. */
export type ExecutionServices = ReturnType<typeof createExecutionServices>;

/** What they share with the rest of the engine. */
interface ExecutionContext {
  readonly recorder: Recorder;
  readonly view: EngineView;
  readonly restrictions: Restrictions;
  /** Its timers end when the run stops; a pending order, and the end of a run, wait on `clock` itself. */
  readonly runClock: Clock;
  /** Queues a task. */
  readonly due: (task: EngineTask) => void;
  /** Queues a turn before everything else that is queued. */
  readonly runNext: (turn: TaskFactory<OrderUpdate>) => void;
  readonly runConcurrently: RunConcurrently;
}

/** Connects the services over one journal; they do nothing before the event queue calls them. */
export function createExecutionServices(
  parts: EngineParts,
  { recorder, view, restrictions, runClock, due, runNext, runConcurrently }: ExecutionContext,
) {
  const { clock, broker, limits, securities, mintIntentId, onAlarm, members = [] } = parts;
  const alarms: Alarms = { raise: (alarm) => onAlarm?.(alarm) };
  const limitsOfStrategy = (strategy: string) => members.find(({ name }) => name === strategy)?.limits;
  const hasOwnLimits = (strategy: string): boolean =>
    Object.values(limitsOfStrategy(strategy) ?? {}).some((limit) => limit !== undefined);
  const gate = createGate({
    sources: view.factSources,
    recorder,
    restrictions,
    limits,
    budget: parts.budget,
    rules: parts.rules,
    books: () => reconciler.books(),
    awaitsSplit: () => reconciler.awaitsSplit(),
    splits: {
      isDue: (symbol) => reconciler.isSplitDue(symbol),
      shownBy: (symbol, positions) => reconciler.splitShown(symbol, positions),
    },
    onDiffering: () => reconciler.reconcileSoon(),
    strategyLimits: limitsOfStrategy,
    equity: () => decimalOfDouble(view.valuation().equity),
  });
  /** Restricts the gate for differences of the books from this call on, and ends earlier restrictions. */
  const move = (transition: GateTransition): unknown =>
    transition.to === 'active' ? restrictions.end(BOOKS_DIFFER, transition) : restrictions.impose(transition);
  const foreign = createExternalOrders({
    broker,
    recorder,
    clock,
    alarms,
    halt: (rule, reason) => move({ to: 'halted', by: 'books', rule, reason }),
    isValued: (symbol) => securities.has(symbol) || recorder.state.portfolio.holdings.has(symbol),
    hasRate: (currency) => view.factSources.rateOf(currency) !== undefined,
  });
  const tracker = createOrderTracker({
    broker,
    recorder,
    clock: runClock,
    queueTask: due,
    foreign,
    budget: parts.budget,
    currencyOf: (symbol) => securities.get(symbol)?.currency,
    onIncident: (incident) => {
      operator.handle(incident);
      alarms.raise(incident.alarm);
    },
  });
  const reconciler = createReconciler({
    broker,
    recorder,
    clock: runClock,
    queueTask: due,
    alarms,
    move,
    budget: parts.budget,
    currency: parts.currency,
    handle: tracker.handle,
    splits: {
      announced: () => parts.announcedSplits?.() ?? [],
      quote: view.factSources.reference,
      after: afterSplit,
    },
  });
  /** Single orders end with a split, as at most venues; those of algorithms are handled by their algorithms. */
  function* afterSplit(symbol: SecuritySymbol): Task<OrderUpdate> {
    const singleOrders = [...recorder.state.live.values()].filter(
      (order) => order.terms.symbol === symbol && order.link === undefined && isOpenOrWaiting(order),
    );
    for (const { intentId } of singleOrders) yield* tracker.cancel(intentId);
    yield* algorithms.afterSplit(symbol);
  }
  const executor = createExecutor({ broker, recorder, tracker, clock, restrictions, onAlarm });
  let urgent = 0;
  /** Calls that wait yield until the turn is over, so that the event queue is free for it. */
  function urgently(turn: TaskFactory<OrderUpdate>): TaskFactory<OrderUpdate> {
    urgent += 1;
    parts.budget?.setUrgent(true);
    return function* untilFinished(): Task<OrderUpdate> {
      try {
        yield* turn();
      } finally {
        urgent -= 1;
        if (urgent === 0) parts.budget?.setUrgent(false);
      }
    };
  }
  parts.budget?.setProtection({
    pendingExits: () => exitsDue(recorder.state),
    hasPosition: () => recorder.state.portfolio.holdings.size > 0,
    killCalls: () => {
      const { live, portfolio, foreign } = recorder.state;
      const others = foreign.orders.values().filter(({ status }) => !isTerminalStatus(status));
      return live.size + portfolio.holdings.size + [...others].length;
    },
    isPushConnected: () => reconciler.isPushConnected(),
  });
  const confirm =
    parts.budget === undefined || broker.facts.listsOrders === false ? undefined : tracker.confirm;
  function last(symbol: SecuritySymbol): Price | undefined {
    const quote = view.factSources.reference(symbol);
    return quote && believedPrice(quote);
  }
  const flattener = createPositionFlattener({
    gate,
    executor,
    recorder,
    clock: runClock,
    securities,
    last: (symbol) => last(symbol) ?? view.factSources.lastClose(symbol),
    mintIntentId,
    onAlarm,
    runNext,
    urgently,
    cancelAll: tracker.cancelAll,
    confirm,
    positions: broker.facts.pushComplete ? undefined : () => broker.positions('kill'),
    compareBooks: () => due({ kind: 'reconcile' }),
    until: parts.until ?? NEVER,
  });
  const killSwitch = createKillSwitch({ broker, recorder, clock, tracker, runConcurrently });
  const amender = createOrderAmender({ broker, recorder, clock, gate, restrictions, tracker });
  const exitWatch =
    onAlarm === undefined
      ? undefined
      : createExitWatch({
          state: recorder.state,
          clock,
          alarms,
          until: parts.until ?? NEVER,
          sources: {
            security: (symbol) => securities.get(symbol),
            hasOwnLimits,
            waiting: () => algorithms.held(),
          },
        });
  const algorithms = createAlgorithmRunner({
    exitWatch,
    recorder,
    clock: runClock,
    queueTask: due,
    tracker,
    amender,
    mintIntentId,
    onAlarm,
    sources: {
      period: parts.period ?? '1m',
      sessions: parts.sessions ?? 'regular',
      checksAtFill: broker.facts.cover !== undefined || broker.facts.wholeBars === true,
      security: (symbol) => securities.get(symbol),
      hasOwnLimits,
      last,
      close: (symbol) => view.factSources.lastClose(symbol),
      rebalanceOrder,
      hasCalls: () => parts.budget?.hasCapacity('open', CALL_BUDGET.opensReserved) !== false,
    },
    deny: (intent, why) => executor.execute({ kind: 'denied', intent, ...why, numbers: [] }),
    hasStrategy: (strategy) =>
      members.length === 0 ? strategy === undefined : members.some(({ name }) => name === strategy),
    submitIntent,
    gateState: () => restrictions.standing().state,
    mayOpen: (symbol) =>
      restrictions.standing().state === 'active' &&
      restrictions.symbolHalt(symbol) === undefined &&
      restrictions.observed(symbol) === undefined &&
      openingStopped(recorder.state.gate, marketOf(symbol)) === undefined,
    until: parts.until ?? NEVER,
  });
  function* submitIntent(intent: OrderIntent): Task<OrderUpdate> {
    yield* executor.execute(yield* gate.judge(intent));
  }
  /** Sized by the positions of the strategy that owns it, in its order style. */
  function rebalanceOrder(holding: TargetHolding, strategy: string | undefined): RebalanceOrder | undefined {
    const security = securities.get(holding.symbol);
    if (security === undefined) return undefined;
    const member = members.find(({ name }) => name === strategy);
    const ownView = member === undefined ? view : view.forMember(member);
    const facts = ownView.sizingFacts(security);
    if (isWithinBand(holding, facts)) return undefined;
    const sized = sizeDraft(draftFor(holding), facts, ownView.style(security));
    if (sized.kind === 'nothing') return sized.isUnknown === true ? 'unknown' : undefined;
    const { terms } = sized;
    return terms.type === 'LO' && terms.price === undefined ? 'unknown' : terms;
  }

  const settlement = createManualSettlement({
    broker,
    recorder,
    clock,
    currency: parts.currency,
    currencyOf: (symbol) => securities.get(symbol)?.currency,
    adopt: (intentId, orderId) => tracker.adopt(intentId, orderId),
  });
  function* reconcile(): Task<OrderUpdate> {
    if ((reconciler.books()?.value.length ?? 0) > 0) yield* reconciler.run();
  }
  const operator = createOperatorCommands({
    gate,
    restrictions,
    killSwitch,
    flattener,
    settlement,
    tracker,
    recorder,
    clock: runClock,
    runNext,
    urgently,
    reconcile,
    confirm,
  });
  return {
    alarms,
    gate,
    tracker,
    reconciler,
    executor,
    killSwitch,
    operator,
    amender,
    algorithms,
    /** Absent if alarms are not delivered. */
    exitWatch,
    flattener,
  };
}
