import {
  type Amount,
  absolute,
  add,
  formatAmount,
  isNegative,
  min,
  multiply,
  negate,
  subtract,
  toAmount,
} from '../../model/amount.ts';
import type { Decimal } from '../../model/decimal.ts';
import type { OrderId, Side } from '../../model/order.ts';
import type { VenueOrder } from '../orders/venue-order.ts';

export interface Tranche {
  readonly entry: OrderId;
  readonly side: Side;
  left: Amount;
  stopLoss: VenueOrder | undefined;
  takeProfit: VenueOrder | undefined;
}

export interface Closing {
  readonly tranche: Tranche;
  readonly quantity: Amount;
}

/** The open tranches of one account in one symbol, oldest first; all on one side unless hedged. */
export class Tranches {
  #open: Tranche[] = [];

  of(entry: OrderId): Tranche | undefined {
    return this.#open.find((tranche) => tranche.entry === entry);
  }

  open(entry: OrderId, side: Side, quantity: Amount): Tranche {
    const known = this.of(entry);
    if (known !== undefined) {
      known.left = add(known.left, quantity);
      return known;
    }
    const tranche: Tranche = { entry, side, left: quantity, stopLoss: undefined, takeProfit: undefined };
    this.#open.push(tranche);
    return tranche;
  }

  all(): readonly Tranche[] {
    return this.#open;
  }

  /** Returns the shares of all tranches, long plus short. */
  gross(): Amount {
    return this.#open.reduce<Amount>((sum, { left }) => add(sum, left), 0);
  }

  /** Returns the tranches that an order of this side and quantity would close, oldest first. */
  closedBy(side: Side, quantity: Amount): readonly Closing[] {
    const closings: Closing[] = [];
    let rest = quantity;
    for (const tranche of this.#open) {
      if (tranche.side === side || rest === 0) continue;
      const closing = { tranche, quantity: min(rest, tranche.left) };
      closings.push(closing);
      rest = subtract(rest, closing.quantity);
    }
    return closings;
  }

  close({ tranche, quantity }: Closing): void {
    tranche.left = subtract(tranche.left, quantity);
    if (isNegative(tranche.left))
      throw new Error(`Closed ${formatAmount(negate(tranche.left))} more than was left`);
    if (tranche.left === 0) this.#open = this.#open.filter((open) => open !== tranche);
  }

  /**
   * Converts the tranches to new shares after a split. Fractions were paid out, so the oldest tranches lose them.
   * `held` is the signed position after the split.
   */
  split(ratio: Decimal, held: Amount): readonly Tranche[] {
    const factor = toAmount(ratio);
    let excess: Amount = 0;
    for (const tranche of this.#open) {
      tranche.left = multiply(tranche.left, factor, 'exact');
      excess = tranche.side === 'buy' ? add(excess, tranche.left) : subtract(excess, tranche.left);
    }
    excess = subtract(excess, held);
    for (const closing of this.closedBy(isNegative(excess) ? 'buy' : 'sell', absolute(excess))) {
      this.close(closing);
    }
    return this.#open;
  }
}
