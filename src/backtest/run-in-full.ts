import { merge, Observable, Subject } from 'rxjs';
import { createEngine, type Engine, type Stop } from '../engine/engine.ts';
import type { SluiceEvent } from '../events/event.ts';
import { estimated, type Portfolio, valueAt } from '../events/portfolio.ts';
import type { BookBalance } from '../events/run-bounds.ts';
import { type DetailedRecord, fillsAmong, type RunRecord } from '../events/run-record.ts';
import type { UnreturnedDrafts } from '../events/unreturned-drafts.ts';
import { startSchedule } from '../execution/operator/schedule.ts';
import { intentIdMint } from '../execution/orders/intent-ids.ts';
import { createInProcessRules, type InProcessRules } from '../hosts/rules/evaluate-rules.ts';
import { createMemoryJournal } from '../journal/memory.ts';
import { doubleOfDecimal } from '../model/amount.ts';
import { type DatedRates, datedRates } from '../model/dated-rates.ts';
import { type FxRates, rateBetween } from '../model/fx.ts';
import type { Currency } from '../model/money.ts';
import { omitUndefined } from '../model/omit-undefined.ts';
import type { SecuritySymbol } from '../model/symbol.ts';
import { type Millis, millis, NEVER } from '../model/time.ts';
import { PHASES } from '../ports/clock.ts';
import { onlyDocumented } from '../ports/only-documented.ts';
import type { OperatorRequest } from '../ports/operator.ts';
import { createSimulation } from '../simulation/create-simulation.ts';
import type { Simulation, SimulationEvent } from '../simulation/simulation.ts';
import { assumptionsOf, expiredExitsIn, expiredExitTexts } from './assumptions.ts';
import type { BacktestOptions } from './backtest-options.ts';
import { barTexts } from './bar-texts.ts';
import type { ColumnarSignalSource } from './columnar-signal-source.ts';
import { delistingsIn, dueActions, splitAdjustments } from './due-actions.ts';
import { equityOverColumns, fxAdjustedPeriods, type PortfolioPeriod } from './equity-columns.ts';
import { firstDay } from './first-day.ts';
import { insideBarTexts } from './inside-bar-texts.ts';
import { interestAccrual } from './interest-accrual.ts';
import { owedTexts } from './margin-texts.ts';
import { closedBarFacts, quoteFacts } from './quote-facts.ts';
import { boundsOf, lastBarOf } from './run-bounds.ts';
import { seededRandom } from './seeded-random.ts';
import {
  ACCOUNT_ID,
  dataEnd,
  openingEquity,
  type RunColumns,
  type RunSetup,
  runName,
  sessionsOf,
  simulationOptions,
} from './setup.ts';
import { createSimulatedBroker, type SimulatedBroker } from './simulated-broker.ts';
import {
  createSimulatedOperator,
  type SimulatedOperator,
  simulatedOperatorTexts,
} from './simulated-operator.ts';
import { createStrategyFeeds, receivesQuotes } from './strategy-feeds.ts';
import { VirtualClock } from './virtual-clock.ts';

/** Steps between two progress reports. */
const STEPS_PER_PROGRESS = 4_096;

/** Events that change cash or positions. */
const BOOKING_EVENTS: ReadonlySet<SluiceEvent['kind']> = new Set([
  'run-started',
  'order-filled',
  'foreign-filled',
  'order-charged',
  'foreign-charged',
  'corporate-action',
  'interest-booked',
  'books-adopted',
]);

const PHASE_RANK = {
  venue: PHASES.indexOf('venue'),
  close: PHASES.indexOf('close'),
  print: PHASES.indexOf('print'),
};

/**
 * Runs a backtest through the pipeline of paper and live. Each step processes the earliest of venue events, bar
 * closes, timers and prints. Throws StrategyError if the strategy throws.
 */
export function runInFull(setup: RunSetup, options: BacktestOptions = {}): DetailedRecord {
  const run = stepsOfRun(setup, options);
  let step = run.next();
  while (step.done !== true) step = run.next();
  return step.value;
}

