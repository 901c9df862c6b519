import type { RunRecord } from '../events/run-record.ts';

const HEADER = 'time,symbol,side,quantity,price,currency,fee,order_id';

/**
 * Every fill of a run as CSV, in the order in which they entered the books: instants in UTC, prices and fees in `currency`. What a
 * close-out traded is among them; dividends and splits are not fills.
 */
export function fillsCsv(record: RunRecord): string {
  const rows = record.fills.map(({ time, symbol, side, quantity, price, currency, fee, orderId }) =>
    [new Date(time).toISOString(), symbol, side, quantity, price, currency, fee, orderId].join(','),
  );
  return `${[HEADER, ...rows].join('\n')}\n`;
}
