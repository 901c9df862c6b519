import { checkWindow, named, outputs, series } from '../node.ts';
import type { Bind, Series } from '../series.ts';
import { mapped } from './mapped.ts';

/** State of a sliding sum: the sum, its rounding error, and the number of values so far (up to its window). */
interface SumState {
  high: number;
  low: number;
  seen: number;
}

/**
 * Keeps the sum of the last `n` values with the rounding error of every addition (as `ExactSum`, inlined because it
 * is the most used loop), and divides it by `divisor`. O(1) a bar, no drift.
 */
export function slidingSum(n: number, divisor: number): Bind {
  return (x: Float64Array, out: Float64Array) => {
    const state: SumState = { high: 0, low: 0, seen: 0 };
    return (from, to) =>
      slide(x, out, n, divisor, state, fillWindow(x, out, n, divisor, state, from, to), to);
  };
}

/** Adds values until the window is full and returns the position after them. */
function fillWindow(
  x: Float64Array,
  out: Float64Array,
  n: number,
  divisor: number,
  state: SumState,
  from: number,
  to: number,
): number {
  let i = from;
  for (; i < to && state.seen < n; i++) {
    const value = x[i] as number;
    const next = state.high + value;
    const part = next - state.high;
    state.low += state.high - (next - part) + (value - part);
    state.high = next;
    state.seen++;
    out[i] = state.seen < n ? Number.NaN : (state.high + state.low) / divisor;
  }
  return i;
}

function slide(
  x: Float64Array,
  out: Float64Array,
  n: number,
  divisor: number,
  state: SumState,
  from: number,
  to: number,
): void {
  let high = state.high;
  let low = state.low;
  for (let i = from; i < to; i++) {
    const entering = x[i] as number;
    const leaving = x[i - n] as number;
    const step = entering - leaving;
    const stepPart = step - entering;
    const next = high + step;
    const part = next - high;
    low += entering - (step - stepPart) - (leaving + stepPart) + (high - (next - part) + (step - part));
    high = next;
    out[i] = (high + low) / divisor;
  }
  state.high = high;
  state.low = low;
}

/** The sum of the last `n` values. */
export function sum(x: Series, n: number): Series {
  checkWindow('sum', n);
  const bind = slidingSum(n, 1);
  return series({ name: 'sum', inputs: [x], params: [n], lookback: n, defined: n - 1, bind });
}

/**
 * Keeps the candidates for the extreme of the last `n` values in a ring, best first; each value enters and leaves
 * once, so O(1) a bar on average. Of equal extremes the newest counts. `sign` 1 finds the highest, -1 the lowest.
 */
function extreme(n: number, sign: 1 | -1): Bind {
  return (x: Float64Array, value: Float64Array, age: Float64Array) => {
    const candidates = new Float64Array(n + 1);
    const bornAt = new Float64Array(n + 1);
    let head = 0;
    let tail = 0;
    let now = 0;
    const room = n + 1;
    return (from, to) => {
      for (let i = from; i < to; i++) {
        const entering = sign * (x[i] as number);
        if (head !== tail && (bornAt[head] as number) <= now - n) head = head + 1 === room ? 0 : head + 1;
        while (head !== tail) {
          const last = tail === 0 ? n : tail - 1;
          if ((candidates[last] as number) > entering) break;
          tail = last;
        }
        candidates[tail] = entering;
        bornAt[tail] = now;
        tail = tail + 1 === room ? 0 : tail + 1;
        const known = now >= n - 1;
        value[i] = known ? sign * (candidates[head] as number) : Number.NaN;
        age[i] = known ? now - (bornAt[head] as number) : Number.NaN;
        now++;
      }
    };
  };
}

const PARTS = ['value', 'age'] as const;

/** The highest of the last `n` values and how many bars ago it was. */
export function highestWithAge(x: Series, n: number): Readonly<Record<'value' | 'age', Series>> {
  checkWindow('highest', n);
  return outputs({ name: 'highest', inputs: [x], params: [n], defined: n - 1, bind: extreme(n, 1) }, PARTS);
}

/** The lowest of the last `n` values and how many bars ago it was. */
export function lowestWithAge(x: Series, n: number): Readonly<Record<'value' | 'age', Series>> {
  checkWindow('lowest', n);
  return outputs({ name: 'lowest', inputs: [x], params: [n], defined: n - 1, bind: extreme(n, -1) }, PARTS);
}

/** The highest of the last `n` values. */
export function highest(x: Series, n: number): Series {
  return named('highest', [x, n], highestWithAge(x, n).value);
}

/** The lowest of the last `n` values. */
export function lowest(x: Series, n: number): Series {
  return named('lowest', [x, n], lowestWithAge(x, n).value);
}

/** The middle between the highest and the lowest of the last `n` values. */
export function midpoint(x: Series, n: number): Series {
  const middle = mapped('middle', [highest(x, n), lowest(x, n)], (high, low) => (high + low) / 2);
  return named('midpoint', [x, n], middle);
}

/** Share of the `n` values before this one that are below it, 0 to 100. O(n) a bar: ranks need the whole window. */
export function percentRank(x: Series, n: number): Series {
  checkWindow('percentRank', n);
  const bind: Bind = (input: Float64Array, out: Float64Array) => {
    let seen = 0;
    return (from, to) => {
      for (let i = from; i < to; i++) {
        const now = input[i] as number;
        let below = 0;
        if (seen >= n) for (let j = i - n; j < i; j++) if ((input[j] as number) < now) below++;
        out[i] = seen < n ? Number.NaN : (100 * below) / n;
        if (seen < n) seen++;
      }
    };
  };
  return series({ name: 'percentRank', inputs: [x], params: [n], lookback: n, defined: n, bind });
}
