/** A mean that is the same to the last bit however its figures are cut: four sums, as each addition waits for the one before it. */
export class RunningMean {
  readonly #sums = new Float64Array(4);
  /** Figures that do not fill a row of four yet. */
  readonly #rest = new Float64Array(4);
  #resting = 0;
  #count = 0;

  add(values: ArrayLike<number>, count: number): void {
    this.#count += count;
    let row = 0;
    while (row < count && this.#resting > 0) {
      this.#rest[this.#resting] = values[row] as number;
      this.#resting = (this.#resting + 1) % 4;
      row += 1;
      if (this.#resting === 0) this.#addFours(this.#rest, 0, 4);
    }
    const whole = count - ((count - row) % 4);
    this.#addFours(values, row, whole);
    for (row = whole; row < count; row += 1) {
      this.#rest[this.#resting] = values[row] as number;
      this.#resting += 1;
    }
  }

  /** NaN of nothing. */
  mean(): number {
    const [one = 0, two = 0, three = 0, four = 0] = this.#sums;
    let first = one;
    for (let row = 0; row < this.#resting; row += 1) first += this.#rest[row] as number;
    return (first + two + (three + four)) / this.#count;
  }

  #addFours(values: ArrayLike<number>, from: number, to: number): void {
    const sums = this.#sums;
    let one = sums[0] as number;
    let two = sums[1] as number;
    let three = sums[2] as number;
    let four = sums[3] as number;
    for (let row = from; row < to; row += 4) {
      one += values[row] as number;
      two += values[row + 1] as number;
      three += values[row + 2] as number;
      four += values[row + 3] as number;
    }
    sums[0] = one;
    sums[1] = two;
    sums[2] = three;
    sums[3] = four;
  }
}
