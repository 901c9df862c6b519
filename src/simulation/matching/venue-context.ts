import type { OrderId } from '../../model/order.ts';
import type { Security } from '../../model/security.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import type { Millis } from '../../model/time.ts';
import type { AccountState } from '../account-state.ts';
import type { BidAsk } from '../market/bid-ask.ts';
import type { MarketReplay } from '../market/market-replay.ts';
import type { FillModel } from '../models.ts';
import type { VenueOrder } from '../orders/venue-order.ts';
import type { SimulationModels } from '../simulation-options.ts';
import type { OrderLifecycle } from './order-lifecycle.ts';
import type { BookModel } from './quoted-book.ts';
import type { WaitingOrders } from './waiting-orders.ts';

export interface VenueSources {
  readonly replay: MarketReplay;
  readonly models: SimulationModels;
  readonly bidAsk: BidAsk;
  readonly everyPrint: boolean;
  readonly accounts: ReadonlyMap<string, AccountState>;
  readonly securities: ReadonlyMap<SecuritySymbol, Security>;
  readonly nextOrderId: (at: Millis) => OrderId;
  /** How long transitional statuses are reported; not at all if absent. */
  readonly inBetweenMs?: number | undefined;
  readonly quotedBook?: BookModel | undefined;
}

/** Shared by the processes of one venue: its inputs, the orders that wait for prints, and the order lifecycle. */
export interface VenueContext extends VenueSources {
  readonly fills: FillModel;
  readonly book: WaitingOrders;
  readonly lifecycle: OrderLifecycle;
  /** Queues an order again after its terms changed. */
  readonly requeue: (order: VenueOrder) => void;
}
