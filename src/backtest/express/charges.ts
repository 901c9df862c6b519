import { type FillColumns, UNITS } from '../../events/curve/fill-columns.ts';
import type { ChargeSum } from '../../events/run-bounds.ts';
import type { ChargeRow } from '../../markets/charge-row.ts';
import { type ChargeSchedule, type ChargeTable, chargeTable } from '../../markets/charges.ts';
import { type Amount, add, ONE, toDecimal } from '../../model/amount.ts';
import type { Side } from '../../model/order.ts';
import type { Security } from '../../model/security.ts';
import { marketOf } from '../../model/symbol.ts';
import { bailOut } from './bail-out.ts';

/** The tables of a run's securities for one side. Leaves where a charge is not rounded: its sums are finer than whole units. */
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

/** What a fill by itself is charged, in units: whole shares, and price x shares in units. Beyond 2^53 it has 16 digits. */
export function charged(table: ChargeTable, at: number, quantity: number, notional: number): number {
  return Number(table.total(at, quantity * ONE, notional));
}

/** What all fills of a run were charged, by kind, in the order of the schedule. */
export function chargeSums(
  fills: FillColumns,
  schedule: ChargeSchedule,
  securities: readonly Security[],
): readonly ChargeSum[] {
  const buys = chargeTables(schedule, securities, 'buy');
  const sells = chargeTables(schedule, securities, 'sell');
  const sums = new Map<ChargeRow, Amount>();
  for (let fill = 0; fill < fills.length; fill += 1) {
    const signed = fills.quantity[fill] as number;
    const quantity = Math.abs(signed);
    const notional = Math.round((fills.price[fill] as number) * UNITS) * quantity;
    const table = (signed > 0 ? buys : sells)[fills.security[fill] as number] as ChargeTable;
    for (const { row, amount } of table.lines(fills.at[fill] as number, quantity * ONE, notional))
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
