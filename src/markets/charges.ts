import { Decimal, type Quantity, ZERO } from '../model/decimal.ts';
import type { Currency } from '../model/money.ts';
import type { Charge, Side } from '../model/order.ts';
import type { SecurityKind } from '../model/security.ts';
import type { Market } from '../model/symbol.ts';
import type { CalendarDay } from '../model/time.ts';
import type { ChargeRounding, ChargeRow } from './charge-row.ts';

/** All that is charged on orders: the authorities' dated rows and the broker's own. */
export interface ChargeSchedule {
  readonly name: string;
  readonly rows: readonly ChargeRow[];
}

/** What one order executed on one trading day, in total so far. */
export interface ChargedOrder {
  readonly market: Market;
  readonly kind: SecurityKind;
  readonly side: Side;
  readonly day: CalendarDay;
  readonly executedQuantity: Quantity;
  /** Sum of price x quantity over the day's executions, in `currency`. */
  readonly notional: Decimal;
  readonly currency: Currency;
}

/**
 * All charges of one order on one trading day, given its executions of that day in total: charges are per order per
 * trading day, so a later partial fill owes the difference (`chargesBeyond`). Lines come in the schedule's order,
 * lines of nothing are left out, nothing executed costs nothing.
 * @see docs/charges.md
 */
export function chargesOf(order: ChargedOrder, schedule: ChargeSchedule): readonly Charge[] {
  if (order.executedQuantity.lte(0)) return [];
  const charges: Charge[] = [];
  for (const row of schedule.rows) {
    if (!appliesTo(row, order)) continue;
    const amount = amountOf(row, order);
    if (amount.isZero()) continue;
    charges.push({
      code: row.code,
      name: row.name,
      category: row.category,
      amount,
      currency: order.currency,
    });
  }
  return charges;
}

/** The sum of charges of one currency; zero for none. */
export function totalOf(charges: readonly Charge[]): Decimal {
  return charges.reduce((sum, charge) => sum.plus(charge.amount), ZERO);
}

/** What `after` charges beyond `before`, line by line (by code); lines that did not change are left out. */
export function chargesBeyond(after: readonly Charge[], before: readonly Charge[]): readonly Charge[] {
  return after.flatMap((charge) => {
    const paid = totalOf(
      before.filter((line) => line.code === charge.code && line.currency === charge.currency),
    );
    const amount = charge.amount.minus(paid);
    return amount.isZero() ? [] : [{ ...charge, amount }];
  });
}

/** Whether a row is charged on orders of that market, side, day and kind of security. */
export function appliesTo(
  row: ChargeRow,
  order: Pick<ChargedOrder, 'market' | 'side' | 'day' | 'kind'>,
): boolean {
  if (row.market !== undefined && row.market !== order.market) return false;
  if (row.side !== undefined && row.side !== order.side) return false;
  if (row.from !== undefined && order.day < row.from) return false;
  if (row.until !== undefined && order.day > row.until) return false;
  return !(row.exempt?.includes(order.kind) ?? false);
}

function amountOf(row: ChargeRow, order: ChargedOrder): Decimal {
  const plain = plainAmount(row, order);
  if (plain.isZero()) return ZERO;
  let amount = plain;
  if (row.maximum !== undefined) amount = Decimal.min(amount, row.maximum);
  const cap = row.maximumRatio === undefined ? undefined : order.notional.times(row.maximumRatio);
  if (cap !== undefined) amount = Decimal.min(amount, cap);
  if (row.minimum !== undefined) amount = Decimal.max(amount, row.minimum);
  if (cap !== undefined && row.capPrevails === true) amount = Decimal.min(amount, cap);
  return rounded(amount, row.rounding);
}

function plainAmount(row: ChargeRow, order: ChargedOrder): Decimal {
  switch (row.basis.kind) {
    case 'percent':
      return order.notional.times(row.basis.rate);
    case 'per-share':
      return order.executedQuantity.times(row.basis.perShare);
    case 'per-order':
      return row.basis.amount;
  }
}

function rounded(amount: Decimal, rounding: ChargeRounding): Decimal {
  switch (rounding) {
    case 'cent':
      return amount.toDecimalPlaces(2, Decimal.ROUND_HALF_UP);
    case 'whole-up':
      return amount.toDecimalPlaces(0, Decimal.ROUND_UP);
    case 'exact':
      return amount;
  }
}
