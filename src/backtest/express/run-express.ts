import { type CurveFigures, CurveFold, marketsOf } from '../../events/curve/curve-figures.ts';
import type { EquityCurve } from '../../events/curve/curve-input.ts';
import type { ExitColumns } from '../../events/curve/exit-columns.ts';
import type { FillColumns } from '../../events/curve/fill-columns.ts';
import type { GateMoved } from '../../events/event.ts';
import type { BookedAction } from '../../events/run-record.ts';
import type { Bar } from '../../model/bar.ts';
import { wholeRows } from '../../model/bar-rows.ts';
import type { GateStanding } from '../../model/gate.ts';
import type { Alarm } from '../../model/notice.ts';
import { omitUndefined } from '../../model/omit-undefined.ts';
import { marketOf, type SecuritySymbol } from '../../model/symbol.ts';
import { type Millis, NEVER } from '../../model/time.ts';
import type { SplitAdjustment } from '../../signals/split-adjustment.ts';
import { volumesSince } from '../../simulation/market/tape.ts';
import { DEFAULT_RULES } from '../../simulation/rules.ts';
import type { TimerEvent } from '../../strategy/strategy-event.ts';
import { hooksOf } from '../../strategy/strategy-facts.ts';
import { CurveWalk } from '../curve-walk.ts';
import { firstDay } from '../first-day.ts';
import type { DecidedInside } from '../inside-bar-texts.ts';
import { type LastBar, lastBarOf } from '../run-bounds.ts';
import {
  barsBegin,
  cutColumns,
  cutRows,
  openingEquity,
  programOf,
  type RunSetup,
  startOf,
} from '../setup.ts';
import { BailOut, bailOut } from './bail-out.ts';
import { RunActions } from './corporate-actions.ts';
import { DecisionLog } from './decision-log.ts';
import type { DenialLog } from './denial-log.ts';
import { equityOfHoldings, Holdings } from './holdings.ts';
import { TradingHours } from './hours.ts';
import { initialCapacity } from './initial-capacity.ts';
import type { InterestDays } from './interest-days.ts';
import { type Emit, eventTimes, expressPipeline } from './pipeline.ts';
import { StrategyCaller } from './strategy-caller.ts';
import { StrategyTimers } from './strategy-timers.ts';
import type { SupportedDraft } from './supported-draft.ts';
import { SymbolCursor } from './symbol-cursor.ts';
import { ExpressWorld } from './world.ts';

/** The result of an express run. */
export interface CompletedRun {
  readonly kind: 'completed';
  readonly decisions: DecisionLog;
  /** The first day with a bar. */
  readonly begin: Millis;
  /** Number of bars of all symbols, warm-up included, and the last bar of each. */
  readonly bars: number;
  readonly lastBars: readonly LastBar[];
  readonly curve: CurveFigures;
  /** Computes the equity curve; reads all bars again. */
  readonly equity: () => EquityCurve;
  readonly fills: FillColumns;
  /** Dividends and splits of open positions; below, the splits of symbols. */
  readonly actions: readonly BookedAction[];
  /** Interest and borrow fees, with their events on demand. */
  readonly interest: Pick<InterestDays, 'booked' | 'events'>;
  /** Whether shares were ever sold short. */
  readonly wasShort: boolean;
  readonly splits: ReadonlyMap<SecuritySymbol, readonly SplitAdjustment[]>;
  readonly signals: number;
  readonly orders: number;
  /** When each order was sent. */
  readonly sentAt: Float64Array;
  /** Number of orders decided while a bar of their symbol was open, and the first of them. */
  readonly decidedInside: Pick<DecidedInside, 'inside' | 'first'>;
  readonly exits: ExitColumns;
  readonly denials: DenialLog;
  /** Number of exits that expired while the position was open, and were sent again. */
  readonly renewedExits: number;
  readonly alarms: readonly Alarm[];
  /** Whether an amount exceeded the exact range. */
  readonly isRounded: boolean;
  /** Final state of the gate, and each stop by a rule; `stops` is absent if no operator is simulated. */
  readonly gate: GateStanding;
  readonly stops?: readonly GateMoved[];
}

/** The result, or the decisions of the strategy until the express engine bailed out. */
export type ExpressRun =
  | CompletedRun
  | { readonly kind: 'bailed-out'; readonly decisions: DecisionLog; readonly why: string };

/**
 * Runs a backtest with the decisions, fills and equity of the full engine, which takes over if an order is not
 * supported. `rowsAtOnce` is the number of bars per piece and does not affect results. Throws what the strategy's
 * `signals` throws.
 */
