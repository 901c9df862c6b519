import { type Millis, millis } from '../../model/time.ts';

/** A decline from a running peak of equity, measured at all closes. */
export interface Drawdown {
  /** Decline as a positive share of the peak. */
  readonly share: number;
  readonly peakAt: Millis;
  readonly troughAt: Millis;
  /** When equity was back at the peak; undefined if it never was. */
  readonly recoveredAt: Millis | undefined;
  /** From the peak to the recovery, or to the last close, in milliseconds. */
  readonly durationMs: number;
}

/** A decline from a peak of equity to the lowest point after it. */
interface Decline {
  readonly share: number;
  readonly peakAt: number;
  readonly troughAt: number;
  readonly recoveredAt: number | undefined;
}

const DRAWDOWNS_MAX = 5;

/** Tracks the deepest declines; each is measured when it ends. */
export class DrawdownTracker {
  /** The current peak, and the lowest equity since. */
  #peak: number;
  #trough: number;
  #peakAt = Number.NaN;
  #troughAt = Number.NaN;
  /** The deepest first. */
  #deepest: Decline[] = [];

  constructor(from: number, initial: number) {
    this.#peak = initial;
    this.#trough = initial;
    this.#peakAt = from;
    this.#troughAt = from;
  }

  /** Takes the first `count` rows of the columns. */
  add(time: Float64Array, value: Float64Array, count: number): void {
    for (let row = 0; row < count; ) row = this.#trackDecline(time, value, row, count);
  }

  /**
   * Follows one drawdown and returns the row of its end. Without calls in the loop, V8 keeps its values in registers.
   */
  #trackDecline(time: Float64Array, value: Float64Array, from: number, end: number): number {
    let [top, low] = [this.#peak, this.#trough];
    let [topRow, lowRow] = [-1, -1];
    let row = from;
    for (; row < end; row += 1) {
      const now = value[row] as number;
      if (now >= top) {
        if (low < top) break;
        top = now;
        low = now;
        topRow = row;
      } else if (now < low) {
        low = now;
        lowRow = row;
      }
    }
    if (topRow >= 0) this.#peakAt = time[topRow] as number;
    if (lowRow > topRow) this.#troughAt = time[lowRow] as number;
    [this.#peak, this.#trough] = [top, low];
    if (row < end) {
      // Equity is at or above the peak again, so the decline has ended.
      this.#deepest = this.#withCurrent(time[row] as number);
      this.#trough = top;
    }
    return row;
  }

  /** Returns the deepest declines, the deepest first; at most five, none if equity never declined. */
  deepest(last: Millis): readonly Drawdown[] {
    return this.#withCurrent(undefined).map(({ share, peakAt, troughAt, recoveredAt }) => {
      const back = recoveredAt === undefined ? undefined : millis(recoveredAt);
      return {
        share,
        peakAt: millis(peakAt),
        troughAt: millis(troughAt),
        recoveredAt: back,
        durationMs: (back ?? last) - peakAt,
      };
    });
  }

  /** Returns the deepest declines so far, including the current one. Of equal ones the earlier counts as deeper. */
  #withCurrent(recoveredAt: number | undefined): Decline[] {
    const share = 1 - this.#trough / this.#peak;
    const last = this.#deepest.length < DRAWDOWNS_MAX ? undefined : this.#deepest.at(-1);
    if (!(this.#peak > 0 && share > (last?.share ?? 0))) return this.#deepest;
    const current = { share, peakAt: this.#peakAt, troughAt: this.#troughAt, recoveredAt };
    return [...this.#deepest, current].sort((one, other) => other.share - one.share).slice(0, DRAWDOWNS_MAX);
  }
}
