import type { Axis, AxisValue } from './axes.ts';

/** Parameters of one trial, in the order of the axes. */
export type TrialParams = Readonly<Record<string, AxisValue>>;

const FIRST_ROWS = 64;

/**
 * The parameters of many trials, 8 bytes per trial and axis: the index of a listed value, or the number itself. Keeps
 * all of a sweep of a million trials.
 */
export class ParamTable implements Iterable<TrialParams> {
  readonly #axes: readonly Axis[];
  /** Index of each value of a listed axis. */
  readonly #places: readonly (ReadonlyMap<AxisValue, number> | undefined)[];
  #rows = new Float64Array(0);
  #length = 0;

  constructor(axes: readonly Axis[]) {
    this.#axes = axes;
    this.#places = axes.map((axis) =>
      axis.kind === 'listed' ? new Map(axis.values.map((value, at) => [value, at])) : undefined,
    );
  }

  get length(): number {
    return this.#length;
  }

  /** Adds a trial. Throws RangeError for a value that is not on its axis. */
  add(params: TrialParams): void {
    const width = this.#axes.length;
    const start = this.#length * width;
    if (start + width > this.#rows.length) {
      const larger = new Float64Array(Math.max(FIRST_ROWS * width, this.#rows.length * 2));
      larger.set(this.#rows);
      this.#rows = larger;
    }
    for (const [at, { name }] of this.#axes.entries()) {
      const value = params[name] as AxisValue;
      const places = this.#places[at];
      const place = places === undefined ? value : places.get(value);
      if (typeof place !== 'number') throw new RangeError(`"${String(value)}" is no value of axis "${name}"`);
      this.#rows[start + at] = place;
    }
    this.#length += 1;
  }

  /** Returns the parameters of an added trial, by its number from 0. */
  paramsOf(trial: number): TrialParams {
    if (!(trial >= 0 && trial < this.#length)) throw new RangeError(`There is no trial ${trial}`);
    const start = trial * this.#axes.length;
    return Object.fromEntries(
      this.#axes.map((axis, at) => {
        const place = this.#rows[start + at] as number;
        return [axis.name, axis.kind === 'listed' ? (axis.values[place] as AxisValue) : place];
      }),
    );
  }

  *[Symbol.iterator](): Generator<TrialParams> {
    for (let trial = 0; trial < this.#length; trial += 1) yield this.paramsOf(trial);
  }
}
