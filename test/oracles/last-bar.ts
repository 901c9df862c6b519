import { barClose } from '#src/markets/bar-span.ts';
import type { BarColumns } from '#src/model/bar.ts';
import { barColumns } from '#src/model/bar-columns.ts';
import { marketOf } from '#src/model/symbol.ts';
import { millis } from '#src/model/time.ts';
import { engineOf } from './engines.ts';
import type { Oracle, OracleOrder } from './oracle-file.ts';

/**
 * True if orders of the last bar are matched against that bar: a program configured to leave no trade open sends
 * closing orders after it and processes the same bar again, so they fill at its open.
 */
export function isMetAgain(oracle: Oracle): boolean {
  const filled = new Set(
    oracle.fills.filter(({ bar }) => bar === lastBarOf(oracle)).map(({ order }) => order),
  );
  return (
    engineOf(oracle) === 'backtesting.py' &&
    oracle.orders.some((order) => closesAtEnd(order, oracle) && filled.has(order.id))
  );
}

/** True for a market order of the last bar that closes a trade, regardless of its stated sender. */
export function closesAtEnd({ bar, type, closes_trade }: OracleOrder, oracle: Oracle): boolean {
  return bar === lastBarOf(oracle) && type === 'market' && closes_trade != null;
}

function lastBarOf({ data }: Oracle): number {
  return (data[0]?.rows ?? Number.POSITIVE_INFINITY) - 1;
}

/** Bars, with the last one repeated as the next bar. */
export function onceMore(bars: BarColumns): BarColumns {
  const last = bars.length - 1;
  const next = barClose(marketOf(bars.symbol), bars.period, millis(bars.time[last] ?? 0));
  return barColumns(bars, (figure) =>
    Float64Array.from([...bars[figure], figure === 'time' ? next : (bars[figure][last] ?? Number.NaN)]),
  );
}
