import {
  type Bootstrap,
  blockIndices,
  type Draw,
  independentIndices,
  shuffle,
  stationaryIndices,
} from './resampling.ts';
import { seededRandom } from './seeded-random.ts';

/** Name and version of the format of a result file; later versions only add fields. */
export const MONTE_CARLO_SCHEMA = 'sluice.monte-carlo/1';

/** The data of a finished run that resampling needs. */
export interface ResampledRun {
  readonly initialEquity: number;
  /** Daily returns, the first from the initial equity. */
  readonly returns: Float64Array;
  /** Contribution of each closed trade to equity, as a share of equity when it was opened, by time of its close. */
  readonly trades: Float64Array;
  /** Closed trades that were held overnight: indices into `hold` of entry and exit, and 1 for long, -1 for short. */
  readonly held: readonly { readonly from: number; readonly to: number; readonly side: 1 | -1 }[];
  /** Equity of buy and hold at the close of each day; empty if not known. */
  readonly hold: Float64Array;
}

/** Parameters of the simulation. */
export interface MonteCarloPlan {
  readonly bootstrap: Bootstrap;
  readonly runs: number;
  readonly seed: number;
  /** Mean length of a block in days; the fixed length for `block`. */
  readonly block: number;
  /** Share of the initial equity whose loss counts as ruin. */
  readonly ruin: number;
}

/** The distribution of a figure over all simulated runs. */
export interface Spread {
  readonly p5: number;
  readonly p25: number;
  readonly p50: number;
  readonly p75: number;
  readonly p95: number;
}

/** Rank of the run among runs without the property that a null model removes. */
export interface NullModel {
  readonly name: 'random-entry' | 'shuffled-returns';
  /** The compared figure. */
  readonly figure: 'meanTradeMove' | 'maxDrawdown';
  /** Number of trades or days that are compared. */
  readonly rows: number;
  readonly actual: number;
  readonly spread: Spread;
  /** Share of the null model's runs that are at least as good as the run, which is counted among them. */
  readonly p: number;
}

/** Results of all simulated runs. */
export interface MonteCarlo {
  readonly plan: MonteCarloPlan;
  /** Number of resampled rows: days or trades. */
  readonly rows: number;
  readonly actual: { readonly totalReturn: number; readonly maxDrawdown: number };
  readonly totalReturn: Spread;
  readonly maxDrawdown: Spread;
  /** Share of runs that end with a loss. */
  readonly lossShare: number;
  /** Share of runs that lose the share of equity that counts as ruin. */
  readonly ruinShare: number;
  /** Equity by row, in the account's currency, with that of the run itself. */
  readonly bands: readonly (Spread & { readonly row: number; readonly actual: number })[];
  readonly nulls: readonly NullModel[];
}

/** Number of rows at which equity is recorded. */
const BAND_POINTS = 60;
/** Runs between two calls of `onProgress`. */
const PROGRESS_EVERY = 100;

/**
 * Simulates runs. The same plan and run give the same figures. `onProgress` is called with the number of completed
 * runs; returning false ends the simulation with the runs completed so far.
 */
export async function simulateRuns(
  run: ResampledRun,
  plan: MonteCarloPlan,
  onProgress: (done: number) => Promise<boolean> | boolean = () => true,
): Promise<MonteCarlo> {
  const { bootstrap, runs, seed, ruin } = plan;
  const source = bootstrap === 'trades' ? run.trades : run.returns;
  const rows = source.length;
  const draw = seededRandom(seed);
  const points = bandRows(rows);
  const bands = points.map(() => new Float64Array(runs));
  const final = new Float64Array(runs);
  const falls = new Float64Array(runs);
  const indices = new Int32Array(rows);
  const actual = pathOf(source, points);
  let [losing, ruined, done] = [0, 0, 0];
  for (let at = 0; at < runs; at += 1) {
    fillIndices(indices, plan, draw);
    let [equity, peak, fall, least, point] = [1, 1, 0, 1, 0];
    for (let row = 0; row < rows; row += 1) {
      equity *= 1 + (source[indices[row] as number] as number);
      if (equity < 0) equity = 0;
      if (equity > peak) peak = equity;
      else fall = Math.max(fall, 1 - equity / peak);
      if (equity < least) least = equity;
      if (row + 1 === points[point]) {
        (bands[point] as Float64Array)[at] = equity * run.initialEquity;
        point += 1;
      }
    }
    final[at] = equity - 1;
    falls[at] = fall;
    if (equity < 1) losing += 1;
    if (least <= 1 - ruin) ruined += 1;
    done = at + 1;
    if (done % PROGRESS_EVERY === 0 && !(await onProgress(done))) break;
  }
  const finished = { ...plan, runs: done };
  return {
    plan: finished,
    rows,
    actual: { totalReturn: actual.equity - 1, maxDrawdown: actual.fall },
    totalReturn: spreadOf(final.subarray(0, done)),
    maxDrawdown: spreadOf(falls.subarray(0, done)),
    lossShare: losing / done,
    ruinShare: ruined / done,
    bands: points.map((row, point) => ({
      row,
      actual: (actual.at[point] ?? 1) * run.initialEquity,
      ...spreadOf((bands[point] as Float64Array).subarray(0, done)),
    })),
    nulls: [...randomEntry(run, finished), ...shuffledReturns(run, finished)],
  };
}

