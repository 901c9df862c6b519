import { type CurveFigures, CurveFold } from '../../events/curve/curve-figures.ts';
import type { EquityCurve } from '../../events/curve/equity-curve.ts';
import type { FillColumns } from '../../events/curve/fill-columns.ts';
import { marketOf, type SecuritySymbol } from '../../model/symbol.ts';
import { type Millis, NEVER } from '../../model/time.ts';
import { volumesSince } from '../../simulation/market/tape.ts';
import { DEFAULT_RULES } from '../../simulation/rules.ts';
import { hooksOf } from '../../strategy/strategy-facts.ts';
import { firstDay } from '../first-day.ts';
import { type LastBar, lastBarOf } from '../run-bounds.ts';
import { cutRows, openingEquity, programOf, type RunSetup, startOf } from '../setup.ts';
import { Answers } from './answers.ts';
import { equityOfHoldings } from './curve.ts';
import { CurveWalk } from './curve-walk.ts';
import { TradingHours } from './hours.ts';
import { Lane } from './lane.ts';
import { LeavesExpress, leave } from './leaves.ts';
import { Listener } from './listener.ts';
import { roomFor } from './room.ts';
import { ExpressWorld } from './world.ts';

/** What an express run came to. */
export interface Arrived {
  readonly kind: 'arrived';
  readonly answers: Answers;
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
  /** Whether an amount went beyond what is kept exactly. */
  readonly isRounded: boolean;
}

/** That, or how far the strategy had answered when plain numbers carried no further. */
export type ExpressRun = Arrived | { readonly kind: 'left'; readonly answers: Answers; readonly why: string };

/**
 * Carries a run whose orders are all ordinary, in plain numbers: the same decisions, fills and equity as the full engine,
 * which takes over where one is not. `rowsAtOnce` of its bars are looked at together, which changes nothing. Throws what the strategy's `signals` throws.
 */
export function runExpress(setup: RunSetup, rowsAtOnce?: number): ExpressRun {
  const answers = new Answers(roomFor(setup));
  try {
    return arrive(setup, answers, rowsAtOnce);
  } catch (error) {
    if (error instanceof LeavesExpress) return { kind: 'left', answers, why: error.message };
    throw error;
  }
}

function arrive(setup: RunSetup, answers: Answers, rowsAtOnce: number | undefined): Arrived {
  const { securities, rules = DEFAULT_RULES } = setup;
  const program = programOf(setup);
  if (program.own) leave("the author's own indicators are not fed ahead of time");
  const start = startOf(
    securities.map(({ symbol }) => symbol),
    setup.from,
  );
  const cuts = setup.history.map((bars) => cutRows(bars, start, program.warmup, rowsAtOnce));
  const hooks = hooksOf(setup.strategy);
  const everyBar = hooks.has('bar');
  // Where bars are heard of too, hooks are asked in turn, and their answers kept.
  const targets = everyBar ? undefined : setup.strategy.targets?.({ params: setup.params });
  const hours = new TradingHours(marketOf(securities[0]?.symbol ?? leave('no security')));
  const cancelAfterMs = setup.policy.cancelAfterMs ?? Number.POSITIVE_INFINITY;
  const asksVolumes = rules.fills.emptyBars === 'wait';
  const lanes = securities.map((security, place) => {
    const { rows } = cuts[place] ?? leave(`no bars of "${security.symbol}"`);
    const history = setup.history[place];
    const since = asksVolumes && history !== undefined ? volumesSince(history) : NEVER;
    const passed = (until: number): void => walk.goTo(until);
    const laneOf = (symbol: SecuritySymbol): Lane | undefined => world.laneOf(symbol);
    const own = { security, rows, volumesSince: since, targets, passed, laneOf };
    return new Lane({ ...own, program, fills: rules.fills, hours, cancelAfterMs, everyBar });
  });
  const world = new ExpressWorld(setup, lanes, start);
  const { booked } = world;
  const begin = firstDay(setup);
  const fold = new CurveFold(begin, openingEquity(setup));
  const firstBars = cuts.map(({ firstBar }) => firstBar);
  const windows = lanes.map(({ window }) => window);
  const walk = new CurveWalk({ windows, firstBars, booked, takes: fold });
  const hears = {
    bars: everyBar,
    signals: hooks.has('signal'),
    aims: targets !== undefined,
    isAlone: lanes.length === 1,
  };
  const signals = drive(lanes, world, new Listener(setup, answers, world), hears);
  walk.goTo(NEVER);
  const rows = cuts.map((cut) => cut.rows);
  return {
    kind: 'arrived',
    answers,
    begin,
    bars: rows.reduce((sum, { length }) => sum + length, 0),
    lastBars: windows.flatMap(({ columns }) => lastBarOf(columns) ?? []),
    curve: fold.figures(),
    equity: () => equityOfHoldings(rows, firstBars, booked),
    fills: world.fills.columns(),
    signals,
    orders: world.orders,
    isRounded: world.account.isRounded,
  };
}