export function runExpress(setup: RunSetup, rowsAtOnce?: number): ExpressRun {
  const decisions = new DecisionLog(initialCapacity(setup));
  try {
    return runToEnd(setup, decisions, rowsAtOnce);
  } catch (error) {
    if (decisions.isInCall) {
      decisions.recordThrown(error);
      return { kind: 'bailed-out', decisions, why: 'the strategy threw' };
    }
    if (error instanceof BailOut) return { kind: 'bailed-out', decisions, why: error.message };
    throw error;
  }
}

function runToEnd(setup: RunSetup, decisions: DecisionLog, rowsAtOnce: number | undefined): CompletedRun {
  const { securities, rules = DEFAULT_RULES } = setup;
  setup.columnCache?.beginRun();
  const program = programOf(setup);
  if (program.own) bailOut('indicators of the author cannot be computed ahead of time');
  const start = startOf(
    securities.map(({ symbol }) => symbol),
    setup.from,
  );
  const actions = new RunActions(setup, start);
  const loaded = setup.history.map((bars) => {
    const barsFrom = barsBegin(bars, setup.from);
    if (actions.splitsOf(bars.symbol).length === 0)
      return cutRows(bars, barsFrom, program.warmup, rowsAtOnce);
    const { columns, firstBar } = cutColumns(bars, barsFrom, program.warmup);
    return { rows: wholeRows(columns), firstBar };
  });
  const hooks = hooksOf(setup.strategy);
  const everyBar = hooks.has('bar') || hooks.has('bars');
  // With bar, fill or timer hooks, hooks are called in sequence, and their decisions recorded.
  const handlesFills = hooks.has('fill');
  const targets =
    everyBar || handlesFills || hooks.has('timer') || hooks.has('order')
      ? undefined
      : setup.strategy.targets?.({ params: setup.params });
  const hours = new TradingHours(marketOf(securities[0]?.symbol ?? bailOut('no security')));
  const cancelAfterMs = setup.policy.cancelAfterMs ?? Number.POSITIVE_INFINITY;
  const checksVolume = rules.fills.emptyBars === 'wait';
  const cursors = securities.map((security, place) => {
    const { rows } = loaded[place] ?? bailOut(`no bars of "${security.symbol}"`);
    const history = setup.history[place];
    const since = checksVolume && history !== undefined ? volumesSince(history) : NEVER;
    const beforeEviction = (until: number): void => walk.goTo(until);
    const cursorOf = (symbol: SecuritySymbol): SymbolCursor => world.cursorOf(symbol);
    const splits = actions.splitsOf(security.symbol);
    const cached =
      history === undefined || splits.length > 0 ? undefined : setup.columnCache?.feed(history, rows.length);
    const cursorParts = {
      security,
      rows,
      cached,
      splits,
      volumesSince: since,
      targets,
      beforeEviction,
      cursorOf,
    };
    return new SymbolCursor({ ...cursorParts, program, fills: rules.fills, hours, cancelAfterMs, everyBar });
  });
  const world = new ExpressWorld(setup, cursors, actions, start);
  const { booked } = world;
  const firstDayAt = firstDay(setup);
  const fold = new CurveFold(firstDayAt, openingEquity(setup), marketsOf(securities));
  const firstBars = loaded.map(({ firstBar }) => firstBar);
  const windows = cursors.map(({ window }) => window);
  const splits = securities.map(({ symbol }) => actions.splitsOf(symbol));
  const holdings = new Holdings(securities.length, booked);
  const walk = new CurveWalk({ series: windows, firstBars, splits, portfolio: holdings, output: fold });
  const hooksCalled = {
    bars: hooks.has('bar'),
    barsTogether: hooks.has('bars'),
    signals: hooks.has('signal'),
    targetDrafts: targets !== undefined,
    timers: new StrategyTimers(setup, start),
  };
  const strategyCaller = new StrategyCaller(setup, decisions, world);
  if (handlesFills)
    world.notifyFills((fill) => {
      for (const draft of [strategyCaller.fill(fill) ?? []].flat()) world.placeDraft(draft);
    });
  if (hooks.has('order'))
    world.notifyOrders((event, knownAt) => {
      if (strategyCaller.order(event, knownAt) !== undefined) bailOut('an order in onOrder');
    });
  if (hooks.has('start') && strategyCaller.start() !== undefined) bailOut('an order in onStart');
  const signals = runPipeline(cursors, world, strategyCaller, hooksCalled);
  walk.goTo(NEVER);
  setup.columnCache?.endRun(Math.max(world.orders.count, world.fills.length));
  const rows = loaded.map((cut) => cut.rows);
  return {
    kind: 'completed',
    decisions,
    begin: firstDayAt,
    bars: rows.reduce((sum, { length }) => sum + length, 0),
    lastBars: windows.flatMap(({ columns }) => lastBarOf(columns) ?? []),
    curve: fold.figures(),
    equity: () => equityOfHoldings(rows, firstBars, booked, splits),
    fills: world.fills.columns(),
    actions: actions.applied,
    interest: world.interest,
    wasShort: world.account.wasShort,
    splits: actions.splits,
    signals,
    orders: world.orders.count,
    sentAt: world.orders.times(),
    decidedInside: world.decidedInside,
    exits: world.brackets.exits,
    denials: world.denials,
    renewedExits: world.brackets.renewedExits,
    alarms: world.alarms(),
    isRounded: world.account.exceedsExactRange,
    gate: world.gateMoves.standing,
    ...omitUndefined({ stops: world.gateMoves.operator?.stops }),
  };
}

