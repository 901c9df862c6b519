import type { Decimal, Price, Quantity } from './decimal.ts';
import type { Currency } from './money.ts';
import type { Charge, ExecutionId, IntentId, OrderId, Side } from './order.ts';
import type { SecuritySymbol } from './symbol.ts';
import type { Millis } from './time.ts';

/** One execution of our order, with the charges that it added. */
export interface Fill {
  readonly executionId: ExecutionId;
  readonly orderId: OrderId;
  readonly intentId: IntentId;
  readonly symbol: SecuritySymbol;
  readonly side: Side;
  readonly quantity: Quantity;
  readonly price: Price;
  readonly currency: Currency;
  /** Sum of `charges`. */
  readonly fee: Decimal;
  readonly charges: readonly Charge[];
  /** The venue's stamp, in whole seconds. */
  readonly time: Millis;
  /** Maximum error of price times quantity; exact if absent. See `Execution`. */
  readonly rounding?: Decimal;
}

/** A fill as booked, from an order of any sender. */
export type BookedFill = Omit<Fill, 'intentId'>;
