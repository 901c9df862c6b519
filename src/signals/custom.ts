import { type Step, stepped } from './indicators/mapped.ts';
import type { Series } from './series.ts';

/** A custom indicator. */
export interface OwnIndicator {
  /** Name in labels; in one strategy, indicators with the same name must be the same definition. */
  readonly name: string;
  /** Number of bars before the first value, given the parameters; 0 if the first bar has one. */
  readonly defined?: (params: readonly number[]) => number;
  /** Number of bars after which the start of the data no longer matters; equal to `defined` by default. */
  readonly settled?: (params: readonly number[]) => number;
  /**
   * Starts a run and returns the step function. It receives up to four inputs at the next bar and returns the value,
   * NaN only before `defined` bars. It keeps its state in its own variables and uses neither clock nor random
   * numbers.
   */
  readonly start: (params: readonly number[]) => Step;
}

/**
 * Makes a custom indicator usable like the built-in ones, live and in backtests. Throws RangeError for no input or
 * more than four.
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
