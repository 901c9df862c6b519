import { decimalOfDouble } from '../../model/amount.ts';
import type { Decimal } from '../../model/decimal.ts';

/** One purchase, as average cost remembers it. */
export interface Cost {
  readonly before: Cost | undefined;
  readonly quantity: number;
  readonly price: number;
  /** Shares held once it was booked. */
  readonly held: number;
  /** Computed on first access. */
  mean: Decimal | undefined;
}

/** The purchase that a position began with: only its price is used. */
export function firstCost(price: number): Cost {
  return { before: undefined, quantity: 0, price, held: 0, mean: undefined };
}

/** What shares cost that a corporate action changed: no purchase of before is needed any more. */
export function costOfNow(mean: Decimal, held: number): Cost {
  return { before: undefined, quantity: 0, price: mean.toNumber(), held, mean };
}

/** The same as `costAfter` in events/portfolio.ts: the first purchase's price, and from then on the mean that it grows by. */
export function averageCost(newest: Cost): number {
  return newest.before === undefined ? newest.price : exactAverageCost(newest).toNumber();
}

/** That as the books have it. */
export function exactAverageCost(newest: Cost): Decimal {
  const unknown: Cost[] = [];
  for (let cost: Cost | undefined = newest; cost !== undefined && cost.mean === undefined; cost = cost.before)
    unknown.push(cost);
  for (const cost of unknown.reverse()) {
    const paid = decimalOfDouble(cost.price);
    const heldBefore = decimalOfDouble(cost.held - cost.quantity);
    cost.mean =
      cost.before?.mean === undefined
        ? paid
        : heldBefore.times(cost.before.mean).plus(paid.times(cost.quantity)).div(cost.held);
  }
  return newest.mean ?? decimalOfDouble(newest.price);
}
