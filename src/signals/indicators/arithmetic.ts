import { checkWindow, series } from '../node.ts';
import type { Series } from '../series.ts';
import { mapped, stepped } from './mapped.ts';

/** A level that is the same on every bar. */
export function constant(level: number): Series {
  if (!Number.isFinite(level)) throw new RangeError(`Cannot use "${level}" as a level, want a finite number`);
  const bind =
    (out: Float64Array) =>
    (from: number, to: number): void => {
      out.fill(level, from, to);
    };
  return { ...series({ name: 'constant', inputs: [], params: [level], bind }), label: String(level) };
}

const asSeries = (value: Series | number): Series => (typeof value === 'number' ? constant(value) : value);

/** a + b. */
export function add(a: Series | number, b: Series | number): Series {
  return series({
    name: 'add',
    inputs: [asSeries(a), asSeries(b)],
    bind: (x: Float64Array, y: Float64Array, out: Float64Array) => (from, to) => {
      for (let i = from; i < to; i++) out[i] = (x[i] as number) + (y[i] as number);
    },
  });
}

/** a + factor x b, in one pass. */
export function addScaled(a: Series, factor: number, b: Series): Series {
  return series({
    name: 'addScaled',
    inputs: [a, b],
    params: [factor],
    bind: (x: Float64Array, y: Float64Array, out: Float64Array) => (from, to) => {
      for (let i = from; i < to; i++) out[i] = (x[i] as number) + factor * (y[i] as number);
    },
  });
}

/** a - b. */
export function sub(a: Series | number, b: Series | number): Series {
  return series({
    name: 'sub',
    inputs: [asSeries(a), asSeries(b)],
    bind: (x: Float64Array, y: Float64Array, out: Float64Array) => (from, to) => {
      for (let i = from; i < to; i++) out[i] = (x[i] as number) - (y[i] as number);
    },
  });
}

/** a times b. */
export function mul(a: Series | number, b: Series | number): Series {
  return series({
    name: 'mul',
    inputs: [asSeries(a), asSeries(b)],
    bind: (x: Float64Array, y: Float64Array, out: Float64Array) => (from, to) => {
      for (let i = from; i < to; i++) out[i] = (x[i] as number) * (y[i] as number);
    },
  });
}

/** a / b; where b is zero, the value of the bar before (0 if there is none). */
export function div(a: Series | number, b: Series | number): Series {
  return stepped({
    name: 'div',
    inputs: [asSeries(a), asSeries(b)],
    start: () => {
      let last = 0;
      return (x, y) => {
        if (y !== 0) last = x / y;
        return last;
      };
    },
  });
}

/** Square root; 0 of a negative number. */
export function squareRoot(x: Series): Series {
  return series({
    name: 'squareRoot',
    inputs: [x],
    bind: (input: Float64Array, out: Float64Array) => (from, to) => {
      for (let i = from; i < to; i++) out[i] = Math.sqrt(Math.max(0, input[i] as number));
    },
  });
}

/** The larger of a and b at each bar. */
export function larger(a: Series | number, b: Series | number): Series {
  return mapped('larger', [asSeries(a), asSeries(b)], (x, y) => Math.max(x, y));
}

/** The smaller of a and b at each bar. */
export function smaller(a: Series | number, b: Series | number): Series {
  return mapped('smaller', [asSeries(a), asSeries(b)], (x, y) => Math.min(x, y));
}

/** The value without its sign. */
export function absolute(x: Series): Series {
  return mapped('absolute', [x], (v) => Math.abs(v));
}

/** 1 where a is above b, else 0: a condition for `when`. */
export function above(a: Series, b: Series | number): Series {
  return mapped('above', [a, asSeries(b)], (x, y) => (x > y ? 1 : 0));
}

/** 1 where a is below b, else 0: a condition for `when`. */
export function below(a: Series, b: Series | number): Series {
  return mapped('below', [a, asSeries(b)], (x, y) => (x < y ? 1 : 0));
}

/** The value `n` bars ago. */
export function lag(x: Series, n = 1): Series {
  checkWindow('lag', n);
  return series({
    name: 'lag',
    inputs: [x],
    params: [n],
    lookback: n,
    defined: n,
    bind: (input: Float64Array, out: Float64Array) => {
      let seen = 0;
      return (from, to) => {
        for (let i = from; i < to; i++) {
          out[i] = seen < n ? Number.NaN : (input[i - n] as number);
          if (seen < n) seen++;
        }
      };
    },
  });
}

/** The value now less the value `n` bars ago. */
export function change(x: Series, n = 1): Series {
  return sub(x, lag(x, n));
}
