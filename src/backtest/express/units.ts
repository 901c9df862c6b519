import { UNITS } from '../../events/curve/fill-columns.ts';
import { toAmount } from '../../model/amount.ts';
import type { Decimal } from '../../model/decimal.ts';
import { bailOut } from './bail-out.ts';

/** Largest count of units that float64 represents exactly: 9 billion of the currency. */
export const EXACT = Number.MAX_SAFE_INTEGER;

/** Returns a price in whole units, exact up to `EXACT`; bails out if it has more than six decimal places. */
export function unitsOf(price: number): number {
  const units = Math.round(price * UNITS);
  if (units / UNITS !== price) bailOut(`price ${price} has more than six places`);
  return units;
}

/**
 * Returns an amount in whole units, with 16 digits above `EXACT`; bails out if it has more than six decimal places.
 */
export function unitsOfDecimal(amount: Decimal): number {
  const units = toAmount(amount);
  return typeof units === 'object' ? bailOut(`amount ${amount} has more than six places`) : Number(units);
}

/** Converts units to the currency, as float64. */
export function fromUnits(units: number): number {
  return units / UNITS;
}
