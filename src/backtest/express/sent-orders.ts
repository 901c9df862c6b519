import { longerColumn } from '../../events/curve/longer-column.ts';

/** When each order of a run was sent, in epoch milliseconds. */
export class SentOrders {
  count = 0;
  #at: Float64Array;

  constructor(capacity: number) {
    this.#at = new Float64Array(capacity);
  }

  /** When the newest order was sent; NaN before the first. */
  get lastAt(): number {
    return this.count === 0 ? Number.NaN : (this.#at[this.count - 1] as number);
  }

  /** Returns the index of the order among those sent. */
  add(at: number): number {
    const place = this.count;
    if (place === this.#at.length) this.#at = longerColumn(this.#at, place * 2);
    this.#at[place] = at;
    this.count = place + 1;
    return place;
  }

  times(): Float64Array {
    return this.#at.subarray(0, this.count);
  }
}