/** Runs the backtest one step per `next()`; interleaved runs share no state. */
export function* stepsOfRun(
  setup: RunSetup,
  options: BacktestOptions = {},
): Generator<void, DetailedRecord, void> {
  const world = createEnvironment(setup, options);
  const { engine } = world;
  const stop$ = new Subject<Stop>();
  const failure: { error?: unknown } = {};
  let finished = false;
  engine.run(stop$).subscribe({
    error: (error: unknown) => {
      failure.error = error;
      finished = true;
    },
    complete: () => {
      finished = true;
    },
  });
  const { clock, start } = world;
  const length = dataEnd(setup) - start;
  for (let steps = 1; !finished && step(world); steps += 1) {
    if (steps % STEPS_PER_PROGRESS === 0) options.onProgress?.((clock.now() - start) / length);
    yield;
  }
  stop$.next({ reason: 'finished', message: '' });
  if ('error' in failure) throw failure.error;
  return recordOf(setup, world, options);
}

/** Portfolio from a time on, and the exchange rates at that time. */
interface BookedPortfolio {
  readonly from: Millis;
  readonly portfolio: Portfolio;
  readonly rates: FxRates;
}

/** All connected parts of a backtest. */
interface RunEnvironment {
  readonly start: Millis;
  /** The account's currency. */
  readonly currency: Currency;
  readonly clock: VirtualClock;
  readonly simulation: Simulation;
  readonly source: ColumnarSignalSource;
  readonly broker: SimulatedBroker;
  readonly engine: Engine;
  /** Custom risk rules; undefined if there are none. */
  readonly rules: InProcessRules | undefined;
  /** The simulated operator that resumes a stopped gate; undefined if none. */
  readonly simulatedOperator: SimulatedOperator | undefined;
  readonly periods: PortfolioPeriod[];
  /** Portfolio of each period; recorded only if exchange rates change. */
  readonly periodPortfolios: Portfolio[];
  /** The newest portfolio and its start; not yet one of the periods. */
  newestPortfolio: BookedPortfolio | undefined;
  readonly dated: DatedRates;
  readonly rate: (currency: Currency) => number;
  readonly runBars: readonly RunColumns[];
  readonly warmupOf: (symbol: SecuritySymbol) => number;
  readonly splits: ReturnType<typeof splitAdjustments>;
  /** Returns the venue's own books. */
  readonly venueBooks: () => readonly BookBalance[];
  /** Time up to which closes have been processed. */
  closedThrough: Millis;
}

function createEnvironment(setup: RunSetup, options: BacktestOptions): RunEnvironment {
  const opening = simulationOptions(setup, receivesQuotes(setup));
  const simulation = createSimulation(options.venue?.(opening) ?? opening);
  const account = simulation.account(ACCOUNT_ID);
  if (account === undefined) throw new Error(`Simulation has no account "${ACCOUNT_ID}"`);
  const start = simulation.now();
  const clock = new VirtualClock(start);
  const periods: PortfolioPeriod[] = [];
  const dated = datedRates(setup.fx, setup.fxSeries);
  const splits = splitAdjustments(setup);
  const { host, members, source, runBars, warmupOf } = createStrategyFeeds(setup, {
    clock,
    closedThrough: () => world.closedThrough,
    visibleBars: options.visibleBars ?? ((columns) => columns),
  });
  const broker = createSimulatedBroker(simulation, account, clock, opening.models);
  const decorated = options.broker?.(broker) ?? broker;
  const visibleBroker = setup.onlyDocumented === true ? onlyDocumented(decorated) : decorated;
  const { ownRules = [] } = setup;
  const rules = ownRules.length === 0 ? undefined : createInProcessRules(ownRules);
  const symbols = setup.securities.map(({ symbol }) => symbol);
  const simulatedOperator =
    setup.operator === 'next-day'
      ? createSimulatedOperator({ clock, symbols, until: dataEnd(setup), state: () => world.engine.state })
      : undefined;
  const scheduled$ = new Observable<OperatorRequest>((subscriber) =>
    startSchedule({ schedule: setup.schedule ?? {}, symbols, clock, until: dataEnd(setup) }, (request) =>
      subscriber.next(request),
    ),
  );
  const engine = createEngine({
    clock,
    source,
    host,
    ...omitUndefined({ members, rules, fxSeries: setup.fxSeries, onAlarm: options.onAlarm }),
    broker: visibleBroker,
    journal: options.journal ?? createMemoryJournal(),
    securities: new Map(setup.securities.map((security) => [security.symbol, security])),
    quote:
      setup.onlyDocumented === true
        ? closedBarFacts(runBars, () => clock.now(), sessionsOf(setup))
        : quoteFacts(simulation, setup.period, sessionsOf(setup)),
    currency: setup.currency,
    fx: setup.fx,
    limits: setup.limits,
    policy: setup.policy,
    period: setup.period,
    sessions: sessionsOf(setup),
    until: dataEnd(setup),
    corporateActions: dueActions(setup, start),
    ...interestAccrual(setup, start, dataEnd(setup)),
    commands$: simulatedOperator === undefined ? scheduled$ : merge(scheduled$, simulatedOperator.requests$),
    mintIntentId: intentIdMint(seededRandom(setup.seed)),
    strategy: runName(setup),
    config: setup.config,
    onEvent: (event) => {
      if (BOOKING_EVENTS.has(event.kind)) recordPortfolio(world);
      simulatedOperator?.handleEvent(event);
      options.onEvent?.(event);
    },
  });
  const world: RunEnvironment = {
    start,
    currency: setup.currency,
    clock,
    simulation,
    source,
    broker,
    engine,
    rules,
    simulatedOperator,
    periods,
    periodPortfolios: [],
    newestPortfolio: undefined,
    rate: (currency) => rateIn(dated.asOf(clock.now()), currency, setup.currency),
    dated,
    runBars,
    warmupOf,
    splits,
    venueBooks: () => account.books(),
    closedThrough: millis(start - 1),
  };
  return world;
}

