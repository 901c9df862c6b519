import { type OrderId, orderId } from '../../model/order.ts';
import { type Millis, SECOND_MS } from '../../model/time.ts';

/** Makes every second from 1844 to 2128 a number of ten digits. */
const SHIFT_SECONDS = 5_000_000_000;
const SEQUENCE_DIGITS = 8;
const ORDERS_MAX = 10 ** SEQUENCE_DIGITS - 1;

/** Creates a generator of order ids, ascending in the order of submission. */
export function orderIds(): (at: Millis) => OrderId {
  let sequence = 0;
  return (at) => {
    sequence += 1;
    return nthOrderId(sequence, at);
  };
}

/** Returns the id of a run's n-th order, counted from 1: 18 digits, ten of the shifted market second and eight of n. */
export function nthOrderId(sequence: number, at: Millis): OrderId {
  if (sequence > ORDERS_MAX) throw new RangeError(`Cannot take more than ${ORDERS_MAX} orders in one run`);
  const second = Math.floor(at / SECOND_MS) + SHIFT_SECONDS;
  return orderId(`${second}${String(sequence).padStart(SEQUENCE_DIGITS, '0')}`);
}
