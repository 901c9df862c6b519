import { defaultBlockLength, stationaryIndices } from './resampling.ts';
import { seededRandom } from './seeded-random.ts';

/** Probabilities that the best of all trials has its mean return although no trial is better than the benchmark. */
export interface PredictiveAbility {
  /** Hansen's test of superior predictive ability: the consistent value, and its bounds. */
  readonly spa: number;
  readonly spaLower: number;
  readonly spaUpper: number;
  /**
   * White's reality check. It is the upper bound: all trials are centred, even those far worse than the benchmark.
   */
  readonly realityCheck: number;
  readonly trials: number;
  readonly days: number;
  readonly resamples: number;
  /** Mean length of a block of the stationary bootstrap, days. */
  readonly block: number;
}

/** Input of the test: for each trial, a row of daily returns above the benchmark. */
export interface AbilityInput {
  readonly excess: readonly Float64Array[];
  readonly block: number;
  readonly resamples: number;
  /** Fills in the rows of the next resample, the same for all trials. */
  readonly nextIndices: (indices: Int32Array) => void;
}

/** Maximum number of trials that are tested together, because all their daily returns are kept. */
export const ABILITY_TRIALS_MAX = 1_000;
const RESAMPLES = 1_000;
const SEED = 1;
/** Weights of autocovariances below this change no double. */
const NEGLIGIBLE = 1e-18;

/** Multiplications between two values that a computation in pieces yields: about 20 ms. */
const PIECE = 2 ** 25;

/**
 * Tests daily returns against cash, which earns nothing. Computed in pieces: after each it yields the completed
 * share. The result is undefined for fewer than two trials or 30 days, or unequal lengths.
 */
export function* abilityOf(
  returns: readonly Float64Array[],
): Generator<number, PredictiveAbility | undefined> {
  const days = returns[0]?.length ?? 0;
  if (returns.length < 2 || days < DAYS_MIN || returns.some(({ length }) => length !== days))
    return undefined;
  const draw = seededRandom(SEED);
  const block = defaultBlockLength(days);
  return yield* testAbility({
    excess: returns,
    block,
    resamples: RESAMPLES,
    nextIndices: (indices) => stationaryIndices(indices, days, block, draw),
  });
}

const DAYS_MIN = 30;

/**
 * The tests on given resamples, in pieces as `abilityOf`.
 * @see Hansen, "A Test for Superior Predictive Ability", Journal of Business & Economic Statistics 23, 2005
 * @see White, "A Reality Check for Data Snooping", Econometrica 68, 2000
 */
