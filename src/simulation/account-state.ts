import type { OrderId, Side } from '../model/order.ts';
import type { SecuritySymbol } from '../model/symbol.ts';
import type { Millis } from '../model/time.ts';
import type { AccountBooks } from './books/account-books.ts';
import type { FundingContext } from './buying-power/funds-check.ts';
import type { VenueOrder } from './orders/venue-order.ts';

/** Everything the venue keeps about one account. */
export interface AccountState {
  readonly id: string;
  /** True once the venue has closed the account out for good: it takes no more orders. */
  closed: boolean;
  readonly books: AccountBooks;
  readonly funding: FundingContext;
  /** All orders ever taken, oldest first. */
  readonly orders: Map<OrderId, VenueOrder>;
  /** Those that were today's when last asked; what falls out never comes back. */
  recent: VenueOrder[];
  /** Those that may still execute, oldest first. */
  readonly open: Set<VenueOrder>;
  /** The latest fill of each symbol, and of all of them. */
  readonly lastFills: Map<SecuritySymbol, { readonly side: Side; readonly at: Millis }>;
  filledAt: Millis | undefined;
}
