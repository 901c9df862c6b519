import { Decimal as DecimalJs } from 'decimal.js';

/**
 * The one Decimal of the house: 40 significant digits, half-up, never printed with an exponent in the
 * range that money lives in. Prices, quantities, fees, cash and ratios of orders, fills and books are of this type.
 */
export const Decimal = DecimalJs.clone({
  precision: 40,
  rounding: DecimalJs.ROUND_HALF_UP,
  toExpNeg: -40,
  toExpPos: 40,
});
export type Decimal = DecimalJs;

/** A price in the security's currency. */
export type Price = Decimal;

/** A number of shares or contracts; never negative in an order, signed in a position. */
export type Quantity = Decimal;

export const ZERO: Decimal = new Decimal(0);

const DECIMAL_TEXT = /^-?\d{1,30}(\.\d{1,30})?$/;

/** Reads a plain decimal text such as "412.40"; returns undefined for anything else ("", "1e9", "1,000", "NaN"). */
export function parseDecimal(text: string): Decimal | undefined {
  return DECIMAL_TEXT.test(text) ? new Decimal(text) : undefined;
}

/** Builds a Decimal from a text known to be one; throws RangeError naming the text when it is not. */
export function decimal(text: string): Decimal {
  const value = parseDecimal(text);
  if (value === undefined) throw new RangeError(`Cannot read "${text}" as a decimal number`);
  return value;
}
