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

/** Places that are gone through in one call: a function that is called often is compiled once, not anew in the midst of a line. */
const STRETCH = 4_096;

/** The deepest fall so far; places are those of the line, -1 its beginning. */
class Falls {
  deepestPeak = -1;
  trough = -1;
  /** Equity at that peak. */
  level: number;
  share = 0;
  #peak = -1;
  #top: number;
  /** Lowest since the peak: what is not below it falls no deeper, and needs no division. */
  #low: number;

  constructor(initial: number) {
    this.level = initial;
    this.#top = initial;
    this.#low = initial;
  }

  follow(value: Float64Array, from: number, to: number): void {
    const end = Math.min(to, value.length);
    let top = this.#top;
    let low = this.#low;
    for (let place = from; place < end; place += 1) {
      const now = value[place] as number;
      if (now >= top) {
        this.#peak = place;
        top = now;
        low = now;
      } else if (now < low) {
        low = now;
        if (top > 0) this.#fall(place, now, top);
      }
    }
    this.#top = top;
    this.#low = low;
  }

  #fall(place: number, now: number, top: number): void {
    const share = 1 - now / top;
    if (!(share > this.share)) return;
    this.share = share;
    this.deepestPeak = this.#peak;
    this.trough = place;
    this.level = top;
  }
}

/** Finds the deepest drawdown of an equity line that begins with `initial` at `from`. */
export function deepestDrawdown(
  from: Millis,
  initial: number,
  time: Float64Array,
  value: Float64Array,
): Drawdown {
  const falls = new Falls(initial);
  for (let place = 0; place < value.length; place += STRETCH) falls.follow(value, place, place + STRETCH);
  const { deepestPeak, trough, level, share } = falls;
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
