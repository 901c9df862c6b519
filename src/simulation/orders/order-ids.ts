import { type OrderId, orderId } from '../../model/order.ts';
import { type Millis, SECOND_MS } from '../../model/time.ts';

/** Shifts every second since 1813 to a number of ten digits. */
const SHIFT_SECONDS = 5_000_000_000;
const SEQUENCE_DIGITS = 8;
const ORDERS_MAX = 10 ** SEQUENCE_DIGITS - 1;

/** Mints order ids, in the order in which orders are sent. */
export function orderIds(): (at: Millis) => OrderId {
  let sequence = 0;
  return (at) => {
    sequence += 1;
    return nthOrderId(sequence, at);
  };
}

/** The id of the n-th order of a run, from 1: 18 digits, ten from the market's second, eight from that number. */
export function nthOrderId(sequence: number, at: Millis): OrderId {
  if (sequence > ORDERS_MAX) throw new RangeError(`Cannot take more than ${ORDERS_MAX} orders in one run`);
  const second = Math.floor(at / SECOND_MS) + SHIFT_SECONDS;
  return orderId(`${second}${String(sequence).padStart(SEQUENCE_DIGITS, '0')}`);
}
