import { Decimal, type Quantity, ZERO } from '../../model/decimal.ts';
import type { Side } from '../../model/order.ts';

/** Splits what open orders of one symbol would do into closing and opening, oldest orders closing first. */
export class OpeningSplit {
  /** Shares sold short, and those of them that no order before has bought back. */
  readonly #owed: Quantity;
  #closable: Quantity;
  readonly #sellable: Quantity;
  #soldSoFar: Quantity = ZERO;

  constructor(held: Quantity) {
    this.#owed = Decimal.max(ZERO, held.neg());
    this.#closable = this.#owed;
    this.#sellable = Decimal.max(ZERO, held);
  }

  /**
   * The part of `quantity` that an order which waits for its condition would open or add if it were met before all others. It takes
   * nothing from them, nor they from it: a stop and a target wait for the same position, and the first that is met has it.
   */
  openingIfMet(side: Side, quantity: Quantity): Quantity {
    return Decimal.max(ZERO, quantity.minus(side === 'sell' ? this.#sellable : this.#owed));
  }

  /** The part of `quantity` that opens or adds to a position, given what came before it. */
  opening(side: Side, quantity: Quantity): Quantity {
    if (side === 'sell') {
      const free = Decimal.max(ZERO, this.#sellable.minus(this.#soldSoFar));
      this.#soldSoFar = this.#soldSoFar.plus(quantity);
      return Decimal.max(ZERO, quantity.minus(free));
    }
    const closes = Decimal.min(this.#closable, quantity);
    this.#closable = this.#closable.minus(closes);
    return quantity.minus(closes);
  }
}
