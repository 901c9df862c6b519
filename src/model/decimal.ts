import { Decimal as DecimalJs } from 'decimal.js';
import { type Words, writeUnits } from './decimal-words.ts';

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
  const units = millionthsOf(text);
  if (units !== undefined) return decimalOfUnits(units);
  return isDecimalText(text) ? new Decimal(text) : undefined;
}

/** Converts an exact count of millionths. It writes the words directly, because the constructor goes through a text. */
export function decimalOfUnits(units: number): Decimal {
  const value = new Decimal(0);
  if (units !== 0) {
    const words: Words = value;
    writeUnits(words, units);
  }
  return value;
}

/** Doubles hold counts of so many digits exactly. */
const DIGITS_MAX = 15;
const PLACES_MAX = 6;
const POINT = 46;
const DIGIT_ZERO = 48;
const TENS: readonly number[] = Array.from({ length: PLACES_MAX + 1 }, (_, power) => 10 ** power);

/** Reads a short text without a sign, as most prices of quotes are; undefined for others and for invalid texts. */
function millionthsOf(text: string): number | undefined {
  const { length } = text;
  if (length === 0 || length > DIGITS_MAX) return undefined;
  let digits = 0;
  let point = length;
  for (let at = 0; at < length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === POINT && point === length && at > 0 && at < length - 1) point = at;
    else if (code >= DIGIT_ZERO && code < DIGIT_ZERO + 10) digits = digits * 10 + code - DIGIT_ZERO;
    else return undefined;
  }
  const places = Math.max(0, length - point - 1);
  const units = digits * (TENS[PLACES_MAX - places] ?? Number.NaN);
  return Number.isSafeInteger(units) ? units : undefined;
}

/** Reads a decimal text; throws RangeError with the text if it is invalid. */
export function decimal(text: string): Decimal {
  const value = parseDecimal(text);
  if (value === undefined) throw new RangeError(`Cannot read "${text}" as a decimal number`);
  return value;
}
