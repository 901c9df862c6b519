import type { Quantity } from './decimal.ts';

/** What an account could have paid for when an order was denied for want of money. */
export interface AffordableQuantity {
  /** Whole lots that the order could have been for, in shares; zero where there is none. */
  readonly most: Quantity;
  /** True when the venue let settled cash alone count, and other cash of the account would pay for more. */
  readonly unsettled: boolean;
}
