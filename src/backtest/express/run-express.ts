import { type CurveFigures, CurveFold } from '../../events/curve/curve-figures.ts';
import type { EquityCurve } from '../../events/curve/equity-curve.ts';
import type { ExitColumns } from '../../events/curve/exit-columns.ts';
import type { FillColumns } from '../../events/curve/fill-columns.ts';
import type { Alarm } from '../../model/notice.ts';
import { marketOf, type SecuritySymbol } from '../../model/symbol.ts';
import { type Millis, NEVER } from '../../model/time.ts';
import { volumesSince } from '../../simulation/market/tape.ts';
import { DEFAULT_RULES } from '../../simulation/rules.ts';
import { hooksOf } from '../../strategy/strategy-facts.ts';
import { firstDay } from '../first-day.ts';
import type { DecidedInside } from '../inside-bar-texts.ts';
import { type LastBar, lastBarOf } from '../run-bounds.ts';
import { cutRows, openingEquity, programOf, type RunSetup, startOf } from '../setup.ts';
import { BailOut, bailOut } from './bail-out.ts';
import { equityOfHoldings } from './curve.ts';
import { CurveWalk } from './curve-walk.ts';
import { DecisionLog } from './decision-log.ts';
import type { DenialLog } from './denial-log.ts';
import { TradingHours } from './hours.ts';
import { initialCapacity } from './initial-capacity.ts';
import { Listener } from './listener.ts';
import { SymbolCursor } from './symbol-cursor.ts';
import { ExpressWorld } from './world.ts';

/** What an express run came to. */
export interface Arrived {
  readonly kind: 'arrived';
  readonly decisions: DecisionLog;
  /** The first day on which anything could happen. */
  readonly begin: Millis;
  /** Bars of all symbols, those of warm-up included, and the last of each. */
  readonly bars: number;
  readonly lastBars: readonly LastBar[];
  readonly curve: CurveFigures;
  /** Makes the curve: goes through all bars again. */
  readonly equity: () => EquityCurve;
  readonly fills: FillColumns;
  readonly signals: number;
  readonly orders: number;
  /** When each of those was sent. */
  readonly sentAt: Float64Array;
  /** Orders that the strategy decided on while a bar of their symbol ran, and the first of them. */
  readonly decidedInside: Pick<DecidedInside, 'inside' | 'first'>;
  readonly exits: ExitColumns;
  readonly denials: DenialLog;
  /** Exits that expired while their position was held, and were sent again. */
  readonly renewedExits: number;
  readonly alarms: readonly Alarm[];
  /** Whether an amount went beyond what is kept exactly. */
  readonly isRounded: boolean;
}

/** That, or how far the strategy had answered when plain numbers carried no further. */
export type ExpressRun =
  | Arrived
  | { readonly kind: 'left'; readonly decisions: DecisionLog; readonly why: string };

/**
 * Carries a run whose orders are all ordinary, in plain numbers: the same decisions, fills and equity as the full engine,
 * which takes over where one is not. `rowsAtOnce` of its bars are looked at together, which changes nothing. Throws what the strategy's `signals` throws.
 */
export function runExpress(setup: RunSetup, rowsAtOnce?: number): ExpressRun {
  const decisions = new DecisionLog(initialCapacity(setup));
  try {
    return arrive(setup, decisions, rowsAtOnce);
  } catch (error) {
    if (error instanceof BailOut) return { kind: 'left', decisions, why: error.message };
    throw error;
  }
}

