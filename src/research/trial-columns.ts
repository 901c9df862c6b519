import type { Axis } from './axes.ts';
import type { Expression } from './expression.ts';
import { mergedBlocks, type ReturnPieces, TRIALS_FOR_ALL_BLOCKS } from './overfitting.ts';
import { ParamTable } from './param-table.ts';
import {
  FIGURES,
  RETURN_BLOCKS,
  type ReturnMoments,
  returnsIn,
  type TrialFigures,
  type TrialOutcome,
} from './trial.ts';

/** A list of trials, created when they are read. */
export class TrialList<T> implements Iterable<T> {
  readonly #trials: Uint32Array;
  readonly #read: (trial: number) => T;

  /** `trials` are the numbers of the trials; `read` creates an entry. */
  constructor(trials: Uint32Array, read: (trial: number) => T) {
    this.#trials = trials;
    this.#read = read;
  }

  get length(): number {
    return this.#trials.length;
  }

  /** The entry at an index, from the end if it is below 0; undefined if there is none. */
  at(index: number): T | undefined {
    const trial = this.#trials.at(index);
    return trial === undefined ? undefined : this.#read(trial);
  }

  /** The first entries. */
  first(count: number): readonly T[] {
    return Array.from(this.#trials.subarray(0, count), this.#read);
  }

  /** The whole list for JSON. */
  toJSON(): readonly T[] {
    return [...this];
  }

  *[Symbol.iterator](): Generator<T> {
    for (const trial of this.#trials) yield this.#read(trial);
  }
}

/** Moments of a trial's daily returns for statistics of Sharpe ratios. */
export type StoredMoments = Pick<ReturnMoments, 'count' | 'mean' | 'deviation' | 'skewness' | 'kurtosis'>;

const [DONE, FAILED] = [1, 2];
const MOMENTS = 4;

/**
 * Results of a sweep's trials: numbers in columns, some 300 bytes per trial outside the JavaScript heap. An outcome
 * may be set before its trial has parameters, because a resumed search reaches it later.
 */
export class TrialColumns {
  readonly params: ParamTable;
  readonly #objective: Expression;
  readonly #kinds: Uint8Array;
  readonly #figures: Float64Array;
  readonly #scores: Float64Array;
  readonly #counts: Uint32Array;
  readonly #moments: Float64Array;
  /** Sum and sum of squares of each piece of the daily returns. */
  readonly #blocks: Float64Array;
  readonly #blockWidth: number;
  /** Why trials failed, each text once. */
  readonly #messages = new Map<number, string>();
  readonly #texts = new Map<string, string>();
  readonly #days = new Map<number, Float64Array>();

  /** `capacity` is the maximum number of trials; the objective scores them. */
  constructor(axes: readonly Axis[], objective: Expression, capacity: number) {
    this.params = new ParamTable(axes);
    this.#objective = objective;
    this.#kinds = new Uint8Array(capacity);
    this.#figures = new Float64Array(capacity * FIGURES.length);
    this.#scores = new Float64Array(capacity);
    this.#counts = new Uint32Array(capacity);
    this.#moments = new Float64Array(capacity * MOMENTS);
    this.#blockWidth = 2 * (capacity > TRIALS_FOR_ALL_BLOCKS ? RETURN_BLOCKS / 2 : RETURN_BLOCKS);
    this.#blocks = new Float64Array(capacity * this.#blockWidth);
  }

  /** Number of trials with parameters. */
  get length(): number {
    return this.params.length;
  }

  /** Whether a trial has its outcome. */
  has(trial: number): boolean {
    return this.#kinds[trial] !== 0;
  }

  /** Keeps the outcome of a trial. */
  set(trial: number, outcome: TrialOutcome): void {
    if (outcome.kind === 'failed') {
      this.#kinds[trial] = FAILED;
      this.#scores[trial] = Number.NaN;
      const text = this.#texts.get(outcome.message) ?? outcome.message;
      this.#texts.set(text, text);
      this.#messages.set(trial, text);
      return;
    }
    const { figures, returns, days } = outcome;
    this.#kinds[trial] = DONE;
    for (const [at, name] of FIGURES.entries())
      this.#figures[trial * FIGURES.length + at] = figures[name] ?? Number.NaN;
    this.#scores[trial] = scoreOf(outcome, this.#objective) ?? Number.NaN;
    if (returns !== null) {
      this.#counts[trial] = returns.count;
      const { mean, deviation, skewness, kurtosis } = returns;
      this.#moments.set([mean, deviation, skewness, kurtosis], trial * MOMENTS);
      const by = returns.blocks.length / this.#blockWidth;
      this.#blocks.set(mergedBlocks(returns.blocks, by), trial * this.#blockWidth);
    }
    if (days !== undefined) this.#days.set(trial, returnsIn(days));
  }

  /** The objective of a trial; null if it failed, or if a figure in it cannot be computed. */
  scoreOf(trial: number): number | null {
    return known(this.#scores[trial]);
  }

  /** Figures of a completed trial. */
  figuresOf(trial: number): TrialFigures {
    const start = trial * FIGURES.length;
    return Object.fromEntries(
      FIGURES.map((name, at) => [name, known(this.#figures[start + at])]),
    ) as unknown as TrialFigures;
  }

  /** Moments of the daily returns of a trial; null if it failed or has no Sharpe ratio. */
  momentsOf(trial: number): StoredMoments | null {
    const count = this.#counts[trial] ?? 0;
    if (count === 0) return null;
    const [mean, deviation, skewness, kurtosis] = this.#moments.subarray(
      trial * MOMENTS,
      (trial + 1) * MOMENTS,
    );
    return { count, mean, deviation, skewness, kurtosis } as StoredMoments;
  }

  /** Daily returns of a trial, if its outcome has them. */
  returnsOf(trial: number): Float64Array | undefined {
    return this.#days.get(trial);
  }

  /** Why a trial failed; undefined if it did not. */
  messageOf(trial: number): string | undefined {
    return this.#messages.get(trial);
  }

  /** Numbers of the completed or failed trials, in order. */
  numbersOf(kind: 'done' | 'failed'): Uint32Array {
    const wanted = kind === 'done' ? DONE : FAILED;
    const numbers = new Uint32Array(this.length);
    let count = 0;
    for (let trial = 0; trial < numbers.length; trial += 1)
      if (this.#kinds[trial] === wanted) numbers[count++] = trial;
    return numbers.subarray(0, count);
  }

  /** Daily returns of all trials with a Sharpe ratio, in pieces. */
  get samples(): Iterable<ReturnPieces> {
    return { [Symbol.iterator]: () => this.#samples() };
  }

  *#samples(): Generator<ReturnPieces> {
    for (let trial = 0; trial < this.length; trial += 1) {
      const count = this.#counts[trial] as number;
      if (count === 0) continue;
      const start = trial * this.#blockWidth;
      yield { count, blocks: this.#blocks.subarray(start, start + this.#blockWidth) };
    }
  }
}

function known(value: number | undefined): number | null {
  return value === undefined || Number.isNaN(value) ? null : value;
}

/**
 * Value of the objective for a trial: the result of a plugin, or the expression over its figures; null if one of them
 * cannot be computed.
 */
export function scoreOf(
  { figures, objective: answered }: Pick<Extract<TrialOutcome, { kind: 'done' }>, 'figures' | 'objective'>,
  objective: Expression,
): number | null {
  if (answered !== undefined) return answered;
  const value = objective.valueOf((name) => figures[name as keyof TrialFigures] ?? null);
  return value === null ? null : Number(value);
}
