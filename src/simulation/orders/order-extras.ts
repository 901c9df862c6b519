import type { Decimal, Price } from '../../model/decimal.ts';
import type { OrderId } from '../../model/order.ts';
import type { Millis } from '../../model/time.ts';

/**
 * What may belong to an order beyond its terms. The broker's wire has no fields for it, so only a program that drives a simulation
 * in process can set it, and only where orders meet whole bars.
 */
export interface OrderExtras {
  /**
   * Buys or sells as many whole lots as this share of what the account has available pays for, charges and spread
   * included, reckoned when the order fills; the quantity of the terms is then the most.
   */
  readonly fraction?: Decimal;
  /** Exits that begin to wait when the order opens a tranche: a stop and a limit on the other side, one cancels the other. */
  readonly stopLoss?: Price;
  readonly takeProfit?: Price;
  /**
   * The order whose tranche this one closes, never more than is left of it. With a trigger it takes the place of that
   * tranche's stop-loss, with a limit that of its take-profit; at the market it closes at the next open.
   */
  readonly closes?: OrderId;
  /**
   * The entry of a bracket: this order waits until that one has filled and meets bars from the next on. When one child
   * ends, so do the others; when the entry ends unfilled, so do all.
   */
  readonly parent?: OrderId;
  /** Where a trailing stop begins, in place of its distance from the last close; it follows every close from there on. */
  readonly firstStop?: Price;
  /** Stamp of the last bar that the order may meet; a market order does not heed it. */
  readonly lastBar?: Millis;
}

/** Nothing beyond the terms. */
export const NO_EXTRAS: OrderExtras = {};

/** True when the order is more than its terms. */
export function hasExtras(extras: OrderExtras): boolean {
  return Object.values(extras).some((value) => value !== undefined);
}
