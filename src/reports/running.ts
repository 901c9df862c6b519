/** One position from flat on: sums in units, as a run in columns keeps them. The next one of its security takes its place. */
export class Running {
  /** Fill that opened it. */
  row = 0;
  openedAt = Number.NaN;
  /** 1 for a long position, -1 for a short one. */
  sign = 1;
  /** Shares, whichever way. */
  held = 0;
  entered = 0;
  entryValue = 0;
  exitValue = 0;
  fees = 0;
  /** What the shares held were entered at, by average. */
  cost = 0;

  begin(row: number, at: number, sign: number): void {
    this.row = row;
    this.openedAt = at;
    this.sign = sign;
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

  /** What a trade that is closed made, after fees. */
  get profit(): number {
    return this.sign * (this.exitValue - this.entryValue) - this.fees;
  }

  leave(quantity: number, value: number, fee: number): void {
    this.exitValue += value;
    this.fees += fee;
    this.cost -= (this.cost * quantity) / this.held;
    this.held -= quantity;
  }
}
