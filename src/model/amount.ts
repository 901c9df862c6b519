import { Decimal, decimalOfUnits } from './decimal.ts';
import { unitsOfWords, WORD, WORD_DIGITS } from './decimal-words.ts';

/**
 * Money, prices and quantities as exact scaled integers, without a class per figure.
 * - An amount counts millionths: 350.20 is 350_200_000, one share is 1_000_000.
 * - It is a `number` while that count is exact (up to 2^53 - 1, nine billion units of a currency) and a `bigint`
 *   beyond. Operations on two numbers allocate nothing.
 * - A figure finer than a millionth (an adjusted price, a fraction of a coin) is a `FineAmount`: an integer of a
 *   smaller power of ten, also exact but slower. No operation drops digits implicitly.
 * - Every amount has exactly one representation: numbers before bigints, millionths before finer units, no -0. So
 *   numbers and bigints compare with `===`, and `a === 0` tests for zero.
 * - Products and quotients name their rounding and decimal places; `exact` multiplies without rounding.
 * - Rates (charges, margin factors, exchange rates) are a `Ratio` of two integers, because 1/7.8 has no last digit and
 *   0.0000565 is finer than a millionth. `scale` multiplies by a ratio and rounds once.
 *
 * Amounts are finite: reading NaN or an infinity throws RangeError, as does division by zero.
 */
export type Amount = number | bigint | FineAmount;

/** A figure finer than a millionth: `units` of 10^-places, with more than 6 places and a non-zero last digit. */
export interface FineAmount {
  readonly units: bigint;
  readonly places: number;
}

/** Rounding mode; halves are rounded away from zero by `half-up`, towards +infinity by `half-ceiling`. */
export type Rounding =
  | 'up'
  | 'down'
  | 'ceiling'
  | 'floor'
  | 'half-up'
  | 'half-down'
  | 'half-even'
  | 'half-ceiling'
  | 'half-floor';

/** A rate as a fraction of two integers, numbers where exact; the denominator is positive. */
export interface Ratio {
  readonly numerator: number | bigint;
  readonly denominator: number | bigint;
}

export const PLACES = 6;

/** One share, one dollar. */
export const ONE = 1_000_000;

const EXACT_MAX = Number.MAX_SAFE_INTEGER;
const BIG_MAX = BigInt(EXACT_MAX);
/** Powers of ten that doubles represent exactly. */
const TENS: readonly number[] = Array.from({ length: 16 }, (_, power) => Number(`1e${power}`));
const BIG_TENS: readonly bigint[] = Array.from({ length: 64 }, (_, power) => 10n ** BigInt(power));
/** Doubles distinguish all decimals of up to 15 digits. */
const TOLD_APART = 1e15;

function isExact(units: number): boolean {
  return units <= EXACT_MAX && units >= -EXACT_MAX;
}

function bigTen(power: number): bigint {
  return BIG_TENS[power] ?? 10n ** BigInt(power);
}

export function add(a: Amount, b: Amount): Amount {
  if (typeof a === 'number' && typeof b === 'number') {
    const sum = a + b;
    if (isExact(sum)) return sum;
  }
  return addLarge(a, b);
}

export function subtract(a: Amount, b: Amount): Amount {
  if (typeof a === 'number' && typeof b === 'number') {
    const difference = a - b;
    if (isExact(difference)) return difference;
  }
  return addLarge(a, negate(b));
}

export function negate(a: Amount): Amount {
  // Adding 0 turns -0 into 0.
  if (typeof a === 'number') return -a + 0;
  return typeof a === 'bigint' ? -a : { units: -a.units, places: a.places };
}

export function absolute(a: Amount): Amount {
  return isNegative(a) ? negate(a) : a;
}

export function isZero(a: Amount): boolean {
  return a === 0;
}

export function isNegative(a: Amount): boolean {
  return typeof a === 'object' ? a.units < 0n : a < 0;
}

