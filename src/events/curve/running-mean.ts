/** A mean that is the same to the last bit however its figures are cut: they are added one by one. */
export class RunningMean {
  sum = 0;
  count = 0;

  add(values: ArrayLike<number>, count: number): void {
    let { sum } = this;
    for (let row = 0; row < count; row += 1) sum += values[row] as number;
    this.sum = sum;
    this.count += count;
  }

  /** NaN of nothing. */
  mean(): number {
    return this.sum / this.count;
  }
}
