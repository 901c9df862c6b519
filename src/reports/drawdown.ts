import { type Millis, millis } from '../model/time.ts';

/** The deepest fall from a running peak of equity. */
export interface Drawdown {
  /** Positive share of the peak, 0 when equity never fell. */
  readonly share: number;
  readonly peakAt: Millis;
  readonly troughAt: Millis;
  /** When equity was back at the peak; undefined when it never was. */
  readonly recoveredAt: Millis | undefined;
  /** From the peak to the recovery, or to the last close, in milliseconds. */
  readonly durationMs: number;
}

/** Finds the deepest drawdown of an equity line that begins with `initial` at `from`. */
export function deepestDrawdown(
  from: Millis,
  initial: number,
  time: Float64Array,
  value: Float64Array,
): Drawdown {
  // Places in the line; -1 is its beginning.
  let [peak, top] = [-1, initial];
  let [deepestPeak, trough, level, share] = [-1, -1, initial, 0];
  // Lowest since the peak: what is not below it falls no deeper, and needs no division.
  let low = initial;
  for (let place = 0; place < value.length; place += 1) {
    const now = value[place] as number;
    if (now >= top) {
      peak = place;
      top = now;
      low = now;
    } else if (now < low) {
      low = now;
      if (top > 0 && 1 - now / top > share) {
        share = 1 - now / top;
        deepestPeak = peak;
        trough = place;
        level = top;
      }
    }
  }
  const at = (place: number): number => (place < 0 ? from : (time[place] as number));
  let back = trough + 1;
  while (back < value.length && !((value[back] as number) >= level)) back += 1;
  const recoveredAt = share === 0 || back === value.length ? undefined : millis(at(back));
  const end = recoveredAt ?? time[time.length - 1] ?? from;
  return {
    share,
    peakAt: millis(at(deepestPeak)),
    troughAt: millis(at(trough)),
    recoveredAt,
    durationMs: share === 0 ? 0 : end - at(deepestPeak),
  };
}