export function isPositive(a: Amount): boolean {
  return typeof a === 'object' ? a.units > 0n : a > 0;
}

/** True for a whole number of shares or currency units. */
export function isWhole(a: Amount): boolean {
  if (typeof a === 'number') return a % ONE === 0;
  return typeof a === 'bigint' && a % BigInt(ONE) === 0n;
}

/** Negative if `a` is less, positive if it is more, 0 if they are equal. */
export function compare(a: Amount, b: Amount): number {
  if (typeof a === 'object' || typeof b === 'object') return compareFine(a, b);
  return a < b ? -1 : a > b ? 1 : 0;
}

export function min(a: Amount, b: Amount): Amount {
  return compare(b, a) < 0 ? b : a;
}

export function max(a: Amount, b: Amount): Amount {
  return compare(b, a) > 0 ? b : a;
}

/** Returns `a x b`, rounded to `places`; `exact` keeps every digit and ignores `places`. */
export function multiply(
  a: Amount,
  b: Amount,
  rounding: Rounding | 'exact',
  places: number = PLACES,
): Amount {
  if (typeof a === 'number' && typeof b === 'number' && places <= PLACES) {
    // Most products have a whole factor: shares, lots, days.
    const isWholeFactor = b % ONE === 0;
    if (isWholeFactor || a % ONE === 0) {
      const product = isWholeFactor ? a * (b / ONE) : (a / ONE) * b;
      if (isExact(product))
        return rounding === 'exact' || places === PLACES ? product + 0 : round(product, rounding, places);
    } else {
      const product = a * b;
      if (isExact(product)) {
        if (rounding !== 'exact') {
          const step = TENS[PLACES - places] as number;
          return quotient(product, ONE * step, rounding) * step;
        }
        if (product % ONE === 0) return product / ONE;
      }
    }
  }
  return multiplyLarge(a, b, rounding, places);
}

/** Returns `a / b`, rounded to `places`. Throws RangeError if `b` is zero. */
export function divide(a: Amount, b: Amount, rounding: Rounding, places: number = PLACES): Amount {
  if (typeof a === 'number' && typeof b === 'number' && places <= PLACES && b !== 0) {
    const factor = TENS[places] as number;
    const rest = a % b;
    const whole = ((a - rest) / b) * factor;
    const finer = rest * factor;
    if (isExact(whole) && isExact(finer)) {
      // Whole part and remainder have the same sign, or the whole part is zero: both round in the same direction.
      const units =
        (whole + quotientOf(finer, b, rounding, whole % 2 !== 0)) * (TENS[PLACES - places] as number);
      if (isExact(units)) return units + 0;
    }
  }
  return divideLarge(a, b, rounding, places);
}

/** Returns the remainder of `a / b` with the sign of `a`. Throws RangeError if `b` is zero. */
export function remainder(a: Amount, b: Amount): Amount {
  if (typeof a === 'number' && typeof b === 'number' && b !== 0) return (a % b) + 0;
  return remainderLarge(a, b);
}

/** Returns `a x b / c`, rounded once. Throws RangeError if `c` is zero. */
export function mulDiv(a: Amount, b: Amount, c: Amount, rounding: Rounding, places: number = PLACES): Amount {
  if (
    typeof a === 'number' &&
    typeof b === 'number' &&
    typeof c === 'number' &&
    places <= PLACES &&
    c !== 0
  ) {
    const isShared = b % ONE === 0 && c % ONE === 0;
    const product = a * (isShared ? b / ONE : b);
    const step = TENS[PLACES - places] as number;
    const divisor = (isShared ? c / ONE : c) * step;
    if (isExact(product) && isExact(divisor)) {
      const units = quotient(product, divisor, rounding) * step;
      if (isExact(units)) return units;
    }
  }
  return mulDivLarge(a, b, c, rounding, places);
}

