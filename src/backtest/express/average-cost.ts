import { amountOfDouble, decimalOfDouble, ONE } from '../../model/amount.ts';
import type { Decimal } from '../../model/decimal.ts';

/** One purchase, as average cost remembers it. */
export interface Cost {
  readonly before: Cost | undefined;
  readonly quantity: number;
  readonly price: number;
  /** Shares held once it was booked. */
  readonly held: number;
  /** What all of them cost, in millionths of the currency; NaN where a double does not have it exactly. */
  readonly total: number;
  /** Computed on first access. */
  mean: Decimal | undefined;
}

/** The purchase that a position began with: only its price is used. */
export function firstCost(price: number): Cost {
  return { before: undefined, quantity: 0, price, held: 0, total: Number.NaN, mean: undefined };
}

/** What shares cost that a corporate action changed: no purchase of before is needed any more. */
export function costOfNow(mean: Decimal, held: number): Cost {
  return { before: undefined, quantity: 0, price: mean.toNumber(), held, total: Number.NaN, mean };
}

/** A purchase on top of others. */
export function costAfterwards(before: Cost, quantity: number, price: number, held: number): Cost {
  const heldBefore = held - quantity;
  // Nothing is held of the first purchase but its price. After a sale the mean stays, and the sum is no longer known.
  const sum =
    before.held === 0
      ? costOf(heldBefore, before.price)
      : before.held === heldBefore
        ? before.total
        : Number.NaN;
  const total = sum + costOf(quantity, price);
  return { before, quantity, price, held, total: isExact(total) ? total : Number.NaN, mean: undefined };
}

/** Whole shares at a price, in millionths; NaN where that is not exact. */
function costOf(shares: number, price: number): number {
  const units = amountOfDouble(price);
  const cost = typeof units === 'number' ? shares * units : Number.NaN;
  return isExact(shares) && isExact(cost) ? cost : Number.NaN;
}

function isExact(value: number): boolean {
  return Number.isSafeInteger(value);
}

/** The same as `costAfter` in events/portfolio.ts: the first purchase's price, and from then on the mean that it grows by. */
export function averageCost(newest: Cost): number {
  if (newest.before === undefined) return newest.price;
  const shares = newest.held * ONE;
  // Of two exact numbers one division gives the nearest double. The books round at 40 digits, too far behind the point to change it.
  return isExact(newest.total) && isExact(shares)
    ? newest.total / shares
    : exactAverageCost(newest).toNumber();
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
