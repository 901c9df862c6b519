import type { OrderId, Side } from '../model/order.ts';
import type { SecuritySymbol } from '../model/symbol.ts';
import type { Millis } from '../model/time.ts';
import type { AccountBooks } from './books/account-books.ts';
import type { FundingContext } from './buying-power/funds-check.ts';
import type { VenueOrder } from './orders/venue-order.ts';

export interface AccountState {
  readonly id: string;
  /** True after the venue closed out the account for good; it accepts no more orders. */
  closed: boolean;
  readonly books: AccountBooks;
  readonly funding: FundingContext;
  /** All orders ever accepted, oldest first. */
  readonly orders: Map<OrderId, VenueOrder>;
  /** Orders of today as of the last listing. An order that drops out never returns. */
  recent: VenueOrder[];
  /** Orders that may still execute, oldest first. */
  readonly open: Set<VenueOrder>;
  /** The latest fill of each symbol; `filledAt` is the time of the latest fill of any symbol. */
  readonly lastFills: Map<SecuritySymbol, { readonly side: Side; readonly at: Millis }>;
  filledAt: Millis | undefined;
}
