import { blockStart, RETURN_BLOCKS, type ReturnMoments } from './trial.ts';

/** How often the best trial of one half of the time is a poor one in the other half. */
export interface Overfitting {
  /** Probability of backtest overfitting: share of splits in which the best in sample is at or below the median out of sample. */
  readonly probability: number;
  /** Share of splits in which the best in sample loses out of sample. */
  readonly lossShare: number;
  /** Ways to split the pieces into two halves. */
  readonly splits: number;
  readonly blocks: number;
  readonly trials: number;
}

/** Most trials for which all 16 pieces are used; above, pairs of them, for 70 splits in place of 12,870. */
const TRIALS_FOR_ALL_BLOCKS = 500;

/**
 * Combinatorially symmetric cross-validation over the pieces of daily returns that trials keep, by Sharpe ratio. Trials with another
 * number of returns than most are left out; undefined where fewer than two remain.
 * @see Bailey, Borwein, Lopez de Prado and Zhu, "The Probability of Backtest Overfitting", Journal of Computational Finance 20, 2017
 */
export function overfittingOf(
  samples: readonly Pick<ReturnMoments, 'count' | 'blocks'>[],
): Overfitting | undefined {
  const count = mostCommon(samples.map((each) => each.count));
  const chosen = samples.filter((each) => each.count === count);
  if (count === undefined || chosen.length < 2) return undefined;
  const blocks = chosen.length > TRIALS_FOR_ALL_BLOCKS ? RETURN_BLOCKS / 2 : RETURN_BLOCKS;
  const merged = chosen.map((each) => mergedBlocks(each.blocks, RETURN_BLOCKS / blocks));
  const lengths = Array.from({ length: blocks }, (_, block) => {
    const per = RETURN_BLOCKS / blocks;
    return blockStart(count, (block + 1) * per) - blockStart(count, block * per);
  });
  return crossValidated(merged, lengths);
}

function crossValidated(trials: readonly Float64Array[], lengths: readonly number[]): Overfitting {
  const blocks = lengths.length;
  const masks = halves(blocks);
  const all = (1 << blocks) - 1;
  let [poor, losing] = [0, 0];
  for (const mask of masks) {
    let best = 0;
    let bestInside = Number.NEGATIVE_INFINITY;
    for (const [at, trial] of trials.entries()) {
      const inside = sharpeOver(trial, lengths, mask);
      if (inside > bestInside) [best, bestInside] = [at, inside];
    }
    const outside = trials.map((trial) => sharpeOver(trial, lengths, all & ~mask));
    const own = outside[best] as number;
    let [below, equal] = [0, 0];
    for (const other of outside) {
      if (other < own) below += 1;
      else if (other === own) equal += 1;
    }
    // Relative rank in (0, 1); equal trials share the mean of their ranks. Its logit is at most 0 up to one half.
    const rank = (below + (equal + 1) / 2) / (trials.length + 1);
    if (rank <= 0.5) poor += 1;
    if (own < 0) losing += 1;
  }
  return {
    probability: poor / masks.length,
    lossShare: losing / masks.length,
    splits: masks.length,
    blocks,
    trials: trials.length,
  };
}

/** Sharpe ratio over the pieces of a mask; 0 where returns do not vary. */
function sharpeOver(trial: Float64Array, lengths: readonly number[], mask: number): number {
  let [count, sum, squares] = [0, 0, 0];
  for (let block = 0; block < lengths.length; block += 1) {
    if (((mask >>> block) & 1) === 0) continue;
    count += lengths[block] as number;
    sum += trial[2 * block] as number;
    squares += trial[2 * block + 1] as number;
  }
  const mean = sum / count;
  const variance = (squares - count * mean * mean) / (count - 1);
  return variance > 1e-24 ? mean / Math.sqrt(variance) : 0;
}

/** All subsets of half of the pieces, as bits. */
function halves(blocks: number): readonly number[] {
  const masks: number[] = [];
  for (let mask = 0; mask < 1 << blocks; mask += 1) {
    let bits = 0;
    for (let rest = mask; rest !== 0; rest &= rest - 1) bits += 1;
    if (bits === blocks / 2) masks.push(mask);
  }
  return masks;
}

function mergedBlocks(blocks: readonly number[], by: number): Float64Array {
  const merged = new Float64Array(blocks.length / by);
  for (const [at, value] of blocks.entries()) {
    const block = Math.floor(at / 2 / by);
    merged[2 * block + (at % 2)] = (merged[2 * block + (at % 2)] as number) + value;
  }
  return merged;
}

function mostCommon(values: readonly number[]): number | undefined {
  const counts = [...Map.groupBy(values, (value) => value)].map(([value, { length }]) => ({ value, length }));
  return counts.toSorted((one, other) => other.length - one.length || other.value - one.value)[0]?.value;
}
