import { Decimal as DecimalJs } from 'decimal.js';

/**
 * decimal.js as Sluice uses it: 40 significant digits, half-up, and no exponent in the range that money lives in.
 *
 * Prices, quantities, fees, cash and ratios are of this type at every public border: strategy events, wire, config, journal,
 * reports. A Decimal of the caller's own decimal.js is accepted wherever a figure is. Zero may carry a sign: ask `lt(ZERO)`
 * for "below zero", not `isNegative()`.
 */
export const Decimal: DecimalJs.Constructor = DecimalJs.clone({
  defaults: true,
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

/** The same figure as a Decimal of ours, whichever copy of decimal.js made it; undefined for anything else. */
export function asDecimal(value: unknown): Decimal | undefined {
  if (!DecimalJs.isDecimal(value)) return undefined;
  try {
    return new Decimal(DecimalJs.prototype.toString.call(value));
  } catch {
    // It carries the name of a Decimal and is none.
    return undefined;
  }
}

const DECIMAL_TEXT = /^-?\d{1,30}(\.\d{1,30})?$/;

/** Whether `parseDecimal` reads a text. */
export function isDecimalText(text: string): boolean {
  return DECIMAL_TEXT.test(text);
}

/** Reads a plain decimal text such as "412.40"; returns undefined for anything else ("", "1e9", "1,000", "NaN"). */
export function parseDecimal(text: string): Decimal | undefined {
  return isDecimalText(text) ? new Decimal(text) : undefined;
}

/** Builds a Decimal from a text known to be one; throws RangeError naming the text when it is not. */
export function decimal(text: string): Decimal {
  const value = parseDecimal(text);
  if (value === undefined) throw new RangeError(`Cannot read "${text}" as a decimal number`);
  return value;
}
