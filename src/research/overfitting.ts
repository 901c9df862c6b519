import { blockStart, RETURN_BLOCKS } from './trial.ts';

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
export const TRIALS_FOR_ALL_BLOCKS = 500;

/**
 * Combinatorially symmetric cross-validation over the pieces of daily returns that trials keep, by Sharpe ratio. Trials with another
 * number of returns than most are left out; undefined where fewer than two remain.
 * @see Bailey, Borwein, Lopez de Prado and Zhu, "The Probability of Backtest Overfitting", Journal of Computational Finance 20, 2017
 */
export function overfittingOf(samples: Iterable<ReturnPieces>): Overfitting | undefined {
  const counts = new Map<number, number>();
  for (const { count } of samples) counts.set(count, (counts.get(count) ?? 0) + 1);
  const [[count, trials] = [0, 0]] = [...counts].toSorted(
    ([one, ofOne], [other, ofOther]) => ofOther - ofOne || other - one,
  );
  if (trials < 2) return undefined;
  let pieces = RETURN_BLOCKS;
  let table = new Float64Array();
  let start = 0;
  for (const sample of samples) {
    if (sample.count !== count) continue;
    if (table.length === 0) {
      pieces = sample.blocks.length / 2;
      if (trials > TRIALS_FOR_ALL_BLOCKS) pieces = Math.min(pieces, RETURN_BLOCKS / 2);
      table = new Float64Array(trials * 2 * pieces);
    }
    table.set(mergedBlocks(sample.blocks, sample.blocks.length / 2 / pieces), start);
    start += 2 * pieces;
  }
  const lengths = Array.from({ length: pieces }, (_, piece) => {
    const per = RETURN_BLOCKS / pieces;
    return blockStart(count, (piece + 1) * per) - blockStart(count, piece * per);
  });
  return crossValidated(table, trials, lengths);
}

/** Sum and sum of squares of consecutive pieces of daily returns, 16 or 8 of them, the same for all trials. */
export interface ReturnPieces {
  readonly count: number;
  readonly blocks: ArrayLike<number>;
}

/** `table` has the pieces of one trial after the other. */
function crossValidated(table: Float64Array, trials: number, lengths: readonly number[]): Overfitting {
  const blocks = lengths.length;
  const masks = halves(blocks);
  const all = (1 << blocks) - 1;
  const outside = new Float64Array(trials);
  let [poor, losing] = [0, 0];
  for (const mask of masks) {
    let best = 0;
    let bestInside = Number.NEGATIVE_INFINITY;
    for (let trial = 0; trial < trials; trial += 1) {
      const inside = sharpeOver(table, trial, lengths, mask);
      if (inside > bestInside) [best, bestInside] = [trial, inside];
      outside[trial] = sharpeOver(table, trial, lengths, all & ~mask);
    }
    const own = outside[best] as number;
    let [below, equal] = [0, 0];
    for (const other of outside) {
      if (other < own) below += 1;
      else if (other === own) equal += 1;
    }
    // Relative rank in (0, 1); equal trials share the mean of their ranks. Its logit is at most 0 up to one half.
    const rank = (below + (equal + 1) / 2) / (trials + 1);
    if (rank <= 0.5) poor += 1;
    if (own < 0) losing += 1;
  }
  return {
    probability: poor / masks.length,
    lossShare: losing / masks.length,
    splits: masks.length,
    blocks,
    trials,
  };
}

/** Sharpe ratio of a trial over the pieces of a mask; 0 where returns do not vary. */
function sharpeOver(table: Float64Array, trial: number, lengths: readonly number[], mask: number): number {
  const start = trial * 2 * lengths.length;
  let [count, sum, squares] = [0, 0, 0];
  for (let block = 0; block < lengths.length; block += 1) {
    if (((mask >>> block) & 1) === 0) continue;
    count += lengths[block] as number;
    sum += table[start + 2 * block] as number;
    squares += table[start + 2 * block + 1] as number;
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

/** Pieces of returns that are `by` times as long. */
export function mergedBlocks(blocks: ArrayLike<number>, by: number): Float64Array {
  const merged = new Float64Array(blocks.length / by);
  for (let at = 0; at < blocks.length; at += 1) {
    const place = 2 * Math.floor(at / 2 / by) + (at % 2);
    merged[place] = (merged[place] as number) + (blocks[at] as number);
  }
  return merged;
}
