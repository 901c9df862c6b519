import { type Amount, amountOfDouble, remainder, subtract, toAmount } from '../model/amount.ts';
import { Decimal, type Quantity } from '../model/decimal.ts';
import type { OrderType } from '../model/order.ts';
import { type Market, marketOf, type SecuritySymbol } from '../model/symbol.ts';
import { marketRecord } from './market-records.ts';

/** Returns the default shares per lot; 1 for a market without a record. */
export function defaultLotSize(market: Market): number {
  return marketRecord(market)?.lots.size ?? 1;
}

/** True for a whole number of lots, zero included. */
export function isWholeLots(quantity: Quantity, lotSize: number): boolean {
  return lotSize > 0 && quantity.isFinite() && remainder(toAmount(quantity), amountOfDouble(lotSize)) === 0;
}

/** Rounds to whole lots towards zero: 250 shares become 200 with lots of 100. */
export function roundToLot(quantity: Quantity, lotSize: number): Quantity {
  return quantity.div(lotSize).toDecimalPlaces(0, Decimal.ROUND_DOWN).times(lotSize);
}

/** Like `roundToLot`, for amounts. */
export function toWholeLots(quantity: Amount, lotSize: number): Amount {
  return subtract(quantity, remainder(quantity, amountOfDouble(lotSize)));
}

/**
 * Returns the problem of an order's quantity; undefined if there is none. Orders are whole lots; odd-lot orders are
 * whole shares below one lot.
 * @see docs/venue.md, "The market"
 */
export function lotProblem(order: {
  readonly type: OrderType;
  readonly quantity: Quantity;
  readonly lotSize: number;
}): string | undefined {
  const { type, quantity, lotSize } = order;
  if (quantity.lte(0)) return `Quantity is ${quantity}, want more than 0`;
  if (type === 'ODD') {
    const odd = quantity.isInteger() && quantity.lt(lotSize);
    return odd
      ? undefined
      : `Quantity is ${quantity}, an odd-lot order wants whole shares below the lot of ${lotSize}`;
  }
  if (isWholeLots(quantity, lotSize)) return undefined;
  return `Quantity is ${quantity}, want a multiple of the lot of ${lotSize}`;
}

/** Returns a message that shares below a lot are kept, and which order type sells them, if the market has one. */
export function oddLotText({
  symbol,
  quantity,
  lotSize,
}: {
  readonly symbol: SecuritySymbol;
  /** Signed: negative if short. */
  readonly quantity: Quantity;
  readonly lotSize: number;
}): string {
  const oddText = `${quantity.abs()} of "${symbol}" are below its lot of ${lotSize} and are kept`;
  return marketRecord(marketOf(symbol))?.lots.hasOddLotMarket === true
    ? `${oddText}: an order of type ODD, with a limit, trades them in the market for odd lots`
    : `${oddText}: no type of order trades them`;
}
