import { stationaryIndices, usualBlock } from './resampling.ts';
import { seededRandom } from './seeded-random.ts';

/** Probabilities that the best of all trials shows its mean return although no trial is better than the benchmark. */
export interface SuperiorAbility {
  /** Hansen's test of superior predictive ability: the consistent value, and its bounds. */
  readonly spa: number;
  readonly spaLower: number;
  readonly spaUpper: number;
  /** White's reality check. It is the upper bound: all trials are centred, also those that are far worse than the benchmark. */
  readonly realityCheck: number;
  readonly trials: number;
  readonly days: number;
  readonly resamples: number;
  /** Mean length of a block of the stationary bootstrap, days. */
  readonly block: number;
}

/** What is tested: a row per trial of its daily returns above the benchmark. */
export interface AbilityQuestion {
  readonly excess: readonly Float64Array[];
  readonly block: number;
  readonly resamples: number;
  /** Fills the rows of the next resample, the same for all trials. */
  readonly nextIndices: (indices: Int32Array) => void;
}

/** Most trials that are tested together: their daily returns are all kept. */
export const ABILITY_TRIALS_MAX = 1_000;
const RESAMPLES = 1_000;
const SEED = 1;
/** Weights of autocovariances below this do not change a double. */
const NEGLIGIBLE = 1e-18;

/** Tests daily returns against cash, which earns nothing; undefined for fewer than two trials or 30 days, or unequal lengths. */
export function abilityOf(returns: readonly Float64Array[]): SuperiorAbility | undefined {
  const days = returns[0]?.length ?? 0;
  if (returns.length < 2 || days < DAYS_MIN || returns.some(({ length }) => length !== days))
    return undefined;
  const draw = seededRandom(SEED);
  const block = usualBlock(days);
  return testAbility({
    excess: returns,
    block,
    resamples: RESAMPLES,
    nextIndices: (indices) => stationaryIndices(indices, days, block, draw),
  });
}

const DAYS_MIN = 30;

/**
 * The tests on given resamples.
 * @see Hansen, "A Test for Superior Predictive Ability", Journal of Business & Economic Statistics 23, 2005
 * @see White, "A Reality Check for Data Snooping", Econometrica 68, 2000
 */
export function testAbility({ excess, block, resamples, nextIndices }: AbilityQuestion): SuperiorAbility {
  const days = excess[0]?.length ?? 0;
  const means = excess.map(meanOf);
  const variances = excess.map((row, at) => longRunVariance(row, means[at] as number, block));
  const centres = means.map((mean, at) => {
    const least = -Math.sqrt(((variances[at] as number) / days) * 2 * Math.log(Math.log(days)));
    return { lower: Math.max(0, mean), consistent: mean >= least ? mean : 0, upper: mean };
  });
  const best = Math.max(...means);
  const above = { lower: 0, consistent: 0, upper: 0 };
  const indices = new Int32Array(days);
  const weights = new Float64Array(days);
  for (let resample = 0; resample < resamples; resample += 1) {
    nextIndices(indices);
    weights.fill(0);
    for (const row of indices) weights[row] = (weights[row] as number) + 1;
    const highest = { lower: -Infinity, consistent: -Infinity, upper: -Infinity };
    for (const [at, row] of excess.entries()) {
      let sum = 0;
      for (let day = 0; day < days; day += 1) sum += (weights[day] as number) * (row[day] as number);
      const mean = sum / days;
      const centre = centres[at] as (typeof centres)[number];
      highest.lower = Math.max(highest.lower, mean - centre.lower);
      highest.consistent = Math.max(highest.consistent, mean - centre.consistent);
      highest.upper = Math.max(highest.upper, mean - centre.upper);
    }
    if (highest.lower > best) above.lower += 1;
    if (highest.consistent > best) above.consistent += 1;
    if (highest.upper > best) above.upper += 1;
  }
  return {
    spa: above.consistent / resamples,
    spaLower: above.lower / resamples,
    spaUpper: above.upper / resamples,
    realityCheck: above.upper / resamples,
    trials: excess.length,
    days,
    resamples,
    block,
  };
}

function meanOf(row: Float64Array): number {
  let sum = 0;
  for (const value of row) sum += value;
  return sum / row.length;
}

/** Variance of the mean times the number of days, as the stationary bootstrap has it without resampling (Hansen 2005, section 3). */
export function longRunVariance(row: Float64Array, mean: number, block: number): number {
  const days = row.length;
  const off = row.map((value) => value - mean);
  const stay = 1 - 1 / block;
  let variance = 0;
  for (const value of off) variance += (value * value) / days;
  for (let lag = 1; lag < days; lag += 1) {
    const share = lag / days;
    const weight = (1 - share) * stay ** lag + share * stay ** (days - lag);
    if (weight < NEGLIGIBLE) continue;
    let product = 0;
    for (let day = lag; day < days; day += 1) product += (off[day - lag] as number) * (off[day] as number);
    variance += (2 * weight * product) / days;
  }
  return variance;
}
