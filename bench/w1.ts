import { runBacktest } from '../src/backtest/run-backtest.ts';
import type { RunSetup } from '../src/backtest/setup.ts';
import type { BarColumns } from '../src/model/bar.ts';
import type { Strategy } from '../src/strategy/define-strategy.ts';
import { againstLoop } from './against-loop.ts';
import { atLeast, type Benchmark, type Goal, type Row, type Scale } from './benchmark.ts';
import { median, timed } from './compare.ts';
import { CASH, CHARGE, idealSetup } from './ideal-setup.ts';
import { type Peer, type PeerName, peers } from './peers.ts';
import { type RunResult, resultOf, sameResult } from './run-result.ts';
import { type Rules, runW1Loop } from './w1-loop.ts';
import { w1 as sparse, w1EveryBar, w1OnSignal } from './w1-strategy.ts';
import { walkBars, walkSecurity } from './walk-bars.ts';

const BARS = { full: 1_000_000, smoke: 20_000 } as const;
const SEED = 42;
const SECURITY = walkSecurity('WALK', SEED);

/** The rule of W1, as every engine runs it. */
export const W1_RULES: Rules = { fast: 10, slow: 30, cash: CASH, charge: CHARGE };

/**
 * Share of the equity that pays for an order and its charge, less a trillionth, since equity is an estimate and the
 * venue calculates exactly.
 */
const ALL_IN = (1 - 1e-12) / (1 + CHARGE);

export function w1Bars(count: number): BarColumns {
  return walkBars(count, SEED, SECURITY.symbol);
}

/** W1 in our engine. */
export function w1Setup(bars: BarColumns, strategy: Strategy): RunSetup {
  const { fast, slow } = W1_RULES;
  const params = { fast, slow, weight: ALL_IN };
  return idealSetup({ strategy, params, securities: [SECURITY], history: [bars] });
}

/** Factor by which the averages are longer, so that they cross seldom. */
const SELDOM = 50;

/** W1 with long averages: about one order per thousand bars, so that reading bars makes up the time. */
export function w1SeldomSetup(bars: BarColumns, strategy: Strategy): RunSetup {
  const { fast, slow } = W1_RULES;
  const params = { fast: fast * SELDOM, slow: slow * SELDOM, weight: ALL_IN };
  return idealSetup({ strategy, params, securities: [SECURITY], history: [bars] });
}

const YARDSTICK =
  'js-curve: one loop in float64 with an equity curve, drawdown and a list of fills; no gate, order life, sessions or ledger';
const ASSUMED = 'Bars open where the last one closed, so that an order sized at a close is sized at its fill';

/** W1: SMA 10/30, long only, all in at the next open, 0.1 % charge, from columns in memory to the statistics. */
export const w1: Benchmark = {
  name: 'w1',
  run: (scale) => [rowFor('w1', scale, sparse, atLeast(0.5)), ...againstPeers(scale)],
};

/** The same rule written with \`onSignal\`. */
export const onSignal: Benchmark = {
  name: 'w1-on-signal',
  run: (scale) => [rowFor('w1-on-signal', scale, w1OnSignal, atLeast(0.5))],
};

/** The same rule written with `onBar`. */
export const everyBar: Benchmark = {
  name: 'w1-every-bar',
  run: (scale) => [rowFor('w1-every-bar', scale, w1EveryBar, atLeast(0.15))],
};

/** The hook that each of the three uses. */
const WRITTEN_WITH: Readonly<Record<string, string>> = {
  w1: 'targets',
  'w1-on-signal': 'onSignal',
  'w1-every-bar': 'onBar',
};

function rowFor(id: string, scale: Scale, strategy: Strategy, goal: Goal): Row {
  const bars = w1Bars(BARS[scale]);
  const setup = w1Setup(bars, strategy);
  const { oursMs, yardstickMs, timeRatio, pairs, ours, loop } = againstLoop(setup, () =>
    runW1Loop(bars, W1_RULES),
  );
  return {
    id,
    work: `W1, ${bars.length} bars, ${WRITTEN_WITH[strategy.name] ?? strategy.name}, compared with js-curve`,
    ours: bars.length / oursMs / 1e3,
    yardstick: bars.length / yardstickMs / 1e3,
    unit: 'M bars/s',
    ratio: 1 / timeRatio,
    goal,
    gates: sameResult(ours, loop),
    notes: [YARDSTICK, ASSUMED, `Median of ${pairs} pairs in turn, both compiled by rounds before`],
  };
}

/**
 * Runs for our median that is compared with peers, in a process in which the previous row has compiled everything.
 */
const ROUNDS = 9;

/** Goals for our throughput as a multiple of each peer's. */
const PEER_GOALS: ReadonlyMap<PeerName, number> = new Map([
  ['numba', 1],
  ['backtesting', 200],
  ['backtrader', 3_000],
  ['grademark', 40],
  ['backtest-kit', 5_000],
]);

/** Each peer runs in its own process and prints the median of its measured rounds. */
function againstPeers(scale: Scale): readonly Row[] {
  const bars = w1Bars(BARS[scale]);
  const setup = w1Setup(bars, sparse);
  const ours = resultOf(runBacktest(setup));
  const oursMs = median(Array.from({ length: ROUNDS }, () => timed(() => resultOf(runBacktest(setup)))));
  const rules = { ...W1_RULES, weight: 0.9999999 };
  return peers(bars, rules, [...PEER_GOALS.keys()]).map((peer) =>
    peerRow(peer, { bars: bars.length, oursMs, ours }),
  );
}

function peerRow(
  peer: Peer,
  run: { readonly bars: number; readonly oursMs: number; readonly ours: RunResult },
): Row {
  const { name, found } = peer;
  const goal = PEER_GOALS.get(name);
  const rate = (ms: number, bars: number): number => bars / ms / 1e3;
  const yardstick = found.kind === 'ran' ? rate(found.ms, found.bars) : undefined;
  const ours = rate(run.oursMs, run.bars);
  const fills = (bars: number): number =>
    bars === run.bars ? run.ours.fills : runW1Loop(w1Bars(bars), W1_RULES).fills;
  return {
    id: `w1-${name}`,
    work: `W1, ${run.bars} bars, compared with ${name}`,
    ours,
    yardstick,
    unit: 'M bars/s',
    ratio: yardstick === undefined ? undefined : ours / yardstick,
    goal: goal === undefined ? undefined : atLeast(goal),
    gates:
      found.kind === 'ran' && found.fills !== undefined
        ? [
            {
              what: 'as many fills',
              holds: found.fills === fills(found.bars),
              saw: `${fills(found.bars)} and ${found.fills}`,
            },
          ]
        : [],
    notes: [found.kind === 'ran' ? peer.about : found.why],
  };
}