interface Hears {
  readonly bars: boolean;
  readonly signals: boolean;
  /** Each signal has its target: nobody is asked. */
  readonly aims: boolean;
  /** There is one lane: after what it tells last at a bar nothing else happens at that instant. */
  readonly isAlone: boolean;
}

/**
 * Closes that are gone through in one call. A loop that runs once a run is compiled anew in the midst of each run; one that is
 * called again and again is compiled once and for all.
 */
const STRETCH = 256;

/** Goes from close to close until the bars have ended; returns how many signals there were. */
function drive(lanes: readonly Lane[], world: ExpressWorld, listener: Listener, hears: Hears): number {
  const [only] = lanes;
  let signals = 0;
  if (lanes.length === 1 && only !== undefined)
    while (only.nextAt !== NEVER) signals += driveOne(only, world, listener, hears);
  else while (nextCloseAt(lanes) !== NEVER) signals += driveMany(lanes, world, listener, hears);
  world.advance(NEVER);
  return signals;
}

function driveOne(lane: Lane, world: ExpressWorld, listener: Listener, hears: Hears): number {
  let signals = 0;
  for (let count = 0; count < STRETCH && lane.nextAt !== NEVER; count += 1) {
    if (world.waits) world.advance(lane.nextAt);
    if (!lane.rests) world.close(lane.nextAt);
    signals += tellClose(lane, listener, hears);
  }
  return signals;
}

function driveMany(lanes: readonly Lane[], world: ExpressWorld, listener: Listener, hears: Hears): number {
  let signals = 0;
  for (let count = 0; count < STRETCH; count += 1) {
    const time = nextCloseAt(lanes);
    if (time === NEVER) break;
    if (world.waits) world.advance(time);
    if (tells(lanes, time)) world.close(time);
    for (let place = 0; place < lanes.length; place += 1) {
      const lane = lanes[place] as Lane;
      if (lane.nextAt === time) signals += tellClose(lane, listener, hears);
    }
  }
  return signals;
}

/** Whether a lane tells of a bar that closes then, and does not only rest there. */
function tells(lanes: readonly Lane[], time: Millis): boolean {
  for (let place = 0; place < lanes.length; place += 1) {
    const { nextAt, rests } = lanes[place] as Lane;
    if (nextAt === time && !rests) return true;
  }
  return false;
}

function nextCloseAt(lanes: readonly Lane[]): Millis {
  let next = NEVER;
  for (let place = 0; place < lanes.length; place += 1) {
    const { nextAt } = lanes[place] as Lane;
    if (nextAt < next) next = nextAt;
  }
  return next;
}

/** Tells of a bar that closed and of its signals; returns how many those are. */
function tellClose(lane: Lane, listener: Listener, hears: Hears): number {
  const { isAlone } = hears;
  let signals = 0;
  if (hears.bars && !lane.rests) {
    if (lane.now !== lane.nextAt) lane.goTo(lane.nextAt);
    listener.bar(lane, isAlone);
  }
  for (; lane.hasSignal(); signals += 1) {
    if (hears.aims) listener.aim(lane, isAlone);
    else if (hears.signals) listener.signal(lane, isAlone);
    else lane.passSignal();
  }
  lane.step();
  return signals;
}
