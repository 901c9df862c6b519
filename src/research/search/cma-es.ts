import { symmetricEigen } from './symmetric-eigen.ts';

/** Constants of a CMA-ES, from the number of dimensions and the population. */
interface Rates {
  readonly weights: Float64Array;
  readonly parents: number;
  readonly effective: number;
  readonly rankOne: number;
  readonly rankMany: number;
  readonly stepPath: number;
  readonly stepDamping: number;
  readonly path: number;
  readonly expectedNorm: number;
}

interface CovarianceRoots {
  readonly root: Float64Array;
  readonly inverse: Float64Array;
  /** Longest standard deviation, and ratio of the longest to the shortest variance. */
  readonly widest: number;
  readonly condition: number;
}

/** Default population for a number of dimensions. */
export function defaultPopulation(dimensions: number): number {
  return 4 + Math.floor(3 * Math.log(dimensions));
}

const TINY = 1e-8;

/**
 * Covariance matrix adaptation evolution strategy with active update: a normal distribution that moves and stretches
 * towards the better half of each generation. It minimizes, without bounds. Sampling and learning are separate, so
 * that the caller decides which points are tried.
 * @see Hansen, "The CMA Evolution Strategy: A Tutorial", 2023, arXiv:1604.00772
 */
export class CmaEs {
  readonly population: number;
  readonly #size: number;
  readonly #rates: Rates;
  readonly #mean: Float64Array;
  #step: number;
  /** Row by row. */
  #covariance: Float64Array;
  readonly #stepPath: Float64Array;
  readonly #path: Float64Array;
  #generation = 0;
  #root: CovarianceRoots | undefined;

  constructor(mean: readonly number[], step: number, population = defaultPopulation(mean.length)) {
    this.#size = mean.length;
    this.population = population;
    this.#rates = ratesOf(mean.length, population);
    this.#mean = Float64Array.from(mean);
    this.#step = step;
    this.#covariance = identity(mean.length);
    this.#stepPath = new Float64Array(mean.length);
    this.#path = new Float64Array(mean.length);
  }

