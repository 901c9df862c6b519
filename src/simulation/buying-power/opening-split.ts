import { type Amount, add, max, min, negate, subtract } from '../../model/amount.ts';
import type { Side } from '../../model/order.ts';

/** Splits open orders of one symbol into closing and opening quantities; the oldest orders close first. */
export class OpeningSplit {
  /** The short position, and the part of it that no earlier order buys back. */
  readonly #shortQuantity: Amount;
  #closable: Amount;
  readonly #sellable: Amount;
  #allocatedToSells: Amount = 0;

  constructor(held: Amount) {
    this.#shortQuantity = max(0, negate(held));
    this.#closable = this.#shortQuantity;
    this.#sellable = max(0, held);
  }

  /**
   * Returns the part of `quantity` that an untriggered order would open if it triggered before all other orders. It
   * commits nothing: a stop and a target share one position, and the first to trigger closes it.
   */
  openingIfTriggered(side: Side, quantity: Amount): Amount {
    return max(0, subtract(quantity, side === 'sell' ? this.#sellable : this.#shortQuantity));
  }

  /** Returns the part of `quantity` that opens or adds to a position after the orders before it. */
  opening(side: Side, quantity: Amount): Amount {
    if (side === 'sell') {
      const free = max(0, subtract(this.#sellable, this.#allocatedToSells));
      this.#allocatedToSells = add(this.#allocatedToSells, quantity);
      return max(0, subtract(quantity, free));
    }
    const closes = min(this.#closable, quantity);
    this.#closable = subtract(this.#closable, closes);
    return subtract(quantity, closes);
  }
}
