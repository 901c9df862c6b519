const ROOM = 64;

/** What only some orders have. */
interface RecentTraits {
  readonly sliced?: number;
  readonly trigger?: number;
  readonly isExit?: boolean;
}

const NO_TRAITS: RecentTraits = {};

/** The newest orders, or fills, as columns; entries older than any reader needs are dropped. */
export class RecentOrders {
  /** Rows from here up to `end` are remembered, in the order in which they were added. */
  from = 0;
  end = 0;
  at: Float64Array = new Float64Array(ROOM);
  place: Float64Array = new Float64Array(ROOM);
  /** Shares, below zero for sales. */
  signed: Float64Array = new Float64Array(ROOM);
  limit: Float64Array = new Float64Array(ROOM);
  /** The price at which the market triggers it; 0 for none. */
  trigger: Float64Array = new Float64Array(ROOM);
  /** 1 for an exit of a bracket, else 0. */
  exit: Float64Array = new Float64Array(ROOM);
  /** The number of the order in parts that it is a part of; 0 for others. */
  sliced: Float64Array = new Float64Array(ROOM);
  /** Whether any was such a part. */
  hasSlices = false;

  get count(): number {
    return this.end - this.from;
  }

  add(
    at: number,
    place: number,
    signed: number,
    limit: number,
    { sliced = 0, trigger = 0, isExit = false }: RecentTraits = NO_TRAITS,
  ): void {
    if (this.end === this.at.length) this.#makeRoom();
    const row = this.end;
    this.at[row] = at;
    this.place[row] = place;
    this.signed[row] = signed;
    this.limit[row] = limit;
    this.sliced[row] = sliced;
    this.trigger[row] = trigger;
    this.exit[row] = isExit ? 1 : 0;
    if (sliced !== 0) this.hasSlices = true;
    this.end = row + 1;
  }

  /** Forgets what came at that instant or before. */
  forget(until: number): void {
    while (this.from < this.end && (this.at[this.from] as number) <= until) this.from += 1;
    if (this.from === this.end) {
      this.from = 0;
      this.end = 0;
    }
  }

  /** Rows move to the front; the columns grow only where more than half of them are remembered. */
  #makeRoom(): void {
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
    this.sliced = moved(this.sliced);
    this.trigger = moved(this.trigger);
    this.exit = moved(this.exit);
    this.end = end - from;
    this.from = 0;
  }
}
