/** A mean that is identical, to the last bit, for any batch size, because figures are added one by one. */
export class RunningMean {
  sum = 0;
  count = 0;

  add(values: ArrayLike<number>, count: number): void {
    let { sum } = this;
    for (let row = 0; row < count; row += 1) sum += values[row] as number;
    this.sum = sum;
    this.count += count;
  }

  /** Returns the mean; NaN without figures. */
  mean(): number {
    return this.sum / this.count;
  }
}
