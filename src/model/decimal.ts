import { Decimal as DecimalJs } from 'decimal.js';

/**
 * decimal.js with 40 significant digits, half-up rounding, and no exponent notation in the range of money. Prices,
 * quantities, fees, cash and ratios have this type at every public border: strategy events, wire, config, journal,
 * reports. Values of a caller's own decimal.js are accepted too. Zero may be signed: use `lt(ZERO)`, not
 * `isNegative()`.
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

/** Converts a Decimal of any copy of decimal.js to ours; undefined for anything else. */
export function asDecimal(value: unknown): Decimal | undefined {
  if (!DecimalJs.isDecimal(value)) return undefined;
  try {
    return new Decimal(DecimalJs.prototype.toString.call(value));
  } catch {
    // It claims to be a Decimal but is not one.
    return undefined;
  }
}

const DECIMAL_TEXT = /^-?\d{1,30}(\.\d{1,30})?$/;

/** True if `parseDecimal` accepts the text. */
export function isDecimalText(text: string): boolean {
  return DECIMAL_TEXT.test(text);
}

/** Reads a plain decimal text such as "412.40"; undefined for anything else ("", "1e9", "1,000", "NaN"). */
export function parseDecimal(text: string): Decimal | undefined {
  return isDecimalText(text) ? new Decimal(text) : undefined;
}

/** Reads a decimal text; throws RangeError with the text if it is invalid. */
export function decimal(text: string): Decimal {
  const value = parseDecimal(text);
  if (value === undefined) throw new RangeError(`Cannot read "${text}" as a decimal number`);
  return value;
}
