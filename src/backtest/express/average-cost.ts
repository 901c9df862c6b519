import { Decimal } from '../../model/decimal.ts';

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

/** The same as `costAfter` in events/portfolio.ts: the first purchase's price, and from then on the mean that it grows by. */
export function averageCost(newest: Cost): number {
  if (newest.before === undefined) return newest.price;
  const unknown: Cost[] = [];
  for (let cost: Cost | undefined = newest; cost !== undefined && cost.mean === undefined; cost = cost.before)
    unknown.push(cost);
  for (const cost of unknown.reverse()) {
    const paid = new Decimal(cost.price);
    const heldBefore = new Decimal(cost.held - cost.quantity);
    cost.mean =
      cost.before?.mean === undefined
        ? paid
        : heldBefore.times(cost.before.mean).plus(paid.times(cost.quantity)).div(cost.held);
  }
  return newest.mean?.toNumber() ?? newest.price;
}
