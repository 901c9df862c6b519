/**
 * Places of securities in the order in which they came: what is held, which sums are made in. Plain loops, as a run adds and
 * drops tens of thousands of times, and a few numbers are not worth a call of the library's.
 */
export class PlaceList {
  /** The first of these are in the list. */
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

  /** Takes out a place that is in the list; those behind it move up. */
  drop(place: number): void {
    const { places } = this;
    const last = this.count - 1;
    let at = 0;
    while (at < last && places[at] !== place) at += 1;
    for (; at < last; at += 1) places[at] = places[at + 1] as number;
    this.count = last;
  }
}
