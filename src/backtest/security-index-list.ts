/**
 * Indices of securities in insertion order, which determines the order of summation. Uses plain loops, because a run
 * adds and drops tens of thousands of times.
 */
export class SecurityIndexList {
  /** The first `count` entries are valid. */
  readonly places: Int32Array;
  count = 0;

  /** Has capacity for each security once. */
  constructor(securities: number) {
    this.places = new Int32Array(securities);
  }

  add(place: number): void {
    this.places[this.count] = place;
    this.count += 1;
  }

  /** Removes an index that is in the list; later ones move up. */
  drop(place: number): void {
    const { places } = this;
    const last = this.count - 1;
    let at = 0;
    while (at < last && places[at] !== place) at += 1;
    for (; at < last; at += 1) places[at] = places[at + 1] as number;
    this.count = last;
  }
}
