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

/** Collects fills; it grows as needed. */
export interface FillLog {
  readonly length: number;
  add(fill: FillRow): void;
  columns(): FillColumns;
}

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

/** An empty log, with room for so many rows at first. */
export function createFillLog(room = ROOM): FillLog {
  let columns = withRoom(room);
  let length = 0;

  function grow(): void {
    const wider = withRoom(columns.time.length * 2);
    for (const name of ['security', 'side', 'time', 'price', 'quantity', 'fee'] as const)
      wider[name].set(columns[name]);
    columns = wider;
  }

  return {
    get length() {
      return length;
    },
    add({ security, side, time, price, quantity, fee }) {
      if (length === columns.time.length) grow();
      columns.security[length] = security;
      columns.side[length] = side;
      columns.time[length] = time;
      columns.price[length] = price;
      columns.quantity[length] = quantity;
      columns.fee[length] = fee;
      length += 1;
    },
    columns: () => ({
      length,
      security: columns.security.subarray(0, length),
      side: columns.side.subarray(0, length),
      time: columns.time.subarray(0, length),
      price: columns.price.subarray(0, length),
      quantity: columns.quantity.subarray(0, length),
      fee: columns.fee.subarray(0, length),
    }),
  };
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
