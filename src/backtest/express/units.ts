import { UNITS } from '../../events/curve/fill-columns.ts';
import { toAmount } from '../../model/amount.ts';
import type { Decimal } from '../../model/decimal.ts';
import { bailOut } from './bail-out.ts';

/** Largest count of units that float64 holds exactly, with all below it: 9 billion of the currency. */
export const EXACT = Number.MAX_SAFE_INTEGER;

/** A price as whole units; leaves where it has more than six places. Exact up to `EXACT`. */
export function unitsOf(price: number): number {
  const units = Math.round(price * UNITS);
  if (units / UNITS !== price) bailOut(`price ${price} has more than six places`);
  return units;
}

/** An amount as whole units; leaves where it has more than six places. Above `EXACT` it keeps 16 digits. */
export function unitsOfDecimal(amount: Decimal): number {
  const units = toAmount(amount);
  return typeof units === 'object' ? bailOut(`amount ${amount} has more than six places`) : Number(units);
}

/** What units come to in the currency, as float64. */
export function fromUnits(units: number): number {
  return units / UNITS;
}
