import { longerColumn } from './longer-column.ts';

/**
 * Exits with a fixed price in a run, as columns: stops and targets of brackets. Trailing stops have no fixed price.
 */
export interface ExitColumns {
  readonly length: number;
  /** Index of the symbol in the run's securities. */
  readonly security: Uint16Array;
  /** 0 for a stop, 1 for a target. */
  readonly kind: Uint8Array;
  /** Trigger price of a stop or limit price of a target, as sent. */
  readonly price: Float64Array;
  /** When it was sent, epoch milliseconds. */
  readonly from: Float64Array;
  /** When it ended, epoch milliseconds; Infinity if it was still working at the end of the run. */
  readonly to: Float64Array;
}

/** Kinds of exits; the column `kind` holds their indices. */
export const EXIT_KINDS = ['stop', 'target'] as const;
export type ExitKind = (typeof EXIT_KINDS)[number];

/** An exit that starts to work. */
interface ExitRow {
  readonly security: number;
  readonly kind: ExitKind;
  readonly price: number;
  readonly from: number;
}

const INITIAL_ROWS = 64;

/** Collects exits. The columns grow as needed; only their first `length` rows are valid. */
export class ExitLog implements ExitColumns {
  length = 0;
  security = new Uint16Array(INITIAL_ROWS);
  kind = new Uint8Array(INITIAL_ROWS);
  price = new Float64Array(INITIAL_ROWS);
  from = new Float64Array(INITIAL_ROWS);
  to = new Float64Array(INITIAL_ROWS);

  /** Adds an exit that works from now on; returns its row for `end`. */
  begin({ security, kind, price, from }: ExitRow): number {
    const row = this.length;
    if (row === this.from.length) this.#grow();
    this.security[row] = security;
    this.kind[row] = EXIT_KINDS.indexOf(kind);
    this.price[row] = price;
    this.from[row] = from;
    this.to[row] = Number.POSITIVE_INFINITY;
    this.length = row + 1;
    return row;
  }

  end(row: number, at: number): void {
    this.to[row] = at;
  }

  #grow(): void {
    const rows = this.length * 2;
    this.security = longerColumn(this.security, rows);
    this.kind = longerColumn(this.kind, rows);
    this.price = longerColumn(this.price, rows);
    this.from = longerColumn(this.from, rows);
    this.to = longerColumn(this.to, rows);
  }
}
