import { RunningMean } from '../events/curve/running-mean.ts';
import { type Estimate, estimate, noEstimate } from './estimate.ts';

/**
 * Returns the mean of some figures, identical to the last bit for every source; without figures no estimate, for the
 * given reason.
 */
export function meanOf(values: ArrayLike<number>, reason: string): Estimate {
  if (values.length === 0) return noEstimate(reason);
  const mean = new RunningMean();
  mean.add(values, values.length);
  return estimate(mean.mean());
}
