/** What was filled in a run, as columns of float64: money and prices are the decimals that they read as. */
export interface FillColumns {
  readonly length: number;
  /** Place of the symbol in the run's securities. */
  readonly security: Uint16Array;
  /** 1 bought, -1 sold. */
  readonly side: Int8Array;
  /** The venue's stamp, whole seconds, epoch milliseconds. */
  readonly time: Float64Array;
  readonly price: Float64Array;
  readonly quantity: Float64Array;
  /** All charges of the fill, in the security's currency. */
  readonly fee: Float64Array;
}

/** Units to one of a currency: amounts of a run in columns are whole ones, exact to 2^53 of them. */
export const UNITS = 1_000_000;

/** One row of the columns. */
export interface FillRow {
  readonly security: number;
  readonly side: 1 | -1;
  readonly time: number;
  readonly price: number;
  readonly quantity: number;
  readonly fee: number;
}

const ROOM = 256;

/** Collects fills, with room for so many rows at first; it grows as needed. */
export class FillLog {
  length = 0;
  #columns: ReturnType<typeof withRoom>;

  constructor(room = ROOM) {
    this.#columns = withRoom(room);
  }

  add({ security, side, time, price, quantity, fee }: FillRow): void {
    const row = this.length;
    if (row === this.#columns.time.length) this.#grow();
    const columns = this.#columns;
    columns.security[row] = security;
    columns.side[row] = side;
    columns.time[row] = time;
    columns.price[row] = price;
    columns.quantity[row] = quantity;
    columns.fee[row] = fee;
    this.length = row + 1;
  }

  columns(): FillColumns {
    const { length } = this;
    const { security, side, time, price, quantity, fee } = this.#columns;
    return {
      length,
      security: security.subarray(0, length),
      side: side.subarray(0, length),
      time: time.subarray(0, length),
      price: price.subarray(0, length),
      quantity: quantity.subarray(0, length),
      fee: fee.subarray(0, length),
    };
  }

  #grow(): void {
    const wider = withRoom(this.length * 2);
    for (const name of ['security', 'side', 'time', 'price', 'quantity', 'fee'] as const)
      wider[name].set(this.#columns[name]);
    this.#columns = wider;
  }
}

function withRoom(rows: number): Omit<FillColumns, 'length'> {
  return {
    security: new Uint16Array(rows),
    side: new Int8Array(rows),
    time: new Float64Array(rows),
    price: new Float64Array(rows),
    quantity: new Float64Array(rows),
    fee: new Float64Array(rows),
  };
}