/** Records the portfolio that applies from the next close on. */
function recordPortfolio(world: RunEnvironment): void {
  const { clock, engine, closedThrough } = world;
  const now = clock.now();
  const from = closedThrough >= now ? millis(now + 1) : now;
  // Only the last booking before a close counts, so its estimate is computed when that is known.
  if (world.newestPortfolio !== undefined && world.newestPortfolio.from !== from)
    addPeriod(world, world.newestPortfolio);
  world.newestPortfolio = { from, portfolio: engine.state.portfolio, rates: world.dated.asOf(now) };
}

/** Adds a portfolio to the periods. */
function addPeriod(world: RunEnvironment, { from, portfolio, rates }: BookedPortfolio): void {
  const { periods, dated, periodPortfolios, currency } = world;
  periods.push({ from, estimate: estimated(portfolio, (each) => rateIn(rates, each, currency)) });
  if (dated.changes.length > 0) periodPortfolios.push(portfolio);
}

function rateIn(rates: FxRates, from: Currency, into: Currency): number {
  const rate = rateBetween(from, into, rates);
  return rate === undefined ? Number.NaN : doubleOfDecimal(rate);
}

/** Processes the next event; returns false if there is none. */
function step(world: RunEnvironment): boolean {
  const { clock, simulation, source } = world;
  const due = clock.next();
  let at: number = due?.at ?? NEVER;
  let rank = due?.rank ?? PHASES.length;
  let who: 'clock' | 'venue' | 'close' | 'print' = 'clock';
  const own = simulation.nextVenueEventAt();
  if (own < at || (own === at && PHASE_RANK.venue < rank)) [at, rank, who] = [own, PHASE_RANK.venue, 'venue'];
  const close = source.nextCloseAt();
  if (close < at || (close === at && PHASE_RANK.close < rank))
    [at, rank, who] = [close, PHASE_RANK.close, 'close'];
  const print = simulation.nextPrintAt();
  if (print < at || (print === at && PHASE_RANK.print < rank))
    [at, rank, who] = [print, PHASE_RANK.print, 'print'];
  if (at === NEVER) return false;
  if (who !== 'clock') clock.moveTo(millis(at));
  simulation.moveTo(millis(at));
  if (rank >= PHASE_RANK.close) world.closedThrough = millis(at);
  else if (at - 1 > world.closedThrough) world.closedThrough = millis(at - 1);
  processEvent(world, who);
  return true;
}

function processEvent(world: RunEnvironment, who: 'clock' | 'venue' | 'close' | 'print'): void {
  const { clock, simulation, source } = world;
  switch (who) {
    case 'clock':
      clock.fireNext();
      return;
    case 'venue':
      deliver(world, simulation.stepVenueEvent());
      return;
    case 'close':
      source.close();
      return;
    case 'print':
      deliver(world, simulation.stepPrint());
  }
}