export function* testAbility({
  excess,
  block,
  resamples,
  nextIndices,
}: AbilityInput): Generator<number, PredictiveAbility> {
  const days = excess[0]?.length ?? 0;
  const [ofVariance, ofResample] = [days ** 2 / 2, days * excess.length];
  const whole = excess.length * ofVariance + resamples * ofResample;
  let [done, pieceEnd] = [0, PIECE];
  /** Adds completed work; true at the end of a piece. */
  const endsPiece = (work: number): boolean => {
    done += work;
    if (done < pieceEnd) return false;
    pieceEnd = done + PIECE;
    return true;
  };
  const means = excess.map(meanOf);
  const lags = lagWeights(days, block);
  const centres = {
    lower: new Float64Array(means),
    consistent: new Float64Array(means),
    upper: new Float64Array(means),
  };
  for (const [at, row] of excess.entries()) {
    const mean = means[at] as number;
    const variance = longRunVariance(row, mean, lags);
    const least = -Math.sqrt((variance / days) * 2 * Math.log(Math.log(days)));
    centres.lower[at] = Math.max(0, mean);
    centres.consistent[at] = mean >= least ? mean : 0;
    if (endsPiece(ofVariance)) yield done / whole;
  }
  const best = Math.max(...means);
  const above = { lower: 0, consistent: 0, upper: 0 };
  const indices = new Int32Array(days);
  const weights = new Float64Array(days);
  const sums = new Float64Array(excess.length);
  for (let resample = 0; resample < resamples; resample += 1) {
    nextIndices(indices);
    weights.fill(0);
    for (const row of indices) weights[row] = (weights[row] as number) + 1;
    weightedSums(excess, weights, sums);
    for (let at = 0; at < sums.length; at += 1) sums[at] = (sums[at] as number) / days;
    if (highestAbove(sums, centres.lower) > best) above.lower += 1;
    if (highestAbove(sums, centres.consistent) > best) above.consistent += 1;
    if (highestAbove(sums, centres.upper) > best) above.upper += 1;
    if (endsPiece(ofResample)) yield done / whole;
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

/** The highest of the means less their centres. */
function highestAbove(means: Float64Array, centres: Float64Array): number {
  let highest = Number.NEGATIVE_INFINITY;
  for (let at = 0; at < means.length; at += 1)
    highest = Math.max(highest, (means[at] as number) - (centres[at] as number));
  return highest;
}

/**
 * Fills `sums` with the weighted sum of each row over the days; most weights are small integers. Four rows are summed
 * in parallel, because an addition waits for the previous one of its row; each row is still added in the order of its
 * days.
 */
function weightedSums(rows: readonly Float64Array[], weights: Float64Array, sums: Float64Array): void {
  const days = new Int32Array(weights.length);
  let count = 0;
  for (let day = 0; day < weights.length; day += 1) if (weights[day] !== 0) days[count++] = day;
  for (let at = 0; at < rows.length; at += 4) {
    const first = rows[at] as Float64Array;
    // If fewer than four are left, the last ones are summed again.
    const [second, third, fourth] = [rows[at + 1] ?? first, rows[at + 2] ?? first, rows[at + 3] ?? first];
    let [sum1, sum2, sum3, sum4] = [0, 0, 0, 0];
    for (let each = 0; each < count; each += 1) {
      const day = days[each] as number;
      const weight = weights[day] as number;
      sum1 += weight * (first[day] as number);
      sum2 += weight * (second[day] as number);
      sum3 += weight * (third[day] as number);
      sum4 += weight * (fourth[day] as number);
    }
    // Writing beyond the end of a typed array has no effect.
    sums[at] = sum1;
    sums[at + 1] = sum2;
    sums[at + 2] = sum3;
    sums[at + 3] = sum4;
  }
}

function meanOf(row: Float64Array): number {
  let sum = 0;
  for (const value of row) sum += value;
  return sum / row.length;
}

/** Weights of the autocovariances by lag, starting with 1 day; 0 where a weight would not change a double. */
export function lagWeights(days: number, block: number): Float64Array {
  const stay = 1 - 1 / block;
  return Float64Array.from({ length: days - 1 }, (_, at) => {
    const lag = at + 1;
    const share = lag / days;
    const weight = (1 - share) * stay ** lag + share * stay ** (days - lag);
    return weight < NEGLIGIBLE ? 0 : weight;
  });
}

/**
 * Variance of the mean times the number of days, for the stationary bootstrap without resampling (Hansen 2005,
 * section 3).
 */
export function longRunVariance(row: Float64Array, mean: number, weights: Float64Array): number {
  const days = row.length;
  const off = row.map((value) => value - mean);
  let variance = 0;
  for (const value of off) variance += (value * value) / days;
  const products = new Float64Array(LAGS);
  for (let at = 0; at < weights.length; at += LAGS) {
    const together = weights.subarray(at, at + LAGS);
    if (together.every((weight) => weight === 0)) continue;
    lagProducts(off, at + 1, products);
    for (const [place, weight] of together.entries())
      if (weight !== 0) variance += (2 * weight * (products[place] as number)) / days;
  }
  return variance;
}

/** Number of lags that are computed together. */
const LAGS = 4;

/**
 * Fills `products` with the sums of products of days that are `first`, and one, two and three more days apart, each
 * in the order of days.
 */
function lagProducts(off: Float64Array, first: number, products: Float64Array): void {
  const days = off.length;
  let [sum1, sum2, sum3, sum4] = [0, 0, 0, 0];
  const common = Math.max(0, days - first - LAGS + 1);
  for (let day = 0; day < common; day += 1) {
    const value = off[day] as number;
    sum1 += value * (off[day + first] as number);
    sum2 += value * (off[day + first + 1] as number);
    sum3 += value * (off[day + first + 2] as number);
    sum4 += value * (off[day + first + 3] as number);
  }
  const ends = [sum1, sum2, sum3, sum4];
  for (const [at, sum] of ends.entries()) {
    let product = sum;
    for (let day = common; day + first + at < days; day += 1)
      product += (off[day] as number) * (off[day + first + at] as number);
    products[at] = product;
  }
}
