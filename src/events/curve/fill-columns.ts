import { longerColumn } from './longer-column.ts';

/** The fills of a run, as columns: its cash, positions and trades follow from them. */
export interface FillColumns {
  readonly length: number;
  /** Place of the symbol in the run's securities. */
  readonly security: Uint16Array;
  /** When it filled, epoch milliseconds; the venue's stamp is its whole second. */
  readonly at: Float64Array;
  /** In the security's currency, as the decimal that it reads as. */
  readonly price: Float64Array;
  /** Shares: bought above 0, sold below. */
  readonly quantity: Float64Array;
  /** All charges of the fill, in units of the security's currency. */
  readonly fee: Float64Array;
  /** What filled: an order of the strategy, or which exit of its bracket; a number of `FILLED_BY`. */
  readonly by: Uint8Array;
  /** Place of its order among those that the run sent. */
  readonly order: Uint32Array;
}

/** What a fill was, by the numbers of the column `by`; `close` is the market order that ends a bracket by time. */
export const FILLED_BY = ['order', 'stop', 'trail', 'target', 'close'] as const;
export type FilledBy = (typeof FILLED_BY)[number];

/** Units to one of a currency: amounts of a run in columns are whole ones, exact to 2^53 of them. */
export const UNITS = 1_000_000;

/** One row of the columns. */
export interface FillRow {
  readonly security: number;
  readonly at: number;
  readonly price: number;
  readonly quantity: number;
  readonly fee: number;
  readonly by: number;
  readonly order: number;
}

const ROOM = 256;

/** Collects fills. The columns begin with this capacity and grow as needed; only their first `length` rows are fills. */
export class FillLog implements FillColumns {
  length = 0;
  security: Uint16Array;
  at: Float64Array;
  price: Float64Array;
  quantity: Float64Array;
  fee: Float64Array;
  by: Uint8Array;
  order: Uint32Array;

  constructor(room = ROOM) {
    this.security = new Uint16Array(room);
    this.at = new Float64Array(room);
    this.price = new Float64Array(room);
    this.quantity = new Float64Array(room);
    this.fee = new Float64Array(room);
    this.by = new Uint8Array(room);
    this.order = new Uint32Array(room);
  }

  add({ security, at, price, quantity, fee, by, order }: FillRow): void {
    const row = this.length;
    if (row === this.at.length) this.#grow();
    this.security[row] = security;
    this.at[row] = at;
    this.price[row] = price;
    this.quantity[row] = quantity;
    this.fee[row] = fee;
    this.by[row] = by;
    this.order[row] = order;
    this.length = row + 1;
  }

  /** The fills so far, without the room behind them. */
  columns(): FillColumns {
    const { length, security, at, price, quantity, fee, by, order } = this;
    return {
      length,
      security: security.subarray(0, length),
      at: at.subarray(0, length),
      price: price.subarray(0, length),
      quantity: quantity.subarray(0, length),
      fee: fee.subarray(0, length),
      by: by.subarray(0, length),
      order: order.subarray(0, length),
    };
  }

  #grow(): void {
    const rows = this.length * 2;
    this.security = longerColumn(this.security, rows);
    this.at = longerColumn(this.at, rows);
    this.price = longerColumn(this.price, rows);
    this.quantity = longerColumn(this.quantity, rows);
    this.fee = longerColumn(this.fee, rows);
    this.by = longerColumn(this.by, rows);
    this.order = longerColumn(this.order, rows);
  }
}
