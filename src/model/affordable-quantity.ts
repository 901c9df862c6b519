import type { Quantity } from './decimal.ts';

/** What an account could have paid for when an order was denied for insufficient funds. */
export interface AffordableQuantity {
  /** Maximum quantity in whole lots, in shares; zero if none. */
  readonly most: Quantity;
  /** True if the venue counted only settled cash, and unsettled cash would pay for more. */
  readonly unsettled: boolean;
}
