import { longerColumn } from './longer-column.ts';

/** The fills of a run, as columns, which determine cash, positions and trades. */
export interface FillColumns {
  readonly length: number;
  /** Index of the symbol in the run's securities. */
  readonly security: Uint16Array;
  /** Time of the fill, epoch milliseconds; the venue's time stamp is its whole second. */
  readonly at: Float64Array;
  /** In the security's currency; its shortest decimal form is exact. */
  readonly price: Float64Array;
  /** Shares; positive for a buy, negative for a sell. */
  readonly quantity: Float64Array;
  /** All charges of the fill, in `UNITS` of the security's currency. */
  readonly fee: Float64Array;
  /** What filled, as an index of `FILLED_BY`: an order of the strategy, or an exit of its bracket. */
  readonly by: Uint8Array;
  /** Index of its order among those that the run sent. */
  readonly order: Uint32Array;
}

/** Kinds of fills; the column `by` holds their indices. `close` is the market order that ends a bracket by time. */
export const FILLED_BY = ['order', 'stop', 'trail', 'target', 'close'] as const;
export type FilledBy = (typeof FILLED_BY)[number];

/** Units per currency unit: amounts in columns are whole units, exact up to 2^53. */
export const UNITS = 1_000_000;

interface FillRow {
  readonly security: number;
  readonly at: number;
  readonly price: number;
  readonly quantity: number;
  readonly fee: number;
  readonly by: number;
  readonly order: number;
}

const INITIAL_ROWS = 256;

/**
 * Collects fills. The columns start with this capacity and grow as needed; only their first `length` rows are valid.
 */
export class FillLog implements FillColumns {
  length = 0;
  security: Uint16Array;
  at: Float64Array;
  price: Float64Array;
  quantity: Float64Array;
  fee: Float64Array;
  by: Uint8Array;
  order: Uint32Array;

  constructor(rows = INITIAL_ROWS) {
    this.security = new Uint16Array(rows);
    this.at = new Float64Array(rows);
    this.price = new Float64Array(rows);
    this.quantity = new Float64Array(rows);
    this.fee = new Float64Array(rows);
    this.by = new Uint8Array(rows);
    this.order = new Uint32Array(rows);
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

  /** Returns the fills so far, without unused capacity. */
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
