import { DAY_MS } from '../../model/time.ts';

/** The last equity of each UTC day that has a close, with its time; ascending. */
export interface DailyEquity {
  readonly time: readonly number[];
  readonly value: readonly number[];
}

/** Thins closes to one a UTC day, the last. */
export class Days {
  readonly #time: number[] = [];
  readonly #value: number[] = [];
  /** End of the latest day. */
  #tomorrow = Number.NEGATIVE_INFINITY;
  /** The newest close, and equity at it; NaN before the first. */
  last = Number.NaN;
  lastValue = Number.NaN;

  /** Takes rows that end before `end` if all are in the latest day: `value` is that of the last row. Otherwise returns false. */
  stays(time: Float64Array, end: number, value: number): boolean {
    const at = time[end - 1] as number;
    if (at >= this.#tomorrow) return false;
    this.last = at;
    this.lastValue = value;
    return true;
  }

  /** Takes rows `from` up to but not including `end`. */
  follow(time: Float64Array, from: number, end: number, valueAt: (row: number) => number): void {
    for (let row = from; row < end; ) {
      const at = time[row] as number;
      if (at >= this.#tomorrow) {
        this.#keep();
        this.#tomorrow = (Math.floor(at / DAY_MS) + 1) * DAY_MS;
      }
      row = firstFrom(time, row + 1, end, this.#tomorrow);
      this.last = time[row - 1] as number;
      this.lastValue = valueAt(row - 1);
    }
  }

  finish(): DailyEquity {
    const [time, value] = [[...this.#time], [...this.#value]];
    if (Number.isNaN(this.last)) return { time, value };
    return { time: [...time, this.last], value: [...value, this.lastValue] };
  }

  #keep(): void {
    if (Number.isNaN(this.last)) return;
    this.#time.push(this.last);
    this.#value.push(this.lastValue);
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
