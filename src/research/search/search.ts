import type { Axis } from '../axes.ts';
import type { Expression } from '../expression.ts';
import type { TrialParams } from '../param-table.ts';
import { ResearchError } from '../research-error.ts';
import { seededRandom } from '../seeded-random.ts';
import { CmaEsStrategy } from './cma-es-strategy.ts';
import { keyOf, SearchSpace } from './search-space.ts';
import { TpeStrategy } from './tpe-strategy.ts';

/** Methods that choose trials by the objective of earlier ones. */
export type SearchMethod = 'tpe' | 'cma-es';

/** A point of the search space: see {@link SearchSpace}. */
export type Point = readonly number[];

/** How one method chooses points. It sees points and scores alone; what may be tried is decided around it. */
export interface SearchStrategy {
  /** Points of the next generation. One that is known or not allowed is not tried; the method learns what is known of it. */
  generation(allows: (point: Point) => boolean): readonly Point[];
  /** Scores of the points of the last generation, in its order; the highest is best and `null` is worse than any. */
  learn(scores: readonly (number | null)[]): void;
}

/** What a search is made from. */
export interface SearchPlan {
  readonly axes: readonly Axis[];
  readonly method: SearchMethod;
  /** Most trials. */
  readonly trials: number;
  readonly seed: number;
  readonly where?: Expression | undefined;
}

/** Generations in a row without a new trial after which values that were never tried are drawn evenly. */
const IDLE_GENERATIONS = 20;
/** Points that are drawn for a trial that is new before the search ends. */
const DRAWS_MAX = 10_000;

/**
 * Chooses the trials of a sweep one generation at a time. The size of a generation follows from the plan, never from the number of
 * processes, so the same scores give the same trials on any machine, and a search that was stopped continues as if it had not been.
 */
export class Search {
  readonly #plan: SearchPlan;
  readonly #space: SearchSpace;
  readonly #strategy: SearchStrategy;
  readonly #random: () => number;
  /** Score of every trial by its parameters; undefined while it runs. */
  readonly #scores = new Map<string, number | null | undefined>();
  #waiting: { readonly keys: readonly string[]; readonly own: readonly string[] } | undefined;

  constructor(plan: SearchPlan) {
    this.#plan = plan;
    this.#space = new SearchSpace(plan.axes, plan.where);
    const random = seededRandom(plan.seed);
    this.#random = random;
    this.#strategy =
      plan.method === 'tpe'
        ? new TpeStrategy(this.#space.dimensions, random)
        : new CmaEsStrategy(this.#space.dimensions, random);
  }

  /**
   * The next trials; none at the end, where there are as many as planned or no other combination is found. `scores` has the objective
   * of each trial that the last call returned; null where a trial failed or its objective means nothing.
   */
  next(scores: readonly (number | null)[] = []): readonly TrialParams[] {
    this.#learn(scores);
    const left = this.#plan.trials - this.#scores.size;
    if (left <= 0) return [];
    for (let idle = 0; idle < IDLE_GENERATIONS; idle += 1) {
      const points = this.#strategy.generation((point) => this.#space.allows(this.#space.paramsAt(point)));
      const fresh = new Map<string, TrialParams>();
      const keys = points.map((point) => {
        const params = this.#space.paramsAt(point);
        const key = keyOf(params);
        if (!this.#scores.has(key) && fresh.size < left && this.#space.allows(params)) fresh.set(key, params);
        return key;
      });
      this.#waiting = { keys, own: [...fresh.keys()] };
      for (const key of fresh.keys()) this.#scores.set(key, undefined);
      if (fresh.size > 0) return [...fresh.values()];
      this.#learn([]);
    }
    return this.#drawn();
  }

  #learn(scores: readonly (number | null)[]): void {
    const { keys, own } = this.#waiting ?? { keys: [], own: [] };
    for (const [at, key] of own.entries()) this.#scores.set(key, scores[at] ?? null);
    if (keys.length > 0) this.#strategy.learn(keys.map((key) => this.#scores.get(key) ?? null));
    this.#waiting = undefined;
  }

  /** A trial that is new, wherever it is: the method has settled on points that are known. */
  #drawn(): readonly TrialParams[] {
    for (let draw = 0; draw < DRAWS_MAX; draw += 1) {
      const params = this.#space.paramsAt(this.#space.draw(this.#random));
      const key = keyOf(params);
      if (this.#scores.has(key) || !this.#space.allows(params)) continue;
      this.#scores.set(key, undefined);
      this.#waiting = { keys: [], own: [key] };
      return [params];
    }
    if (this.#scores.size > 0) return [];
    throw new ResearchError(
      `Cannot sweep: "${this.#plan.where?.text ?? ''}" holds for no combination of the axes`,
    );
  }
}
