import { type Amount, add, max, min, negate, subtract } from '../../model/amount.ts';
import type { Side } from '../../model/order.ts';

/** Splits what open orders of one symbol would do into closing and opening, oldest orders closing first. */
export class OpeningSplit {
  /** Shares sold short, and those of them that no order before has bought back. */
  readonly #owed: Amount;
  #closable: Amount;
  readonly #sellable: Amount;
  #soldSoFar: Amount = 0;

  constructor(held: Amount) {
    this.#owed = max(0, negate(held));
    this.#closable = this.#owed;
    this.#sellable = max(0, held);
  }

  /**
   * The part of `quantity` that an order which waits for its condition would open or add if it were met before all others. It takes
   * nothing from them, nor they from it: a stop and a target wait for the same position, and the first that is met has it.
   */
  openingIfMet(side: Side, quantity: Amount): Amount {
    return max(0, subtract(quantity, side === 'sell' ? this.#sellable : this.#owed));
  }

  /** The part of `quantity` that opens or adds to a position, given what came before it. */
  opening(side: Side, quantity: Amount): Amount {
    if (side === 'sell') {
      const free = max(0, subtract(this.#sellable, this.#soldSoFar));
      this.#soldSoFar = add(this.#soldSoFar, quantity);
      return max(0, subtract(quantity, free));
    }
    const closes = min(this.#closable, quantity);
    this.#closable = subtract(this.#closable, closes);
    return subtract(quantity, closes);
  }
}