  get mean(): readonly number[] {
    return [...this.#mean];
  }

  get step(): number {
    return this.#step;
  }

  /** The longest standard deviation, over all directions. */
  get widest(): number {
    return this.#step * this.#roots().widest;
  }

  /** Ratio of the longest to the shortest variance, over all directions. */
  get condition(): number {
    return this.#roots().condition;
  }

  /** Converts standard normal numbers to a point. */
  sample(normals: ArrayLike<number>): readonly number[] {
    const { root } = this.#roots();
    const moved = times(root, normals, this.#size);
    return Array.from(this.#mean, (mean, at) => mean + this.#step * (moved[at] as number));
  }

  /** Learns from the points of a generation, the best first. */
  learn(sorted: readonly (readonly number[])[]): void {
    const size = this.#size;
    const { weights, parents, effective, rankOne, rankMany, stepPath, stepDamping, path, expectedNorm } =
      this.#rates;
    const { inverse } = this.#roots();
    this.#generation += 1;
    const moves = sorted.map((point) =>
      Float64Array.from(point, (value, at) => (value - (this.#mean[at] as number)) / this.#step),
    );
    const move = new Float64Array(size);
    for (let rank = 0; rank < parents; rank += 1)
      for (let at = 0; at < size; at += 1)
        move[at] =
          (move[at] as number) + (weights[rank] as number) * ((moves[rank] as Float64Array)[at] as number);
    for (let at = 0; at < size; at += 1)
      this.#mean[at] = (this.#mean[at] as number) + this.#step * (move[at] as number);

    const whitened = times(inverse, move, size);
    const gain = Math.sqrt(stepPath * (2 - stepPath) * effective);
    for (let at = 0; at < size; at += 1)
      this.#stepPath[at] = (1 - stepPath) * (this.#stepPath[at] as number) + gain * (whitened[at] as number);
    const norm = Math.hypot(...this.#stepPath);
    this.#step = Math.min(
      STEP_MAX,
      this.#step * Math.exp((stepPath / stepDamping) * (norm / expectedNorm - 1)),
    );

    const isSteady =
      norm / Math.sqrt(1 - (1 - stepPath) ** (2 * (this.#generation + 1))) <
      (1.4 + 2 / (size + 1)) * expectedNorm;
    const pathGain = isSteady ? Math.sqrt(path * (2 - path) * effective) : 0;
    for (let at = 0; at < size; at += 1)
      this.#path[at] = (1 - path) * (this.#path[at] as number) + pathGain * (move[at] as number);

    const adjusted = weights.map((weight, rank) => {
      if (weight >= 0) return weight;
      const white = times(inverse, moves[rank] as Float64Array, size);
      return (weight * size) / (white.reduce((sum, value) => sum + value * value, 0) + TINY);
    });
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    const retainedShare = 1 + (isSteady ? 0 : rankOne * path * (2 - path)) - rankOne - rankMany * total;
    const next = new Float64Array(size * size);
    for (let row = 0; row < size; row += 1)
      for (let column = row; column < size; column += 1) {
        let many = 0;
        for (let rank = 0; rank < moves.length; rank += 1) {
          const own = moves[rank] as Float64Array;
          many += (adjusted[rank] as number) * (own[row] as number) * (own[column] as number);
        }
        const value =
          retainedShare * (this.#covariance[row * size + column] as number) +
          rankOne * (this.#path[row] as number) * (this.#path[column] as number) +
          rankMany * many;
        next[row * size + column] = value;
        next[column * size + row] = value;
      }
    this.#covariance = next;
    this.#root = undefined;
  }

  /** Raises the standard deviation along one coordinate to at least `least`, without changing correlations. */
  widen(at: number, least: number): void {
    const size = this.#size;
    const deviation = this.#step * Math.sqrt(Math.max(0, this.#covariance[at * size + at] as number));
    if (deviation >= least || !(deviation > 0)) return;
    const factor = least / deviation;
    for (let other = 0; other < size; other += 1) {
      this.#covariance[at * size + other] = (this.#covariance[at * size + other] as number) * factor;
      this.#covariance[other * size + at] = (this.#covariance[other * size + at] as number) * factor;
    }
    this.#root = undefined;
  }

  /**
   * Square root of the covariance, and its inverse; both symmetric, so that they do not depend on the order of
   * eigenvectors.
   */
  #roots(): CovarianceRoots {
    if (this.#root !== undefined) return this.#root;
    const size = this.#size;
    const { values, vectors } = symmetricEigen(this.#covariance, size);
    const deviations = values.map((value) => Math.sqrt(value < 0 ? TINY : value));
    const [root, inverse, repaired] = [identity(size), identity(size), identity(size)];
    for (let row = 0; row < size; row += 1)
      for (let column = row; column < size; column += 1) {
        let [one, other, square] = [0, 0, 0];
        for (let at = 0; at < size; at += 1) {
          const product = (vectors[row * size + at] as number) * (vectors[column * size + at] as number);
          const deviation = deviations[at] as number;
          one += product * deviation;
          other += product / deviation;
          square += product * deviation * deviation;
        }
        for (const [matrix, value] of [
          [root, one],
          [inverse, other],
          [repaired, square],
        ] as const) {
          matrix[row * size + column] = value;
          matrix[column * size + row] = value;
        }
      }
    this.#covariance = repaired;
    const [widest, narrowest] = [Math.max(...deviations), Math.min(...deviations)];
    this.#root = { root, inverse, widest, condition: (widest / narrowest) ** 2 };
    return this.#root;
  }
}

const STEP_MAX = 1e32;

function ratesOf(size: number, population: number): Rates {
  const parents = Math.floor(population / 2);
  const raw = Float64Array.from(
    { length: population },
    (_, at) => Math.log((population + 1) / 2) - Math.log(at + 1),
  );
  const effectiveOf = (part: Float64Array): number =>
    part.reduce((sum, value) => sum + value, 0) ** 2 / part.reduce((sum, value) => sum + value * value, 0);
  const effective = effectiveOf(raw.slice(0, parents));
  const effectiveRest = effectiveOf(raw.slice(parents));
  const rankOne = 2 / ((size + 1.3) ** 2 + effective);
  const rankMany = Math.min(
    1 - rankOne - TINY,
    (2 * (effective - 2 + 1 / effective)) / ((size + 2) ** 2 + effective),
  );
  const negative = Math.min(
    1 + rankOne / rankMany,
    1 + (2 * effectiveRest) / (effective + 2),
    (1 - rankOne - rankMany) / (size * rankMany),
  );
  const positiveSum = raw.reduce((sum, value) => sum + Math.max(0, value), 0);
  const negativeSum = raw.reduce((sum, value) => sum + Math.max(0, -value), 0);
  const stepPath = (effective + 2) / (size + effective + 5);
  return {
    weights: raw.map((value) => (value >= 0 ? value / positiveSum : (negative * value) / negativeSum)),
    parents,
    effective,
    rankOne,
    rankMany,
    stepPath,
    stepDamping: 1 + 2 * Math.max(0, Math.sqrt((effective - 1) / (size + 1)) - 1) + stepPath,
    path: (4 + effective / size) / (size + 4 + (2 * effective) / size),
    expectedNorm: Math.sqrt(size) * (1 - 1 / (4 * size) + 1 / (21 * size * size)),
  };
}

function identity(size: number): Float64Array {
  const matrix = new Float64Array(size * size);
  for (let at = 0; at < size; at += 1) matrix[at * size + at] = 1;
  return matrix;
}

function times(matrix: Float64Array, vector: ArrayLike<number>, size: number): Float64Array {
  const product = new Float64Array(size);
  for (let row = 0; row < size; row += 1) {
    let sum = 0;
    for (let at = 0; at < size; at += 1) sum += (matrix[row * size + at] as number) * (vector[at] as number);
    product[row] = sum;
  }
  return product;
}
