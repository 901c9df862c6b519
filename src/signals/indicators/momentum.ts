import { checkWindow, named, namedAll, series, warmupBarsOf } from '../node.ts';
import type { Bind, Series } from '../series.ts';
import { change, div, lag, mul, sub } from './arithmetic.ts';
import { ema, sma, smoothed } from './averages.ts';
import { mapped } from './mapped.ts';
import { highest, lowest, sum } from './windows.ts';

/** The value now less the value `n` bars ago. */
export function momentum(x: Series, n = 10): Series {
  return named('momentum', [x, n], change(x, n));
}

/** Rate of change over `n` bars, in percent. */
export function roc(x: Series, n = 10): Series {
  return named('roc', [x, n], mul(100, div(change(x, n), lag(x, n))));
}

/** Rate of change over `n` bars as the ratio of now to then. */
export function rocRatio(x: Series, n = 10): Series {
  return named('rocRatio', [x, n], div(x, lag(x, n)));
}

const wilderStrength =
  (n: number): Bind =>
  (input: Float64Array, output: Float64Array) => {
    let gain = 0;
    let loss = 0;
    let seen = 0;
    const rate = 1 / n;
    return (from, to) => {
      const x = input;
      const out = output;
      let i = from;
      for (; i < to && seen <= n; i++) {
        const move = seen === 0 ? 0 : (x[i] as number) - (x[i - 1] as number);
        gain += Math.max(move, 0) * rate;
        loss += Math.max(-move, 0) * rate;
        out[i] = seen < n ? Number.NaN : strengthOf(gain, loss);
        seen++;
      }
      let g = gain;
      let l = loss;
      for (; i < to; i++) {
        const move = (x[i] as number) - (x[i - 1] as number);
        g += (Math.max(move, 0) - g) * rate;
        l += ((move < 0 ? -move : 0) - l) * rate;
        const total = g + l;
        out[i] = total > 0 ? (100 * g) / total : 50;
      }
      gain = g;
      loss = l;
    };
  };

const strengthOf = (gain: number, loss: number): number =>
  gain + loss > 0 ? (100 * gain) / (gain + loss) : 50;

/**
 * Wilder's relative strength index: 100 x average gain / (average gain + average loss), seeded with the mean of the
 * first `n` changes. 50 where nothing ever moved.
 */
export function rsi(x: Series, n = 14): Series {
  checkWindow('rsi', n);
  const settled = n + warmupBarsOf(1 / n);
  return series({
    name: 'rsi',
    inputs: [x],
    params: [n],
    lookback: 1,
    defined: n,
    settled,
    bind: wilderStrength(n),
  });
}

/** Chande's momentum oscillator with Wilder smoothing, as in TA-Lib: 2 RSI - 100. */
export function cmo(x: Series, n = 14): Series {
  const balance = mapped('cmo', [rsi(x, n)], (strength) => 2 * strength - 100);
  return named('cmo', [x, n], balance);
}

/** Gains and losses from one bar to the next, both positive. */
function movesOf(x: Series): { readonly up: Series; readonly down: Series } {
  const move = change(x, 1);
  return {
    up: mapped('gain', [move], (m) => Math.max(m, 0)),
    down: mapped('loss', [move], (m) => (m < 0 ? -m : 0)),
  };
}

/**
 * Chande's momentum oscillator by its original definition: plain sums of the last `n` gains and losses; 0 without
 * moves.
 */
export function cmoSums(x: Series, n = 14): Series {
  const { up, down } = movesOf(x);
  const balance = mapped('balance', [sum(up, n), sum(down, n)], (gain, loss) =>
    gain + loss > 0 ? (100 * (gain - loss)) / (gain + loss) : 0,
  );
  return named('cmoSums', [x, n], balance);
}

/** Stochastic RSI: position of the RSI in its own range of the last `n`, 0 to 100, and its SMA over `signal`. */
export function stochasticRsi(x: Series, n = 14, signal = 3): Readonly<Record<'k' | 'd', Series>> {
  const strength = rsi(x, n);
  const k = placeInRange(strength, highest(strength, n), lowest(strength, n));
  return namedAll('stochasticRsi', [x, n, signal], { k, d: sma(k, signal) });
}

/** Share of a level below which a range above it is rounding error. */
const ROUNDING = 1e-10;

/** Position of x between two levels, 0 at the low and 100 at the high; 50 where they meet, but for rounding. */
export function placeInRange(x: Series, high: Series, low: Series): Series {
  return mapped('placeInRange', [x, high, low], (v, top, bottom) =>
    top - bottom > Math.abs(top) * ROUNDING ? (100 * (v - bottom)) / (top - bottom) : 50,
  );
}

