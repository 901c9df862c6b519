import { Decimal as DecimalJs } from 'decimal.js';

/**
 * A whole number of units, each a power of ten: a double where that is exact, else a bigint. NaN and infinities are doubles,
 * too.
 */
export type Units = number | bigint;

/** Decimal digits that a result keeps; what comes beyond is rounded half up. */
export const PRECISION = 40;

/** What decimal.js does with figures that are rare: roots, powers, exponents in texts. */
export const Rare: typeof DecimalJs = DecimalJs.clone({
  precision: PRECISION,
  rounding: DecimalJs.ROUND_HALF_UP,
  toExpNeg: -PRECISION,
  toExpPos: PRECISION,
});

/** Ways to round, by the numbers that decimal.js gives them. */
export type Rounding = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8;

const LARGEST = Number.MAX_SAFE_INTEGER;
/** Powers of ten that are doubles exactly. */
const TENS: readonly number[] = Array.from({ length: 23 }, (_, power) => Number(`1e${power}`));
const BIG_TENS: readonly bigint[] = Array.from({ length: 128 }, (_, power) => 10n ** BigInt(power));

/** Ten to a power, as a double; NaN where that is not exact. */
export function ten(power: number): number {
  return TENS[power] ?? Number.NaN;
}

export function bigTen(power: number): bigint {
  return BIG_TENS[power] ?? 10n ** BigInt(power);
}

/** True for a double that names a whole number exactly. */
export function isExact(units: number): boolean {
  return units <= LARGEST && units >= -LARGEST;
}

/** Decimal digits of a bigint that is not negative. */
export function digitsOf(units: bigint): number {
  const about = Number(units);
  if (about < 10) return 1;
  if (!Number.isFinite(about)) return units.toString().length;
  // The logarithm of a rounded double may miss by one next to a power of ten.
  const guess = Math.floor(Math.log10(about)) + 1;
  if (units >= bigTen(guess)) return guess + 1;
  return units < bigTen(guess - 1) ? guess - 1 : guess;
}

/** The same units with `drop` places less, rounded. */
export function withoutPlaces(units: bigint, drop: number, mode: Rounding): bigint {
  const step = bigTen(drop);
  const whole = units / step;
  const rest = units - whole * step;
  if (rest === 0n) return whole;
  const isNegative = units < 0n;
  const twice = isNegative ? -2n * rest : 2n * rest;
  const half = twice === step ? 0 : twice > step ? 1 : -1;
  return goesAway(mode, half, isNegative, (whole & 1n) === 1n) ? whole + (isNegative ? -1n : 1n) : whole;
}

/** The same for units that are exact doubles and a power of ten that is one. */
export function withoutExactPlaces(units: number, drop: number, mode: Rounding): number {
  const step = ten(drop);
  const rest = units % step;
  const whole = (units - rest) / step;
  if (rest === 0) return whole;
  const isNegative = units < 0;
  const beyond = Math.abs(rest) - (step - Math.abs(rest));
  const half = beyond === 0 ? 0 : beyond > 0 ? 1 : -1;
  return goesAway(mode, half, isNegative, whole % 2 !== 0) ? whole + (isNegative ? -1 : 1) : whole;
}

/** Whether rounding goes away from zero; `half` says how what is dropped compares with a half. */
function goesAway(mode: Rounding, half: number, isNegative: boolean, isOdd: boolean): boolean {
  switch (mode) {
    case 0:
      return true;
    case 1:
      return false;
    case 2:
      return !isNegative;
    case 3:
      return isNegative;
    case 4:
      return half >= 0;
    case 5:
      return half > 0;
    case 6:
      return half > 0 || (half === 0 && isOdd);
    case 7:
      return half > 0 || (half === 0 && !isNegative);
    case 8:
      return half > 0 || (half === 0 && isNegative);
  }
}

/** Writes units with their decimal point: 1205 with two places is `12.05`. */
export function unitsText(units: Units, places: number): string {
  const text = String(units);
  if (places === 0) return text;
  const isNegative = text.startsWith('-');
  const digits = (isNegative ? text.slice(1) : text).padStart(places + 1, '0');
  const point = digits.length - places;
  return `${isNegative ? '-' : ''}${digits.slice(0, point)}.${digits.slice(point)}`;
}

/** Units and places of a text; undefined for what is not plain digits with at most a point and an exponent. */
export function unitsOf(text: string): { readonly units: Units; readonly places: number } | undefined {
  const match = PLAIN.exec(text);
  if (match === null) return undefined;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  const digits = `${sign}${whole}${fraction}`;
  const places = fraction.length - Number(exponent);
  const short = digits.length <= 15 && places <= 15;
  const units = short ? Number(digits) : BigInt(digits);
  if (places >= 0) return { units, places };
  return { units: BigInt(units) * bigTen(-places), places: 0 };
}

const PLAIN = /^([-]?)(\d{1,400})(?:\.(\d{1,400}))?(?:e([+-]?\d{1,3}))?$/;
