import type { OrderId } from '#src/model/order.ts';
import type { SimulatedAccount } from '#src/simulation/simulation.ts';
import { bars } from './world.ts';

/** Friday 8 and Monday 11 March 2024 in New York (daylight saving time began on the 10th), as daily bars. */
export const DAYS = bars('AAPL.US', '1d', [
  ['2024-03-07T00:00:00-05:00', 100, 101, 98, 100],
  ['2024-03-08T00:00:00-05:00', 100, 102, 97, 101],
  ['2024-03-11T00:00:00-04:00', 103, 105, 102, 104],
]);

/** Statuses of an order, newest first. */
export const statuses = (account: SimulatedAccount, id: OrderId) =>
  account.history(id).map(({ status }) => status);