/** Multiplies an amount by a rate, rounded once. */
export function scale(a: Amount, ratio: Ratio, rounding: Rounding, places: number = PLACES): Amount {
  const { numerator, denominator } = ratio;
  if (
    typeof a === 'number' &&
    typeof numerator === 'number' &&
    typeof denominator === 'number' &&
    places <= PLACES
  ) {
    const product = a * numerator;
    const step = TENS[PLACES - places] as number;
    const divisor = denominator * step;
    if (isExact(product) && isExact(divisor)) {
      const units = quotient(product, divisor, rounding) * step;
      if (isExact(units)) return units;
    }
  }
  return scaleLarge(a, ratio, rounding, places);
}

/** Rounds to at most `places` decimals. */
export function round(a: Amount, rounding: Rounding, places: number): Amount {
  if (typeof a === 'number') {
    if (places >= PLACES) return a;
    const step = TENS[PLACES - places] as number;
    const rounded = quotient(a, step, rounding) * step;
    if (isExact(rounded)) return rounded;
  }
  return fromUnits(roundedUnits(unitsOf(a), placesOf(a), rounding, places), Math.min(places, placesOf(a)));
}

/** Converts a decimal rate to an exact ratio: 0.0000565 is 113 / 2,000,000. */
export function ratioOf(rate: Decimal): Ratio {
  const amount = toAmount(rate);
  return reduced(unitsOf(amount), bigTen(placesOf(amount)));
}

/** Returns the ratio of `a` to `b`, such as 4 new shares for 1 old one or 10 / 78. Throws RangeError if `b` is zero. */
export function ratioBetween(a: Amount, b: Amount): Ratio {
  const over = unitsOf(a) * bigTen(placesOf(b));
  const under = unitsOf(b) * bigTen(placesOf(a));
  if (under === 0n) throw new RangeError('Cannot make a ratio to zero');
  return under < 0n ? reduced(-over, -under) : reduced(over, under);
}

/** Returns the amount of a double's shortest decimal text: 0.1 is a tenth. Throws RangeError for NaN and infinities. */
export function amountOfDouble(value: number): Amount {
  const units = Math.round(value * ONE);
  // Doubles distinguish fifteen digits, so the double's shortest text has these units.
  if (units / ONE === value && units < TOLD_APART && units > -TOLD_APART) return units + 0;
  return amount(String(value));
}

/** Powers of a word that doubles represent exactly. */
const WORD_POWERS: readonly number[] = [1, 1e7, 1e14, 1e21];
/** Number of words up to which a value may be below 2^53. */
const WORDS_EXACT_MAX = 3;

/** Converts a Decimal exactly. Throws RangeError for NaN and infinities. */
export function toAmount(value: Decimal): Amount {
  if (!value.isFinite()) throw new RangeError(`Cannot make an amount of ${value.toString()}`);
  return unitsOfWords(value) ?? amount(value.toFixed());
}

export function toDecimal(a: Amount): Decimal {
  return typeof a === 'number' ? decimalOfUnits(a) : new Decimal(formatAmount(a));
}

/** Equals `new Decimal(value)`, NaN and infinities included, but faster for common values. */
export function decimalOfDouble(value: number): Decimal {
  const units = Math.round(value * ONE);
  if (units / ONE === value && units < TOLD_APART && units > -TOLD_APART && units !== 0)
    return decimalOfUnits(units);
  return new Decimal(value);
}

/** Equals `value.toNumber()`, but without formatting a text where the words allow an exact result. */
export function doubleOfDecimal(value: Decimal): number {
  const { s, e, d } = value;
  if (!value.isFinite() || d.length > WORDS_EXACT_MAX) return value.toNumber();
  let units = 0;
  for (const word of d) units = units * WORD + word;
  const place = Math.floor(e / WORD_DIGITS) - d.length + 1;
  const power = WORD_POWERS[Math.abs(place)];
  if (!isExact(units) || power === undefined) return value.toNumber();
  // One operation on two exact doubles rounds only once.
  const size = place < 0 ? units / power : units * power;
  return s < 0 ? -size : size;
}

