import { RunningMean } from '../events/curve/running-mean.ts';
import { type Estimate, estimate, noEstimate } from './estimate.ts';

/** The mean of some figures, the same to the last bit wherever they come from; no estimate, for the reason given, of none. */
export function meanOf(values: ArrayLike<number>, reason: string): Estimate {
  if (values.length === 0) return noEstimate(reason);
  const mean = new RunningMean();
  mean.add(values, values.length);
  return estimate(mean.mean());
}