function fillIndices(indices: Int32Array, { bootstrap, block }: MonteCarloPlan, draw: Draw): void {
  switch (bootstrap) {
    case 'trades':
      independentIndices(indices, indices.length, draw);
      return;
    case 'stationary':
      stationaryIndices(indices, indices.length, block, draw);
      return;
    case 'block':
      blockIndices(indices, indices.length, block, draw);
  }
}

function bandRows(rows: number): readonly number[] {
  const count = Math.min(BAND_POINTS, rows);
  return Array.from({ length: count }, (_, at) => Math.round(((at + 1) * rows) / count));
}

function pathOf(
  source: Float64Array,
  points: readonly number[],
): { readonly equity: number; readonly fall: number; readonly at: readonly number[] } {
  let [equity, peak, fall] = [1, 1, 0];
  const at: number[] = [];
  for (let row = 0; row < source.length; row += 1) {
    equity *= 1 + (source[row] as number);
    peak = Math.max(peak, equity);
    fall = Math.max(fall, 1 - equity / peak);
    if (row + 1 === points[at.length]) at.push(equity);
  }
  return { equity, fall, at };
}

/**
 * The same trades at random times: each keeps its duration and side, and the market's move while it is held is
 * compared. Shows whether the times of entries contain information.
 */
function randomEntry({ held, hold }: ResampledRun, { runs, seed }: MonteCarloPlan): readonly NullModel[] {
  if (held.length < 2 || hold.length < 3) return [];
  const draw = seededRandom(seed + 1);
  const move = (from: number, to: number, side: number): number =>
    side * ((hold[to] as number) / (hold[from] as number) - 1);
  const actual = held.reduce((sum, { from, to, side }) => sum + move(from, to, side), 0) / held.length;
  const means = new Float64Array(runs);
  for (let at = 0; at < runs; at += 1) {
    let sum = 0;
    for (const { from, to, side } of held) {
      const start = Math.floor(draw() * (hold.length - (to - from)));
      sum += move(start, start + to - from, side);
    }
    means[at] = sum / held.length;
  }
  return [
    {
      ...{
        name: 'random-entry',
        figure: 'meanTradeMove',
        rows: held.length,
        actual,
        spread: spreadOf(means),
      },
      p: (1 + countOf(means, (mean) => mean >= actual)) / (runs + 1),
    },
  ];
}

/**
 * The same daily returns in random order: the final equity is the same. Shows whether the drawdown results from their
 * order.
 */
function shuffledReturns({ returns }: ResampledRun, { runs, seed }: MonteCarloPlan): readonly NullModel[] {
  if (returns.length < 3) return [];
  const draw = seededRandom(seed + 2);
  const values = returns.slice();
  const falls = new Float64Array(runs);
  const actual = pathOf(returns, []).fall;
  for (let at = 0; at < runs; at += 1) {
    shuffle(values, draw);
    falls[at] = pathOf(values, []).fall;
  }
  return [
    {
      ...{
        name: 'shuffled-returns',
        figure: 'maxDrawdown',
        rows: returns.length,
        actual,
        spread: spreadOf(falls),
      },
      p: (1 + countOf(falls, (fall) => fall <= actual)) / (runs + 1),
    },
  ];
}

function countOf(values: Float64Array, is: (value: number) => boolean): number {
  let count = 0;
  for (const value of values) if (is(value)) count += 1;
  return count;
}

/** Percentiles of values, interpolated between neighbours. */
export function spreadOf(values: Float64Array): Spread {
  const sorted = values.toSorted();
  const at = (share: number): number => {
    const place = share * (sorted.length - 1);
    const low = Math.floor(place);
    const [one, other] = [sorted[low] as number, sorted[Math.min(sorted.length - 1, low + 1)] as number];
    return one + (place - low) * (other - one);
  };
  return { p5: at(0.05), p25: at(0.25), p50: at(0.5), p75: at(0.75), p95: at(0.95) };
}
