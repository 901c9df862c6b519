/** One position from flat on: sums in units, as a run in columns keeps them. The next one of its security takes its place. */
export class Running {
  /** Fill that opened it. */
  row = 0;
  openedAt = Number.NaN;
  held = 0;
  entered = 0;
  entryValue = 0;
  exitValue = 0;
  fees = 0;
  /** What the shares held cost, at average cost. */
  cost = 0;

  begin(row: number, at: number): void {
    this.row = row;
    this.openedAt = at;
    this.entered = 0;
    this.entryValue = 0;
    this.exitValue = 0;
    this.fees = 0;
    this.cost = 0;
  }

  enter(quantity: number, value: number, fee: number): void {
    this.held += quantity;
    this.entered += quantity;
    this.entryValue += value;
    this.cost += value;
    this.fees += fee;
  }

  leave(quantity: number, value: number, fee: number): void {
    this.exitValue += value;
    this.fees += fee;
    this.cost -= (this.cost * quantity) / this.held;
    this.held -= quantity;
  }
}

/** Round trips as columns, in the order in which they closed; sums in units. */
export class ClosedColumns {
  length = 0;
  readonly place: Uint16Array;
  readonly openedAt: Float64Array;
  readonly closedAt: Float64Array;
  readonly entered: Float64Array;
  readonly entryValue: Float64Array;
  readonly exitValue: Float64Array;
  readonly fees: Float64Array;
  readonly profit: Float64Array;

  /** Has room for so many at most. */
  constructor(most: number) {
    this.place = new Uint16Array(most);
    this.openedAt = new Float64Array(most);
    this.closedAt = new Float64Array(most);
    this.entered = new Float64Array(most);
    this.entryValue = new Float64Array(most);
    this.exitValue = new Float64Array(most);
    this.fees = new Float64Array(most);
    this.profit = new Float64Array(most);
  }

  add(place: number, at: number, trade: Running): void {
    const row = this.length;
    this.place[row] = place;
    this.openedAt[row] = trade.openedAt;
    this.closedAt[row] = at;
    this.entered[row] = trade.entered;
    this.entryValue[row] = trade.entryValue;
    this.exitValue[row] = trade.exitValue;
    this.fees[row] = trade.fees;
    this.profit[row] = trade.exitValue - trade.entryValue - trade.fees;
    this.length = row + 1;
  }
}
