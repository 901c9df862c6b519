import { type FillColumns, UNITS } from '../../events/curve/fill-columns.ts';
import type { ChargeSum } from '../../events/run-bounds.ts';
import type { ChargeRow } from '../../markets/charge-row.ts';
import { type ChargeSchedule, type ChargeTable, chargeTable } from '../../markets/charges.ts';
import { type Amount, add, ONE, toDecimal } from '../../model/amount.ts';
import type { Side } from '../../model/order.ts';
import type { Security } from '../../model/security.ts';
import { marketOf } from '../../model/symbol.ts';
import { bailOut } from './bail-out.ts';

/**
 * Returns the charge tables of a run's securities for one side. Bails out if a charge is not rounded, because its
 * sums are finer than units.
 */
export function chargeTables(
  schedule: ChargeSchedule,
  securities: readonly Security[],
  side: Side,
): readonly ChargeTable[] {
  if (schedule.rows.some(({ rounding }) => rounding === 'exact')) bailOut('a charge that is not rounded');
  return securities.map(({ symbol, kind }) =>
    chargeTable(schedule, { market: marketOf(symbol), kind, side }),
  );
}

/**
 * Returns the charges of a fill, in units. `notional` is price x shares in units; results above 2^53 have 16 digits.
 */
export function chargesInUnits(table: ChargeTable, at: number, quantity: number, notional: number): number {
  return Number(table.total(at, quantity * ONE, notional));
}

/** Returns the total charges of a run's fills by kind, in the order of the schedule. */
export function chargeSums(
  fills: FillColumns,
  schedule: ChargeSchedule,
  securities: readonly Security[],
): readonly ChargeSum[] {
  const buys = chargeTables(schedule, securities, 'buy');
  const sells = chargeTables(schedule, securities, 'sell');
  const sums = new Map<ChargeRow, Amount>();
  const orders = new FilledOrders(fills);
  for (let fill = 0; fill < fills.length; fill += 1) {
    const order = fills.order[fill] as number;
    // The charges of an order for all its fills are known at the last one.
    if (orders.last[order] !== fill) continue;
    const isPurchase = (fills.quantity[fill] as number) > 0;
    const table = (isPurchase ? buys : sells)[fills.security[fill] as number] as ChargeTable;
    const [shares, notional] = [orders.quantity[order] as number, orders.notional[order] as number];
    for (const { row, amount } of table.lines(fills.at[fill] as number, shares * ONE, notional))
      sums.set(row, add(sums.get(row) ?? 0, amount));
  }
  const byCode = new Map<string, ChargeSum>();
  for (const row of schedule.rows) {
    const sum = sums.get(row);
    if (sum === undefined) continue;
    const { code, name, category } = row;
    const amount = toDecimal(sum).plus(byCode.get(code)?.amount ?? 0);
    byCode.set(code, { code, name, category, amount });
  }
  return [...byCode.values()];
}

/** Executed part of each order: last fill, shares, and price x shares in units. */
class FilledOrders {
  readonly last: Int32Array;
  readonly quantity: Float64Array;
  readonly notional: Float64Array;

  constructor({ length, order, price, quantity }: FillColumns) {
    const orders = order.reduce((most, each) => Math.max(most, each + 1), 0);
    this.last = new Int32Array(orders).fill(-1);
    this.quantity = new Float64Array(orders);
    this.notional = new Float64Array(orders);
    for (let fill = 0; fill < length; fill += 1) {
      const place = order[fill] as number;
      const shares = Math.abs(quantity[fill] as number);
      this.last[place] = fill;
      this.quantity[place] = (this.quantity[place] as number) + shares;
      this.notional[place] =
        (this.notional[place] as number) + Math.round((price[fill] as number) * UNITS) * shares;
    }
  }
}
