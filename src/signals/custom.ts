import { type Step, stepped } from './indicators/mapped.ts';
import type { Series } from './series.ts';

/** An indicator of the strategy author's own. */
export interface OwnIndicator {
  /** Name in labels; indicators of one name in one strategy must be the same definition. */
  readonly name: string;
  /** Bars to wait for the first value, given the parameters; 0 when the first bar has one. */
  readonly defined?: (params: readonly number[]) => number;
  /** Bars to wait until the beginning is forgotten; equal to `defined` by default. */
  readonly settled?: (params: readonly number[]) => number;
  /**
   * Begins a run and returns the step: it gets up to four inputs at the next bar and returns the value there, NaN only
   * before `defined` bars. It keeps what it needs in its own variables and reads no clock and no chance.
   */
  readonly start: (params: readonly number[]) => Step;
}

/**
 * Makes an author's indicator usable like the built-in ones, live and in backtests alike.
 * Throws RangeError when it is given no input or more than four.
 */
export function defineIndicator(
  definition: OwnIndicator,
): (inputs: readonly Series[], ...params: number[]) => Series {
  return (inputs, ...params) => {
    if (inputs.length < 1 || inputs.length > 4) {
      throw new RangeError(
        `Cannot build ${definition.name}: it got ${inputs.length} inputs, want one to four series`,
      );
    }
    const defined = definition.defined?.(params) ?? 0;
    return stepped({
      name: definition.name,
      inputs,
      params,
      defined,
      settled: definition.settled?.(params) ?? defined,
      start: () => definition.start(params),
      maker: definition,
      own: true,
    });
  };
}
