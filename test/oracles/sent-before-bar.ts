import type { BarColumns } from '#src/model/bar.ts';
import type { Oracle, OracleFill } from './oracle-file.ts';

/**
 * An oracle whose orders name the bar before whose open they were sent, changed so that each was sent at the end of
 * the previous bar; any other is unchanged. Fills show which it is: an order sent at the end of a bar fills in a
 * later one, or, at the market, at its close. Throws RangeError for an order sent before the first bar.
 */
export function sentAfterBars(oracle: Oracle, bars: readonly BarColumns[]): Oracle {
  if (!isSentBeforeBars(oracle, bars)) return oracle;
  const early = oracle.orders.find(({ bar }) => bar === 0);
  if (early !== undefined)
    throw new RangeError(
      `Cannot replay "${oracle.id}", order ${early.id} was sent before the open of the first bar, which nothing here can be`,
    );
  return { ...oracle, orders: oracle.orders.map((order) => ({ ...order, bar: order.bar - 1 })) };
}

/** True if orders of the strategy fill in the bar in which they were sent, nearer to its open than to its close. */
function isSentBeforeBars({ orders, fills }: Oracle, bars: readonly BarColumns[]): boolean {
  const last = (bars[0]?.length ?? 0) - 1;
  const sent = new Map(orders.filter(({ by }) => by !== 'engine').map((order) => [order.id, order]));
  const atOnce = fills.filter(
    ({ order, bar }) => order !== null && bar !== last && sent.get(order)?.bar === bar,
  );
  const atMarket = atOnce.filter(({ order }) => sent.get(order ?? Number.NaN)?.type === 'market');
  if (atMarket.length === 0) return atOnce.length > 0;
  const away = (from: 'open' | 'close'): number =>
    atMarket.reduce((sum, fill) => sum + Math.abs(fill.price - priceOf(from, fill, bars)), 0);
  return away('open') < away('close');
}

function priceOf(from: 'open' | 'close', { code, bar }: OracleFill, bars: readonly BarColumns[]): number {
  const columns = bars.find(({ symbol }) => symbol === code) ?? bars[0];
  return columns?.[from][bar] ?? Number.NaN;
}