function arrive(setup: RunSetup, decisions: DecisionLog, rowsAtOnce: number | undefined): Arrived {
  const { securities, rules = DEFAULT_RULES } = setup;
  const program = programOf(setup);
  if (program.own) bailOut("the author's own indicators are not fed ahead of time");
  const start = startOf(
    securities.map(({ symbol }) => symbol),
    setup.from,
  );
  const cuts = setup.history.map((bars) => cutRows(bars, start, program.warmup, rowsAtOnce));
  const hooks = hooksOf(setup.strategy);
  const everyBar = hooks.has('bar');
  // With bar or fill hooks too, hooks are called in sequence, and their decisions kept.
  const hearsFills = hooks.has('fill');
  const targets = everyBar || hearsFills ? undefined : setup.strategy.targets?.({ params: setup.params });
  const hours = new TradingHours(marketOf(securities[0]?.symbol ?? bailOut('no security')));
  const cancelAfterMs = setup.policy.cancelAfterMs ?? Number.POSITIVE_INFINITY;
  const asksVolumes = rules.fills.emptyBars === 'wait';
  const cursors = securities.map((security, place) => {
    const { rows } = cuts[place] ?? bailOut(`no bars of "${security.symbol}"`);
    const history = setup.history[place];
    const since = asksVolumes && history !== undefined ? volumesSince(history) : NEVER;
    const passed = (until: number): void => walk.goTo(until);
    const cursorOf = (symbol: SecuritySymbol): SymbolCursor | undefined => world.cursorOf(symbol);
    const own = { security, rows, volumesSince: since, targets, passed, cursorOf };
    return new SymbolCursor({ ...own, program, fills: rules.fills, hours, cancelAfterMs, everyBar });
  });
  const world = new ExpressWorld(setup, cursors, start);
  const { booked } = world;
  const begin = firstDay(setup);
  const fold = new CurveFold(begin, openingEquity(setup));
  const firstBars = cuts.map(({ firstBar }) => firstBar);
  const windows = cursors.map(({ window }) => window);
  const walk = new CurveWalk({ windows, firstBars, booked, takes: fold });
  const receives = {
    bars: everyBar,
    signals: hooks.has('signal'),
    targetDrafts: targets !== undefined,
    isAlone: cursors.length === 1,
  };
  const listener = new Listener(setup, decisions, world);
  if (hearsFills) world.notifyFills((fill) => listener.fill(fill));
  const signals = drive(cursors, world, listener, receives);
  walk.goTo(NEVER);
  const rows = cuts.map((cut) => cut.rows);
  return {
    kind: 'arrived',
    decisions,
    begin,
    bars: rows.reduce((sum, { length }) => sum + length, 0),
    lastBars: windows.flatMap(({ columns }) => lastBarOf(columns) ?? []),
    curve: fold.figures(),
    equity: () => equityOfHoldings(rows, firstBars, booked),
    fills: world.fills.columns(),
    signals,
    orders: world.orders.count,
    sentAt: world.orders.times(),
    decidedInside: world.decidedInside,
    exits: world.exits,
    denials: world.denials,
    renewedExits: world.renewedExits,
    alarms: world.alarms,
    isRounded: world.account.isRounded,
  };
}

interface Receives {
  readonly bars: boolean;
  readonly signals: boolean;
  /** Each signal has its target, so the strategy is not called. */
  readonly targetDrafts: boolean;
  /** There is one symbol: after what it tells last at a bar nothing else happens at that instant. */
  readonly isAlone: boolean;
}

/**
 * Closes that are gone through in one call. A loop that runs once a run is compiled again in the middle of each run; one that is
 * called again and again is compiled once and for all.
 */
const STRETCH = 256;

/** Goes from close to close until the bars have ended; returns how many signals there were. */
function drive(
  cursors: readonly SymbolCursor[],
  world: ExpressWorld,
  listener: Listener,
  receives: Receives,
): number {
  const [only] = cursors;
  let signals = 0;
  if (cursors.length === 1 && only !== undefined)
    while (only.nextAt !== NEVER) signals += driveOne(only, world, listener, receives);
  else while (nextCloseAt(cursors) !== NEVER) signals += driveMany(cursors, world, listener, receives);
  world.advance(NEVER);
  return signals;
}

function driveOne(cursor: SymbolCursor, world: ExpressWorld, listener: Listener, receives: Receives): number {
  let signals = 0;
  for (let count = 0; count < STRETCH && cursor.nextAt !== NEVER; count += 1) {
    if (world.waits) world.advance(cursor.nextAt);
    if (!cursor.rests) world.close(cursor.nextAt);
    signals += tellClose(cursor, listener, receives);
  }
  return signals;
}

function driveMany(
  cursors: readonly SymbolCursor[],
  world: ExpressWorld,
  listener: Listener,
  receives: Receives,
): number {
  let signals = 0;
  for (let count = 0; count < STRETCH; count += 1) {
    const time = nextCloseAt(cursors);
    if (time === NEVER) break;
    if (world.waits) world.advance(time);
    if (tells(cursors, time)) world.close(time);
    for (let place = 0; place < cursors.length; place += 1) {
      const cursor = cursors[place] as SymbolCursor;
      if (cursor.nextAt === time) signals += tellClose(cursor, listener, receives);
    }
  }
  return signals;
}

/** Whether a symbol reports a bar that closes then, and does not only rest there. */
function tells(cursors: readonly SymbolCursor[], time: Millis): boolean {
  for (let place = 0; place < cursors.length; place += 1) {
    const { nextAt, rests } = cursors[place] as SymbolCursor;
    if (nextAt === time && !rests) return true;
  }
  return false;
}

function nextCloseAt(cursors: readonly SymbolCursor[]): Millis {
  let next = NEVER;
  for (let place = 0; place < cursors.length; place += 1) {
    const { nextAt } = cursors[place] as SymbolCursor;
    if (nextAt < next) next = nextAt;
  }
  return next;
}

/** Tells of a bar that closed and of its signals; returns how many those are. */
function tellClose(cursor: SymbolCursor, listener: Listener, receives: Receives): number {
  const { isAlone } = receives;
  let signals = 0;
  if (receives.bars && !cursor.rests) {
    if (cursor.now !== cursor.nextAt) cursor.goTo(cursor.nextAt);
    listener.bar(cursor, isAlone);
  }
  for (; cursor.hasSignal(); signals += 1) {
    if (receives.targetDrafts) listener.target(cursor, isAlone);
    else if (receives.signals) listener.signal(cursor, isAlone);
    else cursor.passSignal();
  }
  cursor.step();
  return signals;
}
