import type { Axis, AxisValue } from '../axes.ts';
import type { Expression } from '../expression.ts';
import { valueAt } from '../sampling.ts';

/** Parameters of one trial, in the order of the axes. */
type Params = Readonly<Record<string, AxisValue>>;

/** One axis in a search: a range of numbers, ordered values by their index, or choices without an order. */
export type Dimension =
  | { readonly kind: 'range' }
  | { readonly kind: 'ordered'; readonly count: number }
  | { readonly kind: 'choices'; readonly count: number };

/**
 * The axes of a search as coordinates: a share from 0 to 1 for a range, the index of a value for a listed axis.
 * Booleans and texts have no order, so a search never treats one of them as between two others.
 */
export class SearchSpace {
  readonly axes: readonly Axis[];
  readonly dimensions: readonly Dimension[];
  readonly #where: Expression | undefined;

  constructor(axes: readonly Axis[], where: Expression | undefined) {
    this.axes = axes;
    this.#where = where;
    this.dimensions = axes.map((axis) => {
      if (axis.kind === 'continuous') return { kind: 'range' };
      const isOrdered = axis.values.every((value) => typeof value === 'number');
      return { kind: isOrdered ? 'ordered' : 'choices', count: axis.values.length };
    });
  }

  paramsAt(point: readonly number[]): Params {
    return Object.fromEntries(
      this.axes.map((axis, at) => {
        const place = point[at] as number;
        return [axis.name, axis.kind === 'listed' ? (axis.values[place] as AxisValue) : valueAt(axis, place)];
      }),
    );
  }

  allows(params: Params): boolean {
    return this.#where === undefined || this.#where.valueOf((name) => params[name] ?? null) === true;
  }

  /** A uniformly drawn point; it may violate the condition. */
  draw(random: () => number): readonly number[] {
    return this.dimensions.map((dimension) => {
      const share = random();
      return dimension.kind === 'range' ? share : Math.floor(share * dimension.count);
    });
  }
}

/** Returns the same text for the same parameters. */
export function keyOf(params: Params): string {
  return JSON.stringify(Object.values(params));
}
