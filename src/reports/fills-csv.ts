import type { RunRecord } from '../events/run-record.ts';

const HEADER = 'time,symbol,side,quantity,price,currency,fee,order_id';

/**
 * Formats every fill of a run as CSV, in the order of booking: times in UTC, prices and fees in `currency`. Fills of
 * a forced close-out are included; dividends and splits are not fills.
 */
export function fillsCsv(record: RunRecord): string {
  const rows = record.fills.map(({ time, symbol, side, quantity, price, currency, fee, orderId }) =>
    [new Date(time).toISOString(), symbol, side, quantity, price, currency, fee, orderId].join(','),
  );
  return `${[HEADER, ...rows].join('\n')}\n`;
}
