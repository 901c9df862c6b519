import { amountOfDouble, decimalOfDouble, ONE } from '../../model/amount.ts';
import type { Decimal } from '../../model/decimal.ts';

/** A purchase, linked to the earlier ones of its position. */
export interface Cost {
  readonly before: Cost | undefined;
  readonly quantity: number;
  readonly price: number;
  /** Position after it. */
  readonly held: number;
  /** Total cost of the position, in millionths of the currency; NaN if not exact in float64. */
  readonly total: number;
  /** Computed on first access. */
  mean: Decimal | undefined;
}

/** Returns the first purchase of a position, of which only the price is used. */
export function firstCost(price: number): Cost {
  return { before: undefined, quantity: 0, price, held: 0, total: Number.NaN, mean: undefined };
}

/** Returns the cost after a corporate action, which replaces earlier purchases. */
export function costAfterAction(mean: Decimal, held: number): Cost {
  return { before: undefined, quantity: 0, price: mean.toNumber(), held, total: Number.NaN, mean };
}

/** Adds a purchase to earlier ones. */
export function costAfterPurchase(before: Cost, quantity: number, price: number, held: number): Cost {
  const heldBefore = held - quantity;
  // Only the price of the first purchase is known. A sale leaves the mean unchanged, so the total becomes unknown.
  const sum =
    before.held === 0
      ? costOf(heldBefore, before.price)
      : before.held === heldBefore
        ? before.total
        : Number.NaN;
  const total = sum + costOf(quantity, price);
  return { before, quantity, price, held, total: isExact(total) ? total : Number.NaN, mean: undefined };
}

/** Returns the cost of whole shares in millionths; NaN if not exact. */
function costOf(shares: number, price: number): number {
  const units = amountOfDouble(price);
  const cost = typeof units === 'number' ? shares * units : Number.NaN;
  return isExact(shares) && isExact(cost) ? cost : Number.NaN;
}

function isExact(value: number): boolean {
  return Number.isSafeInteger(value);
}

/** Equals `costAfter` in events/portfolio.ts: the price of the first purchase, then the mean of all. */
export function averageCost(newest: Cost): number {
  if (newest.before === undefined) return newest.price;
  const shares = newest.held * ONE;
  // The quotient of two exact numbers is the nearest double; the books' rounding at 40 digits cannot change it.
  return isExact(newest.total) && isExact(shares)
    ? newest.total / shares
    : exactAverageCost(newest).toNumber();
}

/** Returns the average cost with the digits of the full engine's books. */
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
