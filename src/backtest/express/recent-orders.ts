const INITIAL_CAPACITY = 64;

/** Fields of some orders only. */
interface RecentTraits {
  readonly sliceOf?: number;
  readonly trigger?: number;
  readonly isExit?: boolean;
}

const NO_TRAITS: RecentTraits = {};

/** The newest orders or fills, as columns; older entries are dropped. */
export class RecentOrders {
  /** The valid rows are from here up to `end`, in the order of addition. */
  from = 0;
  end = 0;
  at: Float64Array = new Float64Array(INITIAL_CAPACITY);
  place: Float64Array = new Float64Array(INITIAL_CAPACITY);
  /** Signed shares; negative for sales. */
  signed: Float64Array = new Float64Array(INITIAL_CAPACITY);
  limit: Float64Array = new Float64Array(INITIAL_CAPACITY);
  /** Trigger price; 0 for none. */
  trigger: Float64Array = new Float64Array(INITIAL_CAPACITY);
  /** 1 for an exit of a bracket, otherwise 0. */
  exit: Float64Array = new Float64Array(INITIAL_CAPACITY);
  /** Number of its sliced order; 0 for others. */
  sliceOf: Float64Array = new Float64Array(INITIAL_CAPACITY);
  /** Whether any order was a slice. */
  hasSlices = false;

  get count(): number {
    return this.end - this.from;
  }

  add(
    at: number,
    place: number,
    signed: number,
    limit: number,
    { sliceOf = 0, trigger = 0, isExit = false }: RecentTraits = NO_TRAITS,
  ): void {
    if (this.end === this.at.length) this.#compact();
    const row = this.end;
    this.at[row] = at;
    this.place[row] = place;
    this.signed[row] = signed;
    this.limit[row] = limit;
    this.sliceOf[row] = sliceOf;
    this.trigger[row] = trigger;
    this.exit[row] = isExit ? 1 : 0;
    if (sliceOf !== 0) this.hasSlices = true;
    this.end = row + 1;
  }

  /** Drops entries at or before a time. */
  dropUntil(until: number): void {
    while (this.from < this.end && (this.at[this.from] as number) <= until) this.from += 1;
    if (this.from === this.end) {
      this.from = 0;
      this.end = 0;
    }
  }

  /** Moves rows to the front; grows the columns only if more than half of them are in use. */
  #compact(): void {
    const { from, end } = this;
    const capacity = 2 * (end - from) > this.at.length ? 2 * this.at.length : this.at.length;
    const moved = (column: Float64Array): Float64Array => {
      if (capacity === column.length) return column.copyWithin(0, from, end);
      const into = new Float64Array(capacity);
      into.set(column.subarray(from, end));
      return into;
    };
    this.at = moved(this.at);
    this.place = moved(this.place);
    this.signed = moved(this.signed);
    this.limit = moved(this.limit);
    this.sliceOf = moved(this.sliceOf);
    this.trigger = moved(this.trigger);
    this.exit = moved(this.exit);
    this.end = end - from;
    this.from = 0;
  }
}
