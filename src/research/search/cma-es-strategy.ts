import { CmaEs, defaultPopulation } from './cma-es.ts';
import type { Point, SearchStrategy } from './search.ts';
import type { Dimension } from './search-space.ts';

/** Initial deviation of a search, as a share of each axis. */
const FIRST_STEP = 1 / 8;
/** Initial deviation of a restart, from anywhere. */
const NEXT_STEP = 1 / 3;
/** Draws to find a point within the bounds that satisfies the condition. */
const DRAWS = 100;
/** A search that is narrower than this share of every axis has converged and restarts elsewhere. */
const NARROW = 1e-7;
const CONDITION_MAX = 1e14;
/** Minimum deviation on an axis of listed values, in steps: less would never reach the next value. */
const LEAST_STEPS = 0.3;
/** Generations without a better point, on listed axes only, after which a search restarts. */
const STALE = 12;

/**
 * Proposes trials by CMA-ES. Each axis is a coordinate from 0 to 1; ordered values are intervals of equal length.
 * Each of several choices has its own coordinate, and the highest wins. A converged search restarts with twice the
 * population.
 * @see Auger and Hansen, "A Restart CMA Evolution Strategy With Increasing Population Size", CEC 2005
 */
export class CmaEsStrategy implements SearchStrategy {
  readonly #dimensions: readonly Dimension[];
  readonly #random: () => number;
  readonly #normal: () => number;
  readonly #length: number;
  #search: CmaEs;
  #asked: readonly (readonly number[])[] = [];
  #best = Number.NEGATIVE_INFINITY;
  #stale = 0;

  constructor(dimensions: readonly Dimension[], random: () => number) {
    this.#dimensions = dimensions;
    this.#random = random;
    this.#normal = normalsFrom(random);
    this.#length = dimensions.reduce((sum, dimension) => sum + coordinatesOf(dimension), 0);
    this.#search = new CmaEs(new Array(this.#length).fill(0.5), FIRST_STEP, defaultPopulation(this.#length));
  }

  generation(allows: (point: Point) => boolean): readonly Point[] {
    this.#asked = Array.from({ length: this.#search.population }, () => this.#place(allows));
    return this.#asked.map((place) => this.#pointAt(place));
  }

  learn(scores: readonly (number | null)[]): void {
    const order = this.#asked.map((place, at) => ({
      place,
      at,
      score: scores[at] ?? Number.NEGATIVE_INFINITY,
    }));
    order.sort((one, other) => (one.score === other.score ? one.at - other.at : other.score - one.score));
    this.#search.learn(order.map(({ place }) => place));
    this.#keepSteps();
    const best = order[0]?.score ?? Number.NEGATIVE_INFINITY;
    this.#stale = best > this.#best ? 0 : this.#stale + 1;
    this.#best = Math.max(this.#best, best);
    const isListed = this.#dimensions.every(({ kind }) => kind !== 'range');
    const { widest, condition } = this.#search;
    if (!(widest > NARROW && condition < CONDITION_MAX) || (isListed && this.#stale >= STALE))
      this.#restart();
  }

  #restart(): void {
    const population = Math.min(this.#search.population * 2, POPULATION_MAX);
    const mean = Array.from({ length: this.#length }, () => this.#random());
    this.#search = new CmaEs(mean, NEXT_STEP, population);
    this.#best = Number.NEGATIVE_INFINITY;
    this.#stale = 0;
  }

  #place(allows: (point: Point) => boolean): readonly number[] {
    let place: readonly number[] = [];
    for (let draw = 0; draw < DRAWS; draw += 1) {
      place = this.#search.sample(Array.from({ length: this.#length }, this.#normal));
      if (place.every((value) => value >= 0 && value <= 1) && allows(this.#pointAt(place))) return place;
    }
    const clipped = place.map((value) => Math.min(1, Math.max(0, value)));
    if (allows(this.#pointAt(clipped))) return clipped;
    // Few points here satisfy the condition: takes one from anywhere.
    for (let draw = 0; draw < EVEN_DRAWS; draw += 1) {
      place = Array.from({ length: this.#length }, this.#random);
      if (allows(this.#pointAt(place))) return place;
    }
    return place;
  }

  #pointAt(place: readonly number[]): Point {
    let from = 0;
    return this.#dimensions.map((dimension) => {
      const own = place.slice(from, from + coordinatesOf(dimension));
      from += own.length;
      const [first = 0] = own;
      if (dimension.kind === 'range') return first;
      if (own.length > 1) return own.indexOf(Math.max(...own));
      return Math.min(dimension.count - 1, Math.floor(first * dimension.count));
    });
  }

  #keepSteps(): void {
    let from = 0;
    for (const dimension of this.#dimensions) {
      const count = coordinatesOf(dimension);
      if (dimension.kind !== 'range' && dimension.count > 1)
        for (let at = from; at < from + count; at += 1)
          this.#search.widen(at, count > 1 ? LEAST_CHOICE : LEAST_STEPS / dimension.count);
      from += count;
    }
  }
}

const POPULATION_MAX = 512;
const EVEN_DRAWS = 1_000;
const LEAST_CHOICE = 0.05;

function coordinatesOf(dimension: Dimension): number {
  return dimension.kind === 'choices' && dimension.count > 2 ? dimension.count : 1;
}

/** Standard normal numbers, by the polar form of Box and Muller. */
function normalsFrom(random: () => number): () => number {
  let spare: number | undefined;
  return () => {
    if (spare !== undefined) {
      const value = spare;
      spare = undefined;
      return value;
    }
    for (;;) {
      const [x, y] = [2 * random() - 1, 2 * random() - 1];
      const square = x * x + y * y;
      if (square >= 1 || square === 0) continue;
      const factor = Math.sqrt((-2 * Math.log(square)) / square);
      spare = y * factor;
      return x * factor;
    }
  };
}