/** Reads an amount; throws RangeError for an invalid text. */
export function amount(text: string): Amount {
  const value = parseAmount(text);
  if (value === undefined) throw new RangeError(`Cannot read "${text}" as an amount`);
  return value;
}

const TEXT = /^([+-]?)(\d+)(?:\.(\d+))?(?:e([+-]?\d{1,3}))?$/i;

/** Reads "412.40" and "1.5e-9"; undefined for anything but a finite decimal. */
export function parseAmount(text: string): Amount | undefined {
  const match = TEXT.exec(text);
  if (match === null) return undefined;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  const places = fraction.length - Number(exponent);
  if (places >= 0 && places <= PLACES && whole.length + fraction.length + PLACES - places <= 15) {
    const units = Number(whole + fraction) * (TENS[PLACES - places] as number);
    return sign === '-' ? -units + 0 : units;
  }
  const units = BigInt(whole + fraction);
  const signed = sign === '-' ? -units : units;
  return places >= 0 ? fromUnits(signed, places) : fromUnits(signed * bigTen(-places), 0);
}

/** Formats plain digits without trailing zeros, or with exactly `places` decimals, rounded half up. */
export function formatAmount(a: Amount, places?: number): string {
  const roundedAmount = places === undefined ? a : round(a, 'half-up', places);
  const sign = isNegative(roundedAmount) ? '-' : '';
  const count = placesOf(roundedAmount);
  const units = unitsOf(roundedAmount);
  const digits = String(units < 0n ? -units : units).padStart(count + 1, '0');
  const whole = digits.slice(0, digits.length - count);
  const fraction = digits.slice(digits.length - count);
  if (places === 0) return sign + whole;
  if (places !== undefined) return `${sign}${whole}.${fraction.slice(0, places).padEnd(places, '0')}`;
  const end = fraction.replace(/0+$/, '');
  return end === '' ? sign + whole : `${sign}${whole}.${end}`;
}

/** Returns the nearest double. */
export function toDouble(a: Amount): number {
  return typeof a === 'number' ? a / ONE : Number(formatAmount(a));
}

function unitsOf(a: Amount): bigint {
  return typeof a === 'object' ? a.units : BigInt(a);
}

function placesOf(a: Amount): number {
  return typeof a === 'object' ? a.places : PLACES;
}

/** Returns the canonical amount of a count of 10^-places. */
function fromUnits(units: bigint, places: number): Amount {
  let left = units;
  let kept = places;
  while (kept > PLACES && left % 10n === 0n) {
    left /= 10n;
    kept -= 1;
  }
  if (kept > PLACES) return { units: left, places: kept };
  if (kept < PLACES) left *= bigTen(PLACES - kept);
  return left <= BIG_MAX && left >= -BIG_MAX ? Number(left) : left;
}

function unitsAt(a: Amount, places: number): bigint {
  return unitsOf(a) * bigTen(places - placesOf(a));
}

function addLarge(a: Amount, b: Amount): Amount {
  const places = Math.max(placesOf(a), placesOf(b));
  return fromUnits(unitsAt(a, places) + unitsAt(b, places), places);
}

function compareFine(a: Amount, b: Amount): number {
  const places = Math.max(placesOf(a), placesOf(b));
  const left = unitsAt(a, places);
  const right = unitsAt(b, places);
  return left < right ? -1 : left > right ? 1 : 0;
}

function multiplyLarge(a: Amount, b: Amount, rounding: Rounding | 'exact', places: number): Amount {
  const product = unitsOf(a) * unitsOf(b);
  const full = placesOf(a) + placesOf(b);
  if (rounding === 'exact' || places >= full) return fromUnits(product, full);
  return fromUnits(roundedUnits(product, full, rounding, places), places);
}

function divideLarge(a: Amount, b: Amount, rounding: Rounding, places: number): Amount {
  const over = unitsOf(a) * bigTen(placesOf(b) + places);
  return fromUnits(bigQuotient(over, unitsOf(b) * bigTen(placesOf(a)), rounding), places);
}

