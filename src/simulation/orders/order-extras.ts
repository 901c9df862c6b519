import type { Decimal, Price } from '../../model/decimal.ts';
import type { OrderId } from '../../model/order.ts';
import type { Millis } from '../../model/time.ts';

/**
 * Properties of an order beyond its terms. The broker's wire has no fields for them: only a program that drives a
 * simulation in process can set them, and only with whole-bar matching.
 */
export interface OrderExtras {
  /**
   * Sizes the order at the fill: as many whole lots as this fraction of the available funds pays for, charges and
   * spread included, at most the quantity of the terms.
   */
  readonly fraction?: Decimal;
  /** Exits placed when the order opens a tranche: an opposite stop and limit that cancel each other. */
  readonly stopLoss?: Price;
  readonly takeProfit?: Price;
  /**
   * The order whose tranche this one closes, at most what is left of it. With a trigger it replaces the tranche's
   * stop-loss, with a limit its take-profit; a market order closes at the next open.
   */
  readonly closes?: OrderId;
  /**
   * The entry of a bracket. This order waits until the entry has filled and matches bars from the next on. When one
   * child ends, the others are cancelled; when the entry ends unfilled, all are.
   */
  readonly parent?: OrderId;
  /** Initial level of a trailing stop, instead of its distance from the last close; it then follows every close. */
  readonly firstStop?: Price;
  /** Stamp of the last bar that the order may match; ignored by market orders. */
  readonly lastBar?: Millis;
}

export const NO_EXTRAS: OrderExtras = {};

export function hasExtras(extras: OrderExtras): boolean {
  return Object.values(extras).some((value) => value !== undefined);
}
