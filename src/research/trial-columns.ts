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

/** Trials that come one after the other, made when they are read. */
export class TrialList<T> implements Iterable<T> {
  readonly #trials: Uint32Array;
  readonly #read: (trial: number) => T;

  /** `trials` are the numbers of the trials, `read` makes what the list holds of one. */
  constructor(trials: Uint32Array, read: (trial: number) => T) {
    this.#trials = trials;
    this.#read = read;
  }

  get length(): number {
    return this.#trials.length;
  }

  /** The entry at an index, from the end where it is below 0; undefined where there is none. */
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

/** The daily returns of a trial as statistics of Sharpe ratios use them. */
export type KeptMoments = Pick<ReturnMoments, 'count' | 'mean' | 'deviation' | 'skewness' | 'kurtosis'>;

const [DONE, FAILED] = [1, 2];
const MOMENTS = 4;

/**
 * What a sweep keeps of its trials: numbers in columns, some 300 bytes per trial outside of the JavaScript heap. An outcome may be set
 * before its trial has parameters: a search that is resumed gets there later.
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

  /** `capacity` is the most trials that there may be; the objective scores them. */
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

  /** Trials that have parameters. */
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

  /** The objective of a trial; null where it failed, or where a figure in it means nothing. */
  scoreOf(trial: number): number | null {
    return known(this.#scores[trial]);
  }

  /** Figures of a trial that is done. */
  figuresOf(trial: number): TrialFigures {
    const start = trial * FIGURES.length;
    return Object.fromEntries(
      FIGURES.map((name, at) => [name, known(this.#figures[start + at])]),
    ) as unknown as TrialFigures;
  }

  /** Moments of the daily returns of a trial; null where it failed, or has no Sharpe ratio. */
  momentsOf(trial: number): KeptMoments | null {
    const count = this.#counts[trial] ?? 0;
    if (count === 0) return null;
    const [mean, deviation, skewness, kurtosis] = this.#moments.subarray(
      trial * MOMENTS,
      (trial + 1) * MOMENTS,
    );
    return { count, mean, deviation, skewness, kurtosis } as KeptMoments;
  }

  /** Daily returns of a trial, where its outcome holds them. */
  returnsOf(trial: number): Float64Array | undefined {
    return this.#days.get(trial);
  }

  /** Why a trial failed; undefined where it did not. */
  messageOf(trial: number): string | undefined {
    return this.#messages.get(trial);
  }

  /** Numbers of the trials that are done, or that failed, in order. */
  numbersOf(kind: 'done' | 'failed'): Uint32Array {
    const wanted = kind === 'done' ? DONE : FAILED;
    const numbers = new Uint32Array(this.length);
    let count = 0;
    for (let trial = 0; trial < numbers.length; trial += 1)
      if (this.#kinds[trial] === wanted) numbers[count++] = trial;
    return numbers.subarray(0, count);
  }

  /** Daily returns of all trials that have a Sharpe ratio, in pieces. */
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

/** Value of the objective for a trial: what a plugin answered, or the expression over its figures; null where one that it needs means nothing. */
export function scoreOf(
  { figures, objective: answered }: Pick<Extract<TrialOutcome, { kind: 'done' }>, 'figures' | 'objective'>,
  objective: Expression,
): number | null {
  if (answered !== undefined) return answered;
  const value = objective.valueOf((name) => figures[name as keyof TrialFigures] ?? null);
  return value === null ? null : Number(value);
}