function remainderLarge(a: Amount, b: Amount): Amount {
  if (b === 0) throw new RangeError('Cannot divide an amount by zero');
  const places = Math.max(placesOf(a), placesOf(b));
  return fromUnits(unitsAt(a, places) % unitsAt(b, places), places);
}

function mulDivLarge(a: Amount, b: Amount, c: Amount, rounding: Rounding, places: number): Amount {
  const over = unitsOf(a) * unitsOf(b) * bigTen(placesOf(c) + places);
  const under = unitsOf(c) * bigTen(placesOf(a) + placesOf(b));
  return fromUnits(bigQuotient(over, under, rounding), places);
}

function scaleLarge(
  a: Amount,
  { numerator, denominator }: Ratio,
  rounding: Rounding,
  places: number,
): Amount {
  const over = unitsOf(a) * BigInt(numerator) * bigTen(places);
  return fromUnits(bigQuotient(over, BigInt(denominator) * bigTen(placesOf(a)), rounding), places);
}

function roundedUnits(units: bigint, from: number, rounding: Rounding, places: number): bigint {
  return places >= from ? units : bigQuotient(units, bigTen(from - places), rounding);
}

function reduced(numerator: bigint, denominator: bigint): Ratio {
  let [one, other] = [numerator < 0n ? -numerator : numerator, denominator];
  while (other !== 0n) [one, other] = [other, one % other];
  return { numerator: plain(numerator / one), denominator: plain(denominator / one) };
}

function plain(units: bigint): number | bigint {
  return units <= BIG_MAX && units >= -BIG_MAX ? Number(units) : units;
}

/** Returns `over / under` as an integer; both are exact integers, `under` is not zero. */
function quotient(over: number, under: number, rounding: Rounding): number {
  return quotientOf(over, under, rounding, false) + 0;
}

/** Like `quotient`; `isOdd` is true if an odd number is added to the result, which matters for `half-even`. */
function quotientOf(over: number, under: number, rounding: Rounding, isOdd: boolean): number {
  const rest = over % under;
  const whole = (over - rest) / under;
  if (rest === 0) return whole;
  const size = Math.abs(rest);
  const away = Math.abs(under) - size;
  const isBelow = over < 0 !== under < 0;
  const isWholeOdd = (whole % 2 !== 0) !== isOdd;
  if (!goesAway(rounding, size === away ? 0 : size > away ? 1 : -1, isBelow, isWholeOdd)) return whole;
  return isBelow ? whole - 1 : whole + 1;
}

function bigQuotient(over: bigint, under: bigint, rounding: Rounding): bigint {
  if (under === 0n) throw new RangeError('Cannot divide an amount by zero');
  const whole = over / under;
  const rest = over - whole * under;
  if (rest === 0n) return whole;
  const isBelow = over < 0n !== under < 0n;
  const twice = rest < 0n ? -2n * rest : 2n * rest;
  const size = under < 0n ? -under : under;
  const half = twice === size ? 0 : twice > size ? 1 : -1;
  if (!goesAway(rounding, half, isBelow, (whole & 1n) === 1n)) return whole;
  return isBelow ? whole - 1n : whole + 1n;
}

/** True if a quotient with a remainder is rounded away from zero; `half` compares the remainder with a half. */
function goesAway(rounding: Rounding, half: number, isBelow: boolean, isOdd: boolean): boolean {
  switch (rounding) {
    case 'up':
      return true;
    case 'down':
      return false;
    case 'ceiling':
      return !isBelow;
    case 'floor':
      return isBelow;
    case 'half-up':
      return half >= 0;
    case 'half-down':
      return half > 0;
    case 'half-even':
      return half > 0 || (half === 0 && isOdd);
    case 'half-ceiling':
      return half > 0 || (half === 0 && !isBelow);
    case 'half-floor':
      return half > 0 || (half === 0 && isBelow);
  }
}
