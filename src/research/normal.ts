/** Standard normal distribution in float64. */

const ROOT_TWO_PI = Math.sqrt(2 * Math.PI);

/** Density of the standard normal distribution. */
export function normalDensity(x: number): number {
  return Math.exp(-0.5 * x * x) / ROOT_TWO_PI;
}

/**
 * Probability that a standard normal variable is at most `x`, to some 1e-15: a series near 0, a continued fraction in the tails.
 * @see Abramowitz and Stegun, "Handbook of Mathematical Functions", 26.2.11 and 26.2.14
 */
export function normalCdf(x: number): number {
  if (Number.isNaN(x)) return Number.NaN;
  const size = Math.abs(x);
  if (size > 38.5) return x > 0 ? 1 : 0;
  if (size < SERIES_UNTIL) {
    let term = size;
    let sum = size;
    for (let divisor = 3; term > sum * 1e-18; divisor += 2) {
      term *= (size * size) / divisor;
      sum += term;
    }
    const above = sum * normalDensity(size);
    return x > 0 ? 0.5 + above : 0.5 - above;
  }
  let fraction = size;
  for (let step = FRACTION_STEPS; step >= 1; step -= 1) fraction = size + step / fraction;
  const tail = normalDensity(size) / fraction;
  return x > 0 ? 1 - tail : tail;
}

const SERIES_UNTIL = 3;
const FRACTION_STEPS = 200;

/**
 * Quantile of the standard normal distribution; infinite at 0 and 1, NaN outside. Acklam's rational approximation,
 * refined by two steps of Halley's method.
 */
export function normalQuantile(p: number): number {
  if (!(p >= 0 && p <= 1)) return Number.NaN;
  if (p === 0 || p === 1) return p === 0 ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  // The lower tail has more significant digits than the upper one.
  if (p > 0.5) return -normalQuantile(1 - p);
  let x = p < LOW ? lowTail(Math.sqrt(-2 * Math.log(p))) : middle(p - 0.5);
  for (let step = 0; step < 2; step += 1) {
    const off = (normalCdf(x) - p) / normalDensity(x);
    x -= off / (1 + (x * off) / 2);
  }
  return x;
}

const LOW = 0.02425;

function lowTail(q: number): number {
  const top =
    ((((-7.784894002430293e-3 * q - 3.223964580411365e-1) * q - 2.400758277161838) * q - 2.549732539343734) *
      q +
      4.374664141464968) *
      q +
    2.938163982698783;
  const bottom =
    (((7.784695709041462e-3 * q + 3.224671290700398e-1) * q + 2.445134137142996) * q + 3.754408661907416) *
      q +
    1;
  return top / bottom;
}

function middle(q: number): number {
  const r = q * q;
  const top =
    ((((-3.969683028665376e1 * r + 2.209460984245205e2) * r - 2.759285104469687e2) * r + 1.38357751867269e2) *
      r -
      3.066479806614716e1) *
      r +
    2.506628277459239;
  const bottom =
    ((((-5.447609879822406e1 * r + 1.615858368580409e2) * r - 1.556989798598866e2) * r +
      6.680131188771972e1) *
      r -
      1.328068155288572e1) *
      r +
    1;
  return (top * q) / bottom;
}
