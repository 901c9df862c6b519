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

/** What a venue is made with. */
export interface VenueSources {
  readonly replay: MarketReplay;
  readonly models: SimulationModels;
  readonly bidAsk: BidAsk;
  /** True when every print is a separate step. */
  readonly everyPrint: boolean;
  readonly accounts: ReadonlyMap<string, AccountState>;
  readonly securities: ReadonlyMap<SecuritySymbol, Security>;
  readonly nextOrderId: (at: Millis) => OrderId;
  /** How long statuses on the way to others are shown; not at all when absent. */
  readonly inBetweenMs?: number | undefined;
  readonly quotedBook?: BookModel | undefined;
}

/** What the processes of one venue share: its inputs, the orders that wait for prints, and what happens to orders. */
export interface VenueContext extends VenueSources {
  readonly fills: FillModel;
  readonly book: WaitingOrders;
  readonly lifecycle: OrderLifecycle;
  /** Queues an order again with its changed terms. */
  readonly rewait: (order: VenueOrder) => void;
}
