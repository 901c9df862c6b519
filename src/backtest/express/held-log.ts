/** What was held from one instant on: one row for each change, ascending; cash in the currency. */
export interface HeldRows {
  readonly length: number;
  /** A close at or after this instant is marked with the row. */
  readonly from: Float64Array;
  readonly cash: Float64Array;
  /** Place of the security that changed, and how much of it is held then. */
  readonly place: Uint16Array;
  readonly quantity: Float64Array;
}

/** Notes every change of what an account holds; the first note is its opening. */
export class HeldLog implements HeldRows {
  length = 0;
  from: Float64Array;
  cash: Float64Array;
  place: Uint16Array;
  quantity: Float64Array;

  /** Has room for so many rows at first. */
  constructor(room: number) {
    this.from = new Float64Array(room);
    this.cash = new Float64Array(room);
    this.place = new Uint16Array(room);
    this.quantity = new Float64Array(room);
  }

  /** What is held after a change at `at` counts from the next close on. */
  note(at: number, cash: number, place: number, quantity: number): void {
    if (this.length === this.from.length) this.#grow();
    const row = this.length;
    this.from[row] = at + 1;
    this.cash[row] = cash;
    this.place[row] = place;
    this.quantity[row] = quantity;
    this.length = row + 1;
  }

  #grow(): void {
    const { from, cash, place, quantity } = this;
    const room = from.length * 2;
    this.from = new Float64Array(room);
    this.cash = new Float64Array(room);
    this.place = new Uint16Array(room);
    this.quantity = new Float64Array(room);
    this.from.set(from);
    this.cash.set(cash);
    this.place.set(place);
    this.quantity.set(quantity);
  }
}
