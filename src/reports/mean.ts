import { type Estimate, estimate, noEstimate } from './estimate.ts';

/** The mean of some figures, the same to the last bit wherever they come from; no estimate, for the reason given, of none. */
export function meanOf(values: ArrayLike<number>, reason: string): Estimate {
  const count = values.length;
  if (count === 0) return noEstimate(reason);
  // Four sums, as each addition waits for the one before it in its own.
  let [one, two, three, four] = [0, 0, 0, 0];
  const whole = count - (count % 4);
  for (let i = 0; i < whole; i += 4) {
    one += values[i] as number;
    two += values[i + 1] as number;
    three += values[i + 2] as number;
    four += values[i + 3] as number;
  }
  for (let i = whole; i < count; i += 1) one += values[i] as number;
  return estimate((one + two + (three + four)) / count);
}
