import { checkWindow, series } from '../node.ts';
import type { Bind, Series } from '../series.ts';
import { productError } from './exact-sum.ts';

/** Share of the mean square below which a variance is rounding error: a deviation of 1e-14 of the values. */
const ZERO_VARIANCE = 1e-28;

/**
 * Slides the sum and the sum of squares of the last `n` values with all rounding errors (as `ExactSum` does, inlined
 * for speed), and computes n x squares - sum x sum with exact products. No digits are lost for small movements,
 * nothing drifts, and a window without movement has variance 0.
 */
const slidingVariance =
  (n: number): Bind =>
  (x: Float64Array, out: Float64Array) => {
    const memory = { sum: 0, sumLow: 0, squares: 0, squaresLow: 0, seen: 0 };
    return (from, to) => {
      let sum = memory.sum;
      let sumLow = memory.sumLow;
      let squares = memory.squares;
      let squaresLow = memory.squaresLow;
      let seen = memory.seen;
      for (let i = from; i < to; i++) {
        const entering = x[i] as number;
        const leaving = seen < n ? 0 : (x[i - n] as number);
        if (seen < n) seen++;

        const step = entering - leaving;
        const stepPart = step - entering;
        const nextSum = sum + step;
        const sumPart = nextSum - sum;
        sumLow +=
          entering -
          (step - stepPart) -
          (leaving + stepPart) +
          (sum - (nextSum - sumPart) + (step - sumPart));
        sum = nextSum;

        const inSquare = entering * entering;
        const outSquare = leaving * leaving;
        const growth = inSquare - outSquare;
        const growthPart = growth - inSquare;
        const nextSquares = squares + growth;
        const squaresPart = nextSquares - squares;
        squaresLow += productError(entering, entering, inSquare) - productError(leaving, leaving, outSquare);
        squaresLow += inSquare - (growth - growthPart) - (outSquare + growthPart);
        squaresLow += squares - (nextSquares - squaresPart) + (growth - squaresPart);
        squares = nextSquares;

        const total = sum + sumLow;
        sumLow = sum - total + sumLow;
        sum = total;
        const power = squares + squaresLow;
        squaresLow = squares - power + squaresLow;
        squares = power;

        const whole = n * power;
        const square = total * total;
        const errors = productError(n, power, whole) - productError(total, total, square);
        const variance = (whole - square + (errors + (n * squaresLow - 2 * total * sumLow))) / (n * n);
        const moved = variance * n > power * ZERO_VARIANCE;
        out[i] = seen < n ? Number.NaN : moved ? variance : 0;
      }
      memory.sum = sum;
      memory.sumLow = sumLow;
      memory.squares = squares;
      memory.squaresLow = squaresLow;
      memory.seen = seen;
    };
  };

/** Population variance over the last `n` bars: the mean squared distance from their mean. O(1) a bar, no drift. */
export function variance(x: Series, n: number): Series {
  checkWindow('variance', n);
  return series({
    name: 'variance',
    inputs: [x],
    params: [n],
    lookback: n,
    defined: n - 1,
    bind: slidingVariance(n),
  });
}
