import type { Amount } from '../../model/amount.ts';

/** What an open order keeps from being spent twice, in the security's currency. */
export interface Reserve {
  /** Rest of the order at the price it is reserved at. */
  readonly notional: Amount;
  /** Charges still to come; buys only, a sale pays them out of its proceeds. */
  readonly fees: Amount;
}

/** Nothing kept. */
export const NO_RESERVE: Reserve = { notional: 0, fees: 0 };
