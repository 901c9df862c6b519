/**
 * Figures of decimal.js as counts of millionths, read from and written to its words without a text.
 *
 * A Decimal is a sign `s`, an exponent `e` of ten, and words `d` of seven digits each, aligned to the decimal point; neither the
 * first nor the last word is zero, except in zero itself. NaN and infinities have no words.
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
/** Millionths in one. */
const ONE = 1_000_000;
/** What a unit of the first and second word before the decimal point is worth, in millionths; that of a third is too large. */
const WORD_VALUES: readonly number[] = [1e6, 1e13];
const PLACE_MAX = 1;
const TENS: readonly number[] = Array.from({ length: WORD_DIGITS }, (_, power) => 10 ** power);

/** The figure in millionths, never -0; undefined for what is finer or larger than exact millionths, and for NaN and infinities. */
export function unitsOfWords({ s, e, d }: Readonly<Words>): number | undefined {
  // decimal.js has null there for NaN and infinities, whatever its types say.
  if ((d as number[] | null) === null) return undefined;
  let place = Math.floor(e / WORD_DIGITS);
  if (place > PLACE_MAX) return undefined;
  let units = 0;
  for (let at = 0; at < d.length; at += 1) {
    const word = d[at] as number;
    if (place >= 0) units += word * (WORD_VALUES[place] as number);
    // Six of the seven digits behind the point are millionths.
    else if (place === -1 && word % 10 === 0) units += word / 10;
    else if (word !== 0) return undefined;
    place -= 1;
  }
  if (units > Number.MAX_SAFE_INTEGER) return undefined;
  return s < 0 && units !== 0 ? -units : units;
}

/** Writes an exact count of millionths other than zero into the words of a Decimal that is being made. */
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

/** Digits of a word, less one. */
function exponentOf(word: number): number {
  let exponent = 0;
  while (exponent < WORD_DIGITS - 1 && word >= (TENS[exponent + 1] as number)) exponent += 1;
  return exponent;
}
