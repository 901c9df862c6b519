import { type Decimal, ZERO } from '../../model/decimal.ts';
import type { Charge } from '../../model/order.ts';

/** What an order has been charged in total beyond what was booked with its earlier fills, by code. */
export function chargesBeyond(
  total: readonly Charge[],
  booked: ReadonlyMap<string, Decimal>,
): readonly Charge[] {
  return total
    .map((charge) => ({ ...charge, amount: charge.amount.minus(booked.get(charge.code) ?? ZERO) }))
    .filter((charge) => !charge.amount.isZero());
}
