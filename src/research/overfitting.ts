import { blockStart, RETURN_BLOCKS } from './trial.ts';

/** How often the best trial of one half of the time is a poor one in the other half. */
export interface Overfitting {
  /**
   * Probability of backtest overfitting: share of splits in which the best in sample is at or below the median out of
   * sample.
   */
  readonly probability: number;
  /** Share of splits in which the best in sample loses out of sample. */
  readonly lossShare: number;
  /** Number of ways to split the pieces into two halves. */
  readonly splits: number;
  readonly blocks: number;
  readonly trials: number;
}

/**
 * Maximum number of trials for which all 16 pieces are used; beyond it, pairs of them, for 70 splits in place of
 * 12,870.
 */
export const TRIALS_FOR_ALL_BLOCKS = 500;

/**
 * Combinatorially symmetric cross-validation over the pieces of daily returns of trials, by Sharpe ratio. Trials with
 * another number of returns than most are left out; undefined if fewer than two remain.
 * @see Bailey, Borwein, Lopez de Prado and Zhu, "The Probability of Backtest Overfitting", Journal of Computational
 * Finance 20, 2017
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

/** Sum and sum of squares of consecutive pieces of daily returns, 16 or 8 of them, the same number for all trials. */
export interface ReturnPieces {
  readonly count: number;
  readonly blocks: ArrayLike<number>;
}

/** `table` has the pieces of one trial after the other. */
function crossValidated(table: Float64Array, trials: number, lengths: readonly number[]): Overfitting {
  const blocks = lengths.length;
  const columns = columnsOf(table, trials);
  const masks = halves(blocks);
  const all = (1 << blocks) - 1;
  const scratch = (): Scratch => ({
    sharpes: new Float64Array(trials),
    sums: new Float64Array(trials),
    squares: new Float64Array(trials),
  });
  const [one, other] = [scratch(), scratch()];
  let [poor, losing] = [0, 0];
  const test = (inside: Float64Array, outside: Float64Array): void => {
    let best = 0;
    for (let trial = 1; trial < trials; trial += 1)
      if ((inside[trial] as number) > (inside[best] as number)) best = trial;
    const own = outside[best] as number;
    let [below, equal] = [0, 0];
    for (let trial = 0; trial < trials; trial += 1) {
      const sharpe = outside[trial] as number;
      if (sharpe < own) below += 1;
      else if (sharpe === own) equal += 1;
    }
    // Relative rank in (0, 1); equal trials share the mean of their ranks. Its logit is at most 0 up to one half.
    const rank = (below + (equal + 1) / 2) / (trials + 1);
    if (rank <= 0.5) poor += 1;
    if (own < 0) losing += 1;
  };
  for (const mask of masks) {
    // A half and its complement are two splits, each in sample once.
    if ((mask & 1) === 0) continue;
    sharpesOver(columns, lengths, mask, one);
    sharpesOver(columns, lengths, all & ~mask, other);
    test(one.sharpes, other.sharpes);
    test(other.sharpes, one.sharpes);
  }
  return {
    probability: poor / masks.length,
    lossShare: losing / masks.length,
    splits: masks.length,
    blocks,
    trials,
  };
}

/** The table by columns: for each piece the sums of all trials, then their sums of squares. */
function columnsOf(table: Float64Array, trials: number): readonly Float64Array[] {
  const width = table.length / trials;
  return Array.from({ length: width }, (_, at) =>
    Float64Array.from({ length: trials }, (__, trial) => table[trial * width + at] as number),
  );
}

/** Fills `sharpes` with the Sharpe ratios of all trials over the pieces of a mask; 0 if returns do not vary. */
function sharpesOver(
  columns: readonly Float64Array[],
  lengths: readonly number[],
  mask: number,
  { sharpes, sums, squares }: Scratch,
): void {
  let count = 0;
  sums.fill(0);
  squares.fill(0);
  for (let block = 0; block < lengths.length; block += 1) {
    if (((mask >>> block) & 1) === 0) continue;
    count += lengths[block] as number;
    addTo(sums, columns[2 * block] as Float64Array);
    addTo(squares, columns[2 * block + 1] as Float64Array);
  }
  for (let trial = 0; trial < sharpes.length; trial += 1) {
    const mean = (sums[trial] as number) / count;
    const variance = ((squares[trial] as number) - count * mean * mean) / (count - 1);
    sharpes[trial] = variance > 1e-24 ? mean / Math.sqrt(variance) : 0;
  }
}

/** Sharpe ratios of all trials over a half of the pieces, with temporary arrays. */
interface Scratch {
  readonly sharpes: Float64Array;
  readonly sums: Float64Array;
  readonly squares: Float64Array;
}

function addTo(sums: Float64Array, column: Float64Array): void {
  for (let at = 0; at < sums.length; at += 1) sums[at] = (sums[at] as number) + (column[at] as number);
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

/** Joins pieces of returns into pieces `by` times as long. */
export function mergedBlocks(blocks: ArrayLike<number>, by: number): Float64Array {
  const merged = new Float64Array(blocks.length / by);
  for (let at = 0; at < blocks.length; at += 1) {
    const place = 2 * Math.floor(at / 2 / by) + (at % 2);
    merged[place] = (merged[place] as number) + (blocks[at] as number);
  }
  return merged;
}
