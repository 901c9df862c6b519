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
  let peak = { at: from as number, value: initial };
  let deepest = { share: 0, peakAt: peak.at, troughAt: peak.at, level: initial };
  for (let i = 0; i < time.length; i++) {
    const [at, now] = [time[i] as number, value[i] as number];
    if (now >= peak.value) peak = { at, value: now };
    const share = peak.value > 0 ? 1 - now / peak.value : 0;
    if (share > deepest.share) deepest = { share, peakAt: peak.at, troughAt: at, level: peak.value };
  }
  const { share, peakAt, troughAt, level } = deepest;
  const back =
    share === 0 ? -1 : time.findIndex((at, index) => at > troughAt && (value[index] as number) >= level);
  const recoveredAt = back === -1 ? undefined : millis(time[back] as number);
  const end = recoveredAt ?? time[time.length - 1] ?? from;
  return {
    share,
    peakAt: millis(peakAt),
    troughAt: millis(troughAt),
    recoveredAt,
    durationMs: share === 0 ? 0 : end - peakAt,
  };
}
