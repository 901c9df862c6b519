import { type Amount, amountOfDouble, remainder, subtract, toAmount } from '../model/amount.ts';
import { Decimal, type Quantity } from '../model/decimal.ts';
import type { OrderType } from '../model/order.ts';
import { type Market, marketOf, type SecuritySymbol } from '../model/symbol.ts';
import { marketRecord } from './market-records.ts';

/** Default number of shares per lot; 1 for a market without a record. */
export function defaultLotSize(market: Market): number {
  return marketRecord(market)?.lots.size ?? 1;
}

/** True when a quantity is a whole number of lots; zero is. */
export function isWholeLots(quantity: Quantity, lotSize: number): boolean {
  return lotSize > 0 && quantity.isFinite() && remainder(toAmount(quantity), amountOfDouble(lotSize)) === 0;
}

/** The whole lots in a quantity, towards zero: 250 shares are 200 where a lot is 100. */
export function roundToLot(quantity: Quantity, lotSize: number): Quantity {
  return quantity.div(lotSize).toDecimalPlaces(0, Decimal.ROUND_DOWN).times(lotSize);
}

/** The same of an amount. */
export function toWholeLots(quantity: Amount, lotSize: number): Amount {
  return subtract(quantity, remainder(quantity, amountOfDouble(lotSize)));
}

/**
 * Returns what is wrong with the quantity of an order, in plain words; undefined when nothing is. Orders are whole lots,
 * except odd-lot orders, which are whole shares below one lot.
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

/** Text that shares below a lot are kept, and which order sells them, where the market has one. */
export function oddLotText({
  symbol,
  quantity,
  lotSize,
}: {
  readonly symbol: SecuritySymbol;
  /** Signed where short. */
  readonly quantity: Quantity;
  readonly lotSize: number;
}): string {
  const oddText = `${quantity.abs()} of "${symbol}" are below its lot of ${lotSize} and are kept`;
  return marketRecord(marketOf(symbol))?.lots.hasOddLotMarket === true
    ? `${oddText}: an order of type ODD, with a limit, trades them in the market for odd lots`
    : `${oddText}: no type of order trades them`;
}
