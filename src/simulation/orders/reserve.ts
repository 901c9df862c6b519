import { type Decimal, ZERO } from '../../model/decimal.ts';

/** What an open order keeps from being spent twice, in the security's currency. */
export interface Reserve {
  /** Rest of the order at the price it is reserved at. */
  readonly notional: Decimal;
  /** Charges still to come; buys only, a sale pays them out of its proceeds. */
  readonly fees: Decimal;
}

/** Nothing kept. */
export const NO_RESERVE: Reserve = { notional: ZERO, fees: ZERO };