interface CalledHooks {
  readonly bars: boolean;
  /** All bars of a time in one call, after its other events. */
  readonly barsTogether: boolean;
  readonly signals: boolean;
  /** Every signal has a target, so the strategy is not called. */
  readonly targetDrafts: boolean;
  readonly timers: StrategyTimers;
}

/** Runs the pipeline until the bars end; returns the number of signals. Throws what a stage throws. */
function runPipeline(
  cursors: readonly SymbolCursor[],
  world: ExpressWorld,
  strategyCaller: StrategyCaller,
  hooksCalled: CalledHooks,
): number {
  const [only] = cursors.length === 1 ? cursors : [];
  let signals = 0;
  let closed: Bar[] = [];
  let due: TimerEvent | undefined;
  const { timers } = hooksCalled;
  const hasNoOtherEvents = only !== undefined && !hooksCalled.barsTogether && timers.nextAt === NEVER;
  /** Reports the events of a symbol at a time; returns false when a later stage has failed. */
  const reportOf = (cursor: SymbolCursor, emit: Emit): boolean => {
    if ((hooksCalled.bars || hooksCalled.barsTogether) && !cursor.isWindowEnd) {
      if (cursor.now !== cursor.nextAt) cursor.goTo(cursor.nextAt);
      if (hooksCalled.barsTogether) closed.push(cursor.barEvent().bar);
      cursor.nextEvent = 'bar';
      if (hooksCalled.bars && !emit(cursor)) return false;
    }
    cursor.nextEvent = 'signal';
    for (; cursor.hasSignal(); signals += 1)
      if (!hooksCalled.targetDrafts && !hooksCalled.signals) cursor.skipSignal();
      else if (!emit(cursor)) return false;
    cursor.advanceToNextEvent();
    return true;
  };
  const failure: { error?: unknown } = {};
  expressPipeline({
    times$: eventTimes(cursors, timers),
    fill: (at) => {
      if (world.hasEventBefore(at)) world.advance(at);
    },
    mark: (at) => {
      if (hasEventAt(cursors, at) || (timers.nextAt === at && at !== NEVER)) world.close(at);
    },
    report: (at, emit) => {
      for (let place = 0; place < cursors.length; place += 1) {
        const cursor = cursors[place] as SymbolCursor;
        if (cursor.nextAt === at && at !== NEVER && !reportOf(cursor, emit)) return;
      }
      const [first] = cursors;
      if (first === undefined) return;
      if (closed.length > 0) {
        first.nextEvent = 'bars';
        if (!emit(first)) return;
      }
      if (timers.nextAt !== at || at === NEVER) return;
      world.beginTimers();
      for (due of timers.takeDue()) {
        first.nextEvent = 'timer';
        if (!emit(first)) return;
      }
      world.isAtTimer = false;
    },
    decide: (cursor) => {
      if (cursor.nextEvent === 'bar') return strategyCaller.bar(cursor);
      if (cursor.nextEvent === 'bars') {
        const bars = closed;
        closed = [];
        return strategyCaller.bars(bars);
      }
      if (cursor.nextEvent === 'timer' && due !== undefined) return strategyCaller.timer(due);
      return hooksCalled.targetDrafts ? cursor.takeTarget() : strategyCaller.signal(cursor);
    },
    place: (drafts) => {
      const isLast = hasNoOtherEvents && only.hasSignal() === false;
      if (!Array.isArray(drafts)) world.placeDraft(drafts as SupportedDraft, isLast);
      else for (const draft of drafts) world.placeDraft(draft);
      world.handleDenials();
    },
  }).subscribe({
    error: (error: unknown) => {
      failure.error = error;
    },
  });
  if ('error' in failure) throw failure.error;
  return signals;
}

/** Returns whether a symbol has an event at a close. */
function hasEventAt(cursors: readonly SymbolCursor[], time: Millis): boolean {
  for (let place = 0; place < cursors.length; place += 1) {
    const { nextAt, isWindowEnd } = cursors[place] as SymbolCursor;
    if (nextAt === time && time !== NEVER && !isWindowEnd) return true;
  }
  return false;
}
