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

/** How a method chooses points. It sees only points and scores; the search decides what may be tried. */
export interface SearchStrategy {
  /**
   * Returns the points of the next generation. A known or forbidden point is not tried; the method learns the known
   * score.
   */
  generation(allows: (point: Point) => boolean): readonly Point[];
  /**
   * Receives the scores of the last generation's points, in its order; the highest is best and `null` is worse than
   * any.
   */
  learn(scores: readonly (number | null)[]): void;
}

/** Parameters of a search. */
export interface SearchPlan {
  readonly axes: readonly Axis[];
  readonly method: SearchMethod;
  /** Maximum number of trials. */
  readonly trials: number;
  readonly seed: number;
  readonly where?: Expression | undefined;
}

/** Consecutive generations without a new trial after which untried values are drawn uniformly. */
const IDLE_GENERATIONS_MAX = 20;
/** Points that are drawn for a new trial before the search ends. */
const DRAWS_MAX = 10_000;

/**
 * Chooses the trials of a sweep one generation at a time. The size of a generation depends on the plan, never on the
 * number of processes, so the same scores give the same trials on any machine, and a resumed search continues
 * unchanged.
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
   * Returns the next trials; none at the end, when the planned number is reached or no other combination is found.
   * `scores` has the objective of each trial of the last call; null for a failed trial or an undefined objective.
   */
  next(scores: readonly (number | null)[] = []): readonly TrialParams[] {
    this.#learn(scores);
    const left = this.#plan.trials - this.#scores.size;
    if (left <= 0) return [];
    for (let idle = 0; idle < IDLE_GENERATIONS_MAX; idle += 1) {
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

  /** A new trial anywhere: the method has converged on known points. */
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
