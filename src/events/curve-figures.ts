import { DAY_MS, type Millis, millis } from '../model/time.ts';
import type { EquityCurve, RunRecord } from './run-record.ts';
import { RunningMean } from './running-mean.ts';

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

/** The last equity of each UTC day that has a close, with its time; ascending. */
export interface DailyEquity {
  readonly time: readonly number[];
  readonly value: readonly number[];
}

/** What figures of a run need of its equity curve. */
export interface CurveFigures {
  /** How many closes there were. */
  readonly closes: number;
  /** Instants of the first and the last, the begin of the run when there was none. */
  readonly first: Millis;
  readonly last: Millis;
  /** Equity at the last close; what it began with when there was none. */
  readonly final: number;
  readonly drawdown: Drawdown;
  readonly daily: DailyEquity;
  /** Mean share of equity in the market over all closes; NaN when there was none. */
  readonly exposure: number;
}

/** The figures of a run's curve: as the run gathered them, else out of the curve. */
export function curveOf(
  record: Pick<RunRecord, 'from' | 'initialEquity' | 'equity' | 'curve'>,
): CurveFigures {
  return record.curve ?? curveFigures(record.from, record.initialEquity, record.equity);
}

/** The figures of a curve that begins with `initial` at `from`. */
export function curveFigures(from: Millis, initial: number, curve: EquityCurve): CurveFigures {
  const fold = new CurveFold(from, initial);
  const { length } = curve.time;
  for (let row = 0; row < length; row += PIECE) {
    const end = Math.min(row + PIECE, length);
    const piece = (column: Float64Array): Float64Array => column.subarray(row, end);
    fold.add(piece(curve.time), piece(curve.value), piece(curve.exposure), end - row);
  }
  return fold.figures();
}

/** Closes that are folded in one call: what is called often is compiled once, not anew in the midst of a curve. */
const PIECE = 4_096;

/** Gathers those figures from closes that come piece by piece; the same to the last bit however they are cut. */
export class CurveFold {
  readonly #from: Millis;
  readonly #falls: Falls;
  readonly #days = new Days();
  readonly #exposure = new RunningMean();
  #closes = 0;
  #first: number;
  #last: number;
  #final: number;

  constructor(from: Millis, initial: number) {
    this.#from = from;
    this.#first = from;
    this.#last = from;
    this.#final = initial;
    this.#falls = new Falls(from, initial);
  }

  /** Takes the next `count` closes, which the columns begin with. */
  add(time: Float64Array, value: Float64Array, exposure: Float64Array, count: number): void {
    if (count === 0) return;
    if (this.#closes === 0) this.#first = time[0] as number;
    this.#closes += count;
    this.#last = time[count - 1] as number;
    this.#final = value[count - 1] as number;
    this.#falls.follow(time, value, count);
    this.#days.follow(time, value, count);
    this.#exposure.add(exposure, count);
  }

  figures(): CurveFigures {
    const last = millis(this.#last);
    return {
      closes: this.#closes,
      first: millis(this.#first),
      last,
      final: this.#final,
      drawdown: this.#falls.deepest(this.#closes === 0 ? this.#from : last),
      daily: this.#days.finish(),
      exposure: this.#exposure.mean(),
    };
  }
}

/** The deepest fall so far. */
class Falls {
  #share = 0;
  #peakAt: number;
  #troughAt: number;
  #recoveredAt: number | undefined;
  /** Whether equity has not been back since the deepest fall. */
  #isDown = false;
  #top: number;
  #topAt: number;
  /** Lowest since the peak: what is not below it falls no deeper, and needs no division. */
  #low: number;

  constructor(from: number, initial: number) {
    this.#peakAt = from;
    this.#troughAt = from;
    this.#top = initial;
    this.#topAt = from;
    this.#low = initial;
  }

  follow(time: Float64Array, value: Float64Array, count: number): void {
    let [top, low, share] = [this.#top, this.#low, this.#share];
    let isDown = this.#isDown;
    // Rows of what these closes change, -1 while it is as it was before them.
    let [topRow, fallRow, fallTopRow, backRow] = [-1, -1, -1, -1];
    for (let row = 0; row < count; row += 1) {
      const now = value[row] as number;
      if (now >= top) {
        if (isDown) backRow = row;
        isDown = false;
        topRow = row;
        top = now;
        low = now;
      } else if (now < low) {
        low = now;
        const fallen = 1 - now / top;
        if (top > 0 && fallen > share) {
          share = fallen;
          fallRow = row;
          fallTopRow = topRow;
          isDown = true;
        }
      }
    }
    if (fallRow >= 0) {
      this.#share = share;
      this.#peakAt = fallTopRow < 0 ? this.#topAt : (time[fallTopRow] as number);
      this.#troughAt = time[fallRow] as number;
    }
    if (isDown) this.#recoveredAt = undefined;
    else if (backRow >= 0) this.#recoveredAt = time[backRow] as number;
    this.#isDown = isDown;
    if (topRow >= 0) this.#topAt = time[topRow] as number;
    this.#top = top;
    this.#low = low;
  }

  deepest(last: Millis): Drawdown {
    const recoveredAt = this.#recoveredAt === undefined ? undefined : millis(this.#recoveredAt);
    return {
      share: this.#share,
      peakAt: millis(this.#peakAt),
      troughAt: millis(this.#troughAt),
      recoveredAt,
      durationMs: this.#share === 0 ? 0 : (recoveredAt ?? last) - this.#peakAt,
    };
  }
}

/** Thins closes to one a UTC day, the last. */
class Days {
  readonly #time: number[] = [];
  readonly #value: number[] = [];
  /** Where the day ends that was heard of last. */
  #tomorrow = Number.NEGATIVE_INFINITY;
  #last = Number.NaN;
  #lastValue = Number.NaN;

  follow(time: Float64Array, value: Float64Array, count: number): void {
    for (let row = 0; row < count; ) {
      const at = time[row] as number;
      if (at >= this.#tomorrow) {
        this.#keep();
        this.#tomorrow = (Math.floor(at / DAY_MS) + 1) * DAY_MS;
      }
      row = firstFrom(time, row + 1, count, this.#tomorrow);
      this.#last = time[row - 1] as number;
      this.#lastValue = value[row - 1] as number;
    }
  }

  finish(): DailyEquity {
    const [time, value] = [[...this.#time], [...this.#value]];
    if (Number.isNaN(this.#last)) return { time, value };
    return { time: [...time, this.#last], value: [...value, this.#lastValue] };
  }

  #keep(): void {
    if (Number.isNaN(this.#last)) return;
    this.#time.push(this.#last);
    this.#value.push(this.#lastValue);
  }
}

/** The first row from `begin` on, below `end`, whose time is not before `at`: in strides that double, then by halves. */
function firstFrom(time: Float64Array, begin: number, end: number, at: number): number {
  let [low, stride] = [begin, 1];
  while (low + stride < end && (time[low + stride] as number) < at) {
    low += stride;
    stride *= 2;
  }
  let high = Math.min(low + stride, end);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((time[middle] as number) < at) low = middle + 1;
    else high = middle;
  }
  return low;
}
