import type { FillModel } from '../models.ts';
import type { VenueOrder } from '../orders/venue-order.ts';
import type { OrderLifecycle } from './order-lifecycle.ts';
import type { VenueSources } from './venue-sources.ts';
import type { WaitingOrders } from './waiting-orders.ts';

/** What the processes of one venue share: its inputs, the orders that wait for prints, and what happens to orders. */
export interface VenueContext extends VenueSources {
  readonly fills: FillModel;
  readonly book: WaitingOrders;
  readonly lifecycle: OrderLifecycle;
  /** Queues an order again with its changed terms. */
  readonly rewait: (order: VenueOrder) => void;
}
