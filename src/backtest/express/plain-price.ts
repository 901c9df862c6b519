import { decimalOfDouble, doubleOfDecimal } from '../../model/amount.ts';
import type { Decimal } from '../../model/decimal.ts';
import { type Numeric, toDecimal } from '../../strategy/numeric.ts';
import { bailOut } from './bail-out.ts';

/** Decimal digits that float64 represents without loss. */
const DIGITS = 15;
const TENS: readonly number[] = Array.from({ length: DIGITS + 1 }, (_, power) => 10 ** power);
const [POINT, ZERO_CODE, NINE_CODE] = [46, 48, 57];

/**
 * Returns a figure as the double with the same decimal text; NaN if it is not a number. Bails out if no double has
 * it.
 */
export function exactDouble(figure: Numeric): number {
  if (typeof figure === 'number') return Number.isFinite(figure) ? figure : Number.NaN;
  return typeof figure === 'string' ? doubleOfText(figure) : doubleOfExact(toDecimal(figure));
}

/** Converts a plain decimal text to a number; returns other figures unchanged. */
export function numberIfPlain(figure: Numeric): Numeric {
  if (typeof figure !== 'string') return figure;
  const price = digitsOf(figure);
  return Number.isNaN(price) ? figure : price;
}

function doubleOfText(text: string): number {
  const price = digitsOf(text);
  return Number.isNaN(price) ? doubleOfExact(toDecimal(text)) : price;
}

/**
 * Parses a plain decimal such as `123.45` quickly, because strategies create thousands of prices; NaN for other or
 * longer texts.
 */
function digitsOf(text: string): number {
  const { length } = text;
  let units = 0;
  let places = -1;
  if (length > DIGITS) return Number.NaN;
  for (let at = 0; at < length; at += 1) {
    const code = text.charCodeAt(at);
    if (code >= ZERO_CODE && code <= NINE_CODE) {
      units = units * 10 + (code - ZERO_CODE);
      if (places >= 0) places += 1;
    } else if (code === POINT && places < 0 && at > 0) places = 0;
    else return Number.NaN;
  }
  if (places === 0 || length === 0) return Number.NaN;
  return places < 0 ? units : units / (TENS[places] as number);
}

function doubleOfExact(figure: Decimal | undefined): number {
  if (figure?.isFinite() !== true) return Number.NaN;
  const price = doubleOfDecimal(figure);
  if (!decimalOfDouble(price).eq(figure)) bailOut(`price ${figure} has more digits than a double`);
  return price;
}
