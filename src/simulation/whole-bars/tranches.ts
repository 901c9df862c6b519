import { Decimal, type Quantity, ZERO } from '../../model/decimal.ts';
import type { OrderId, Side } from '../../model/order.ts';
import type { VenueOrder } from '../orders/venue-order.ts';

/** What one order opened of a symbol and nobody has closed yet. */
export interface Tranche {
  readonly entry: OrderId;
  readonly side: Side;
  left: Quantity;
  stopLoss: VenueOrder | undefined;
  takeProfit: VenueOrder | undefined;
}

/** A part of an order's quantity, and the tranche that it closes. */
export interface Closing {
  readonly tranche: Tranche;
  readonly quantity: Quantity;
}

/** The open tranches of one account in one symbol, oldest first; unless they are hedged all lie on one side. */
export class Tranches {
  #open: Tranche[] = [];

  of(entry: OrderId): Tranche | undefined {
    return this.#open.find((tranche) => tranche.entry === entry);
  }

  /** Adds to what an order opened. */
  open(entry: OrderId, side: Side, quantity: Quantity): Tranche {
    const known = this.of(entry);
    if (known !== undefined) {
      known.left = known.left.plus(quantity);
      return known;
    }
    const tranche: Tranche = { entry, side, left: quantity, stopLoss: undefined, takeProfit: undefined };
    this.#open.push(tranche);
    return tranche;
  }

  /** Everything that is open, oldest first. */
  all(): readonly Tranche[] {
    return this.#open;
  }

  /** Shares of all tranches, long and short alike. */
  gross(): Quantity {
    return this.#open.reduce((sum, { left }) => sum.plus(left), ZERO);
  }

  /** Which tranches an order of that side and quantity would close, the oldest first. */
  closedBy(side: Side, quantity: Quantity): readonly Closing[] {
    const closings: Closing[] = [];
    let rest = quantity;
    for (const tranche of this.#open) {
      if (tranche.side === side || rest.isZero()) continue;
      const closing = { tranche, quantity: Decimal.min(rest, tranche.left) };
      closings.push(closing);
      rest = rest.minus(closing.quantity);
    }
    return closings;
  }

  /** Takes what was closed off a tranche. */
  close({ tranche, quantity }: Closing): void {
    tranche.left = tranche.left.minus(quantity);
    if (tranche.left.lt(0)) throw new Error(`Closed ${tranche.left.neg()} more than was left`);
    if (tranche.left.isZero()) this.#open = this.#open.filter((open) => open !== tranche);
  }

  /** Follows a split: what is left counts in new shares, the fractions were paid out from the oldest on. */
  split(ratio: Decimal, held: Quantity): readonly Tranche[] {
    let excess = ZERO;
    for (const tranche of this.#open) {
      tranche.left = tranche.left.times(ratio);
      excess = tranche.side === 'buy' ? excess.plus(tranche.left) : excess.minus(tranche.left);
    }
    excess = excess.minus(held);
    for (const closing of this.closedBy(excess.isNegative() ? 'buy' : 'sell', excess.abs())) {
      this.close(closing);
    }
    return this.#open;
  }
}