/** Delivers orders before quotes, so that a strategy that receives a quote knows the fills of the same time. */
function deliver(world: RunEnvironment, events: readonly SimulationEvent[]): void {
  for (const event of events) if (event.kind === 'order') world.broker.deliver(event.change);
  const now = world.clock.now();
  for (const event of events) if (event.kind === 'quote') world.source.quote(event.quote, now);
}

function recordOf(setup: RunSetup, world: RunEnvironment, options: BacktestOptions): DetailedRecord {
  if (world.newestPortfolio !== undefined) addPeriod(world, world.newestPortfolio);
  const { engine, runBars, periods, start, splits } = world;
  const equity = equityOverColumns({
    columns: runBars.map((cut) => cut.columns),
    firstBars: runBars.map((cut) => cut.firstBar),
    periods: fxAdjustedPeriods(periods, {
      portfolios: world.periodPortfolios,
      dated: world.dated,
      currency: setup.currency,
    }),
    splitAdjustments: splits,
    extraTimes: delistingsIn(engine.decisions),
  });
  const last = equity.time.length - 1;
  const leftOut = engine.leftOut();
  const lastBars = runBars.flatMap(({ columns }) => lastBarOf(columns) ?? []);
  return {
    mode: 'backtest',
    strategy: runName(setup),
    ...strategyResults(setup, {
      books: engine.state.books,
      quarantined: engine.quarantined,
      runBars,
      rate: world.rate,
    }),
    config: setup.config,
    securities: setup.securities,
    currency: setup.currency,
    from: firstDay(setup),
    to: millis(equity.time[last] ?? start),
    initialEquity: openingEquity(setup),
    equity,
    flow: engine.flow(),
    decisions: engine.decisions,
    fills: fillsAmong(engine.decisions),
    bounds: { ...boundsOf(setup, lastBars, splits, equity.time[last] ?? start), books: world.venueBooks() },
    assumptions: [
      ...owedTexts(setup, equity, engine.decisions),
      ...insideBarTexts(setup, engine.decisions),
      ...assumptionsOf(setup),
      ...simulatedOperatorTexts(world.simulatedOperator ?? {}),
      ...expiredExitTexts(expiredExitsIn(engine.decisions)),
      ...barTexts(setup, world.warmupOf),
      ...ruleFailure(world.rules?.failure()),
    ],
    ...allUnreturned(engine, options.unreturnedBefore),
    ...(leftOut.length === 0 ? {} : { leftOut }),
    journal: options.journalPath,
    gate: engine.state.gate.standing,
    ...omitUndefined({ stops: world.simulatedOperator?.stops }),
  };
}

/**
 * Returns unreturned drafts of hooks, including those that the express engine recorded before this engine took over.
 */
function allUnreturned(
  engine: Engine,
  before: readonly UnreturnedDrafts[] = [],
): Pick<RunRecord, 'unreturned'> {
  const all = engine.unreturned().map((each) => {
    const calls = before.find(({ hook }) => hook === each.hook)?.calls ?? 0;
    return { ...each, calls: each.calls + calls };
  });
  const earlier = before.filter(({ hook }) => !all.some((each) => each.hook === hook));
  return all.length + earlier.length === 0 ? {} : { unreturned: [...earlier, ...all] };
}

/** Returns the report's remark on a custom risk rule that failed. */
export function ruleFailure(message: string | undefined): readonly string[] {
  return message === undefined ? [] : [`${message}: nothing opened from then on`];
}

/** End of a backtest: books of its strategies, and last prices. */
interface FinalBooks {
  readonly books: ReadonlyMap<string, Portfolio>;
  readonly quarantined: ReadonlySet<string>;
  readonly runBars: readonly RunColumns[];
  readonly rate: (currency: Currency) => number;
}

/** Returns the result of each of several strategies at the last closes; empty with one strategy. */
function strategyResults(
  { members }: Pick<RunSetup, 'members'>,
  { books, quarantined, runBars, rate }: FinalBooks,
): Pick<RunRecord, 'strategies'> {
  if (members === undefined) return {};
  const closes = new Map(runBars.map(({ columns }) => [columns.symbol, columns.close.at(-1) ?? Number.NaN]));
  return {
    strategies: members.map(({ name }) => {
      const own = books.get(name);
      const worth =
        own === undefined
          ? 0
          : valueAt(estimated(own, rate), (symbol) => closes.get(symbol) ?? Number.NaN).equity;
      return { name, earned: worth, quarantined: quarantined.has(name) };
    }),
  };
}
