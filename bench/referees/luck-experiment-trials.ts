import { CONFIDENCE, luckOf } from '#src/research/luck.ts';
import { seededRandom } from '#src/research/seeded-random.ts';
import { momentsOf } from '#src/research/trial.ts';

/** Number of seeds, strategies and days, and the yearly Sharpe ratio of the planted strategy; 0 for none. */
export interface Experiment {
  readonly seeds: number;
  readonly trials: number;
  readonly days: number;
  readonly planted: number;
}

/** Mean length in days of a position, and of the time between two. */
const HOLDING_DAYS = 10;

/** Column `close` of a file of bars. */
export function closesIn(csv: string): Float64Array {
  const [head = '', ...rows] = csv.trim().split('\n');
  const column = head.split(',').indexOf('close');
  return Float64Array.from(rows, (row) => Number(row.split(',')[column]));
}

/**
 * Share of the seeds in which the deflated Sharpe ratio of the best trial is at least 95 %. Each strategy is long,
 * short or in cash for periods of random length on the last `days` of the closes. Its expected return is 0, because
 * it is long as often as short. The planted strategy has the same returns plus a drift, which makes the planted
 * Sharpe ratio its expected one; the ratio over these days differs by chance.
 */
export function acceptedShare(
  closes: Float64Array,
  { seeds, trials, days, planted }: Experiment,
): { readonly accepted: number; readonly expected: number } {
  const market = Float64Array.from({ length: days }, (_, at) => {
    const day = closes.length - days + at;
    return (closes[day] as number) / (closes[day - 1] as number) - 1;
  });
  let [accepted, expected] = [0, 0];
  for (let seed = 1; seed <= seeds; seed += 1) {
    const draw = seededRandom(seed);
    let [sum, squares, known] = [0, 0, 0];
    let best:
      | {
          readonly sharpe: number;
          readonly count: number;
          readonly skewness: number;
          readonly kurtosis: number;
        }
      | undefined;
    for (let trial = 0; trial < trials; trial += 1) {
      const returns = randomTrades(market, draw);
      const moments = momentsOf(trial === 0 && planted > 0 ? withSharpe(returns, planted) : returns);
      if (moments === null) continue;
      const sharpe = moments.mean / moments.deviation;
      sum += sharpe;
      squares += sharpe * sharpe;
      known += 1;
      if (best === undefined || sharpe > best.sharpe) best = { ...moments, sharpe };
    }
    const variance = (squares - (sum * sum) / known) / (known - 1);
    const names = { strategy: 'random', code: '', data: '', allVersions: trials };
    const luck = luckOf({
      ...{ ...names, trials, variance },
      ...(best === undefined ? {} : { best: { sample: best, params: '{}' } }),
    });
    if ((luck?.deflated ?? 0) >= CONFIDENCE) accepted += 1;
    expected += (luck?.expectedBest ?? 0) / seeds;
  }
  return { accepted, expected };
}

function randomTrades(market: Float64Array, draw: () => number): Float64Array {
  let side = 0;
  return market.map((move) => {
    if (draw() < 1 / HOLDING_DAYS) side = Math.floor(draw() * 3) - 1;
    return side * move;
  });
}

function withSharpe(returns: Float64Array, year: number): Float64Array {
  const moments = momentsOf(returns);
  if (moments === null) return returns;
  const drift = (year / Math.sqrt(252)) * moments.deviation;
  return returns.map((value) => value + drift);
}
