import { Decimal, type Quantity, ZERO } from '../model/decimal.ts';
import type { Side } from '../model/order.ts';

/** Splits what open orders of one symbol would do into closing and opening, oldest orders closing first. */
export class OpeningSplit {
  #closable: Quantity;
  readonly #sellable: Quantity;
  #soldSoFar: Quantity = ZERO;

  constructor(held: Quantity) {
    this.#closable = Decimal.max(ZERO, held.neg());
    this.#sellable = Decimal.max(ZERO, held);
  }

  /**
   * The part of `quantity` that an order which waits for its condition would open or add if it were met now. It takes nothing
   * from those behind it: a stop and a target wait for the same position, and the first that is met has it.
   */
  openingIfMet(side: Side, quantity: Quantity): Quantity {
    const closes = side === 'sell' ? this.#sellable.minus(this.#soldSoFar) : this.#closable;
    return Decimal.max(ZERO, quantity.minus(Decimal.max(ZERO, closes)));
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
