import { ProductMixture } from './product-mixture.ts';
import type { Point, SearchStrategy } from './search.ts';
import type { Dimension } from './search-space.ts';

/** Uniformly drawn trials before the first one that is chosen. */
const STARTUP = 10;
/** Trials of a generation: each is chosen as if the earlier ones of the generation had been poor. */
export const TPE_GENERATION = 4;
/** Points drawn from the good trials for each trial; the one least like the others is tried. */
const CANDIDATES = 64;
/** Maximum number of trials that count as good. */
const GOOD_MAX = 25;
/** Of the others, only the latest are used, so that time grows linearly with the number of trials. */
const OTHERS_MAX = 1_000;
/** Draws to find allowed points. */
const TRIES = 20;

/**
 * Tree-structured Parzen estimator, multivariate: it models the good trials and the others by a mixture each, and tries what is likely
 * among the good and unlikely among the others.
 * @see Bergstra, Bardenet, Bengio and Kegl, "Algorithms for Hyper-Parameter Optimization", NeurIPS 2011
 * @see Watanabe, "Tree-Structured Parzen Estimator: Understanding Its Algorithm Components", 2023, arXiv:2304.11127
 */
export class TpeStrategy implements SearchStrategy {
  readonly #dimensions: readonly Dimension[];
  readonly #random: () => number;
  readonly #points: Point[] = [];
  readonly #scores: (number | null)[] = [];
  /** Best trials, the best first. */
  readonly #best: number[] = [];
  #asked: readonly Point[] = [];

  constructor(dimensions: readonly Dimension[], random: () => number) {
    this.#dimensions = dimensions;
    this.#random = random;
  }

  generation(allows: (point: Point) => boolean): readonly Point[] {
    const count = this.#points.length;
    const proposed: Point[] = [];
    const known = new Set(this.#recent().map(String));
    while (proposed.length < (count < STARTUP ? STARTUP - count : TPE_GENERATION)) {
      const point = count < STARTUP ? this.#even(allows) : this.#chosen(allows, proposed, known);
      proposed.push(point);
      known.add(String(point));
    }
    this.#asked = proposed;
    return proposed;
  }

  learn(scores: readonly (number | null)[]): void {
    for (const [at, point] of this.#asked.entries()) {
      const trial = this.#points.push(point) - 1;
      this.#scores.push(scores[at] ?? null);
      const place = this.#best.findIndex((other) => this.#isBetter(trial, other));
      this.#best.splice(place < 0 ? this.#best.length : place, 0, trial);
      this.#best.length = Math.min(this.#best.length, GOOD_MAX);
    }
    this.#asked = [];
  }

  #isBetter(one: number, other: number): boolean {
    return (
      (this.#scores[one] ?? Number.NEGATIVE_INFINITY) > (this.#scores[other] ?? Number.NEGATIVE_INFINITY)
    );
  }

  #recent(): readonly Point[] {
    return this.#points.slice(-OTHERS_MAX);
  }

  #even(allows: (point: Point) => boolean): Point {
    for (let tries = 1; ; tries += 1) {
      const point = this.#dimensions.map((dimension) => {
        const share = this.#random();
        return dimension.kind === 'range' ? share : Math.floor(share * dimension.count);
      });
      if (tries === EVEN_TRIES || allows(point)) return point;
    }
  }

  #chosen(allows: (point: Point) => boolean, proposed: readonly Point[], known: ReadonlySet<string>): Point {
    const count = this.#points.length;
    const good = new Set(this.#best.slice(0, Math.min(GOOD_MAX, Math.ceil(0.1 * count))));
    const others: Point[] = [];
    for (let at = Math.max(0, count - OTHERS_MAX); at < count; at += 1)
      if (!good.has(at)) others.push(this.#points[at] as Point);
    others.push(...proposed);
    const goodPoints = [...good].toSorted((one, other) => one - other).map((at) => this.#points[at] as Point);
    const likely = new ProductMixture(this.#dimensions, goodPoints);
    const unlikely = new ProductMixture(this.#dimensions, others);
    for (let tries = 0; tries < TRIES; tries += 1) {
      let best: Point | undefined;
      let bestGain = Number.NEGATIVE_INFINITY;
      for (let draw = 0; draw < CANDIDATES; draw += 1) {
        const point = likely.draw(this.#random);
        if (known.has(String(point)) || !allows(point)) continue;
        const gain = likely.logDensity(point) - unlikely.logDensity(point);
        if (best === undefined || gain > bestGain) [best, bestGain] = [point, gain];
      }
      if (best !== undefined) return best;
    }
    return this.#even(allows);
  }
}

const EVEN_TRIES = 1_000;
