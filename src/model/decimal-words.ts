/**
 * Converts between decimal.js values and counts of millionths without a text. A Decimal is a sign `s`, a decimal
 * exponent `e`, and words `d` of seven digits each, aligned to the decimal point. Neither the first nor the last word
 * is zero, except in zero itself. NaN and infinities have no words.
 */
export interface Words {
  s: number;
  e: number;
  d: number[];
}

/** Decimal digits in a word. */
export const WORD_DIGITS = 7;
/** One more than the largest word. */
export const WORD = 1e7;
const ONE = 1_000_000;
/** Values in millionths of the two words before the decimal point; a third would be too large. */
const WORD_VALUES: readonly number[] = [1e6, 1e13];
const PLACE_MAX = 1;
const TENS: readonly number[] = Array.from({ length: WORD_DIGITS }, (_, power) => 10 ** power);

/**
 * Returns the value in millionths, never -0; undefined for NaN, infinities, and values finer or larger than exact
 * millionths.
 */
export function unitsOfWords({ s, e, d }: Readonly<Words>): number | undefined {
  // Contrary to its types, decimal.js has null here for NaN and infinities.
  if ((d as number[] | null) === null) return undefined;
  let place = Math.floor(e / WORD_DIGITS);
  if (place > PLACE_MAX) return undefined;
  let units = 0;
  for (let at = 0; at < d.length; at += 1) {
    const word = d[at] as number;
    if (place >= 0) units += word * (WORD_VALUES[place] as number);
    // Six of the seven digits after the decimal point are millionths.
    else if (place === -1 && word % 10 === 0) units += word / 10;
    else if (word !== 0) return undefined;
    place -= 1;
  }
  if (units > Number.MAX_SAFE_INTEGER) return undefined;
  return s < 0 && units !== 0 ? -units : units;
}

/** Writes an exact, non-zero count of millionths into the words of a new Decimal. */
export function writeUnits(words: Words, units: number): void {
  const size = Math.abs(units);
  const millionths = size % ONE;
  const whole = (size - millionths) / ONE;
  const upper = Math.floor(whole / WORD);
  const lower = whole - upper * WORD;
  words.s = units < 0 ? -1 : 1;
  if (upper > 0) {
    words.e = exponentOf(upper) + WORD_DIGITS;
    words.d = millionths > 0 ? [upper, lower, millionths * 10] : lower > 0 ? [upper, lower] : [upper];
  } else if (lower > 0) {
    words.e = exponentOf(lower);
    words.d = millionths > 0 ? [lower, millionths * 10] : [lower];
  } else {
    words.e = exponentOf(millionths * 10) - WORD_DIGITS;
    words.d = [millionths * 10];
  }
}

/** Returns the number of digits of a word, less one. */
function exponentOf(word: number): number {
  let exponent = 0;
  while (exponent < WORD_DIGITS - 1 && word >= (TENS[exponent + 1] as number)) exponent += 1;
  return exponent;
}