/** TRIX: the one-bar rate of change, in percent, of an EMA of an EMA of an EMA. */
export function trix(x: Series, n = 15): Series {
  return named('trix', [x, n], roc(ema(ema(ema(x, n), n), n), 1));
}

/** Result of `macd`. */
export type Macd = Readonly<Record<'macd' | 'signal' | 'histogram', Series>>;

/**
 * Moving average convergence divergence: EMA(fast) - EMA(slow), its EMA(signal), and their difference. Both averages
 * start with the slow one, as in TA-Lib.
 */
export function macd(x: Series, fast = 12, slow = 26, signal = 9): Macd {
  checkWindow('macd', fast);
  checkWindow('macd', slow, fast + 1);
  const line = sub(smoothed('ema', x, fast, 2 / (fast + 1), slow - fast), ema(x, slow));
  const average = ema(line, signal);
  const parts = { macd: line, signal: average, histogram: sub(line, average) };
  return namedAll('macd', [x, fast, slow, signal], parts);
}

/** Absolute price oscillator: EMA(fast) - EMA(slow), each seeded on its own first bars. */
export function apo(x: Series, fast = 12, slow = 26): Series {
  checkWindow('apo', slow, fast + 1);
  return named('apo', [x, fast, slow], sub(ema(x, fast), ema(x, slow)));
}

/** Percentage price oscillator: 100 (EMA(fast) - EMA(slow)) / EMA(slow), each seeded on its own first bars. */
export function ppo(x: Series, fast = 12, slow = 26): Series {
  checkWindow('ppo', slow, fast + 1);
  const average = ema(x, slow);
  return named('ppo', [x, fast, slow], mul(100, div(sub(ema(x, fast), average), average)));
}

/** True strength index: 100 x doubly smoothed change over doubly smoothed absolute change, EMAs of `slow` and `fast`. */
export function tsi(x: Series, slow = 25, fast = 13): Series {
  const move = change(x, 1);
  const size = mapped('absolute', [move], (m) => Math.abs(m));
  const twice = (input: Series): Series => ema(ema(input, slow), fast);
  const ratio = mapped('tsi', [twice(move), twice(size)], (m, s) => (s > 0 ? (100 * m) / s : 0));
  return named('tsi', [x, slow, fast], ratio);
}

const efficiency: (n: number, fast: number, slow: number) => Bind =
  (n, fast, slow) => (x: Float64Array, path: Float64Array, out: Float64Array) => {
    const fastest = 2 / (fast + 1);
    const slowest = 2 / (slow + 1);
    const memory = { value: 0, seen: 0 };
    return (from, to) => {
      let value = memory.value;
      let seen = memory.seen;
      for (let i = from; i < to; i++) {
        const now = x[i] as number;
        const travelled = path[i] as number;
        const went = Math.abs(now - (x[i - n] as number));
        const ratio = travelled > 0 ? Math.min(1, went / travelled) : 1;
        const rate = (ratio * (fastest - slowest) + slowest) ** 2;
        if (seen === 0) value = x[i - 1] as number;
        seen = 1;
        value += (now - value) * rate;
        out[i] = value;
      }
      memory.value = value;
      memory.seen = seen;
    };
  };

/**
 * Kaufman's adaptive average: an EMA whose rate varies between those of `fast` and `slow` bars with the ratio of the
 * net move over `n` bars to the path travelled. Settling assumes the slowest rate throughout, far longer than needed.
 */
export function kama(x: Series, n = 10, fast = 2, slow = 30): Series {
  checkWindow('kama', n);
  checkWindow('kama', slow, fast + 1);
  const path = sum(
    mapped('absolute', [change(x, 1)], (m) => Math.abs(m)),
    n,
  );
  const settled = warmupBarsOf((2 / (slow + 1)) ** 2);
  const bind = efficiency(n, fast, slow);
  const spec = { name: 'kama', inputs: [x, path], params: [n, fast, slow], lookback: n, settled, bind };
  return named('kama', [x, n, fast, slow], series(spec));
}

/** MACD with separately seeded averages, as many charts draw it. */
export function macdOwnSeeds(x: Series, fast = 12, slow = 26, signal = 9): Macd {
  const line = apo(x, fast, slow);
  const average = ema(line, signal);
  const parts = { macd: line, signal: average, histogram: sub(line, average) };
  return namedAll('macdOwnSeeds', [x, fast, slow, signal], parts);
}
