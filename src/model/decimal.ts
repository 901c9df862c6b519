import { Decimal as DecimalJs } from 'decimal.js';
import {
  bigTen,
  digitsOf,
  isExact,
  PRECISION,
  Rare,
  type Rounding,
  ten,
  type Units,
  unitsOf,
  unitsText,
  withoutExactPlaces,
  withoutPlaces,
} from './decimal-units.ts';

/** What an operand may be written as; a Decimal of decimal.js is one, too. */
type Figure = Decimal | DecimalJs | number | string | bigint;

const TAG = Symbol.for('sluice.decimal');
const HALF_UP: Rounding = 4;
const LIMIT = bigTen(PRECISION);
const LARGEST = BigInt(Number.MAX_SAFE_INTEGER);
/** Doubles with this many places at most are read without their text. */
const READ_PLACES = 6;
/** Whole numbers of up to 15 digits are told apart by doubles, whatever power of ten they are divided by. */
const TOLD_APART = 1e15;

/**
 * The one Decimal of the house: exact, 40 significant digits, half-up, never printed with an exponent in the range that
 * money lives in. Prices, quantities, fees, cash and ratios of orders, fills and books are of this type. It counts whole
 * units of a power of ten, and gives what decimal.js gives, sign of zero aside: zero has none. Immutable.
 */
export class Decimal {
  static readonly ROUND_UP = 0;
  static readonly ROUND_DOWN = 1;
  static readonly ROUND_CEIL = 2;
  static readonly ROUND_FLOOR = 3;
  static readonly ROUND_HALF_UP = 4;
  static readonly ROUND_HALF_DOWN = 5;
  static readonly ROUND_HALF_EVEN = 6;
  static readonly ROUND_HALF_CEIL = 7;
  static readonly ROUND_HALF_FLOOR = 8;

  /** How many units of 10^-places there are; a double where that is exact. */
  declare readonly units: Units;
  declare readonly places: number;

  /** Reads a figure, a double by its shortest text. Throws an Error for a text that names none. */
  constructor(value: Figure, places?: number) {
    if (
      typeof value === 'number' &&
      (places !== undefined || (value === Math.trunc(value) && isExact(value)))
    ) {
      this.units = value === 0 ? 0 : value;
      this.places = places ?? 0;
      return;
    }
    if (typeof value === 'bigint' && places !== undefined) {
      this.units = value;
      this.places = places;
      return;
    }
    const read =
      typeof value === 'object'
        ? TAG in value
          ? value
          : readText(value.toString())
        : typeof value === 'number'
          ? readDouble(value)
          : readText(String(value));
    this.units = read.units;
    this.places = read.places;
  }

  get [TAG](): true {
    return true;
  }

  /** What decimal.js knows its own by: it takes this Decimal as an operand, and reads sign, exponent and digits below. */
  get toStringTag(): string {
    return '[object Decimal]';
  }

  get s(): number {
    return new Rare(this.toString()).s;
  }

  get e(): number {
    return new Rare(this.toString()).e;
  }

  get d(): number[] {
    return new Rare(this.toString()).d;
  }

  static isDecimal(value: unknown): value is Decimal {
    return value instanceof Decimal || (typeof value === 'object' && value !== null && TAG in value);
  }

  /** A Decimal of ours or of decimal.js, as one of ours; undefined for anything else. */
  static from(value: unknown): Decimal | undefined {
    if (Decimal.isDecimal(value)) return value;
    if (!DecimalJs.isDecimal(value)) return undefined;
    try {
      return new Decimal(DecimalJs.prototype.toString.call(value));
    } catch {
      // It carries the name of a Decimal and is none.
      return undefined;
    }
  }

  static max(first: Figure, ...others: readonly Figure[]): Decimal {
    return extreme(first, others, 1);
  }

  static min(first: Figure, ...others: readonly Figure[]): Decimal {
    return extreme(first, others, -1);
  }

  plus(other: Figure): Decimal {
    return sum(this, decimalFrom(other), 1);
  }

  minus(other: Figure): Decimal {
    return sum(this, decimalFrom(other), -1);
  }

  times(other: Figure): Decimal {
    const b = decimalFrom(other);
    const x = this.units;
    const y = b.units;
    if (typeof x === 'number' && typeof y === 'number') {
      const product = x * y;
      if (isExact(product)) return make(product, this.places + b.places);
      if (!Number.isFinite(x) || !Number.isFinite(y)) return new Decimal(x * y, 0);
    } else if (isStrange(x) || isStrange(y)) return new Decimal(Number(x) * Number(y), 0);
    if (y === 1 && b.places === 0 && isKept(x)) return this;
    return makeBig(BigInt(x) * BigInt(y), this.places + b.places);
  }

  div(other: Figure): Decimal {
    const b = decimalFrom(other);
    const x = this.units;
    const y = b.units;
    if (typeof x === 'number' && typeof y === 'number') {
      if (y !== 0 && x % y === 0 && this.places >= b.places) return make(x / y, this.places - b.places);
      if (y === 0 || !Number.isFinite(x) || !Number.isFinite(y)) return new Decimal(x / y, 0);
    } else if (b.isZero() || isStrange(x) || isStrange(y)) return new Decimal(Number(x) / Number(y), 0);
    if (y === 1 && b.places === 0 && isKept(x)) return this;
    return divideBig(this, b);
  }

  /** The rest of a division, with the sign of what is divided. */
  modulo(other: Figure): Decimal {
    const b = decimalFrom(other);
    const x = this.units;
    const y = b.units;
    if (isStrange(x) || isStrange(y) || b.isZero()) return new Decimal(Number(x) % Number(y), 0);
    const places = Math.max(this.places, b.places);
    if (typeof x === 'number' && typeof y === 'number') {
      const left = x * ten(places - this.places);
      const right = y * ten(places - b.places);
      if (isExact(left) && isExact(right)) return make(left % right, places);
    }
    return makeBig(atPlaces(this, places) % atPlaces(b, places), places);
  }

  mod(other: Figure): Decimal {
    return this.modulo(other);
  }

  neg(): Decimal {
    return this.units === 0 ? this : new Decimal(-this.units, this.places);
  }

  abs(): Decimal {
    return this.units < 0 ? this.neg() : this;
  }

  trunc(): Decimal {
    return this.toDecimalPlaces(0, 1);
  }

  floor(): Decimal {
    return this.toDecimalPlaces(0, 3);
  }

  ceil(): Decimal {
    return this.toDecimalPlaces(0, 2);
  }

  round(): Decimal {
    return this.toDecimalPlaces(0);
  }

  /** Rounds to at most so many places, half up unless another way is named. */
  toDecimalPlaces(places: number, mode: Rounding = HALF_UP): Decimal {
    const drop = this.places - places;
    if (drop <= 0) return this;
    const { units } = this;
    if (typeof units === 'number' && drop <= 15) return make(withoutExactPlaces(units, drop, mode), places);
    return makeBig(withoutPlaces(BigInt(units), drop, mode), places);
  }

  toSignificantDigits(digits: number, mode: Rounding = HALF_UP): Decimal {
    return new Decimal(new Rare(this.toString()).toSignificantDigits(digits, mode).toString());
  }

  pow(exponent: number): Decimal {
    return new Decimal(new Rare(this.toString()).pow(exponent).toString());
  }

  sqrt(): Decimal {
    return new Decimal(new Rare(this.toString()).sqrt().toString());
  }

  /** Below 0 when this is less, above when it is more; NaN when either is no number. */
  comparedTo(other: Figure): number {
    return compare(this, decimalFrom(other));
  }

  cmp(other: Figure): number {
    return compare(this, decimalFrom(other));
  }

  eq(other: Figure): boolean {
    return compare(this, decimalFrom(other)) === 0;
  }

  equals(other: Figure): boolean {
    return this.eq(other);
  }

  gt(other: Figure): boolean {
    return compare(this, decimalFrom(other)) > 0;
  }

  gte(other: Figure): boolean {
    return compare(this, decimalFrom(other)) >= 0;
  }

  lt(other: Figure): boolean {
    return compare(this, decimalFrom(other)) < 0;
  }

  lte(other: Figure): boolean {
    return compare(this, decimalFrom(other)) <= 0;
  }

  isZero(): boolean {
    return this.units === 0;
  }

  /** True below zero; zero has no sign. */
  isNegative(): boolean {
    return this.units < 0;
  }

  /** True from zero on. */
  isPositive(): boolean {
    return this.units >= 0;
  }

  isFinite(): boolean {
    return !isStrange(this.units);
  }

  isNaN(): boolean {
    return Number.isNaN(this.units);
  }

  isInteger(): boolean {
    return this.places === 0 && this.isFinite();
  }

  decimalPlaces(): number {
    return this.isFinite() ? this.places : Number.NaN;
  }

  /** The nearest double. */
  toNumber(): number {
    const { units, places } = this;
    if (typeof units === 'number' && places <= 22) return places === 0 ? units : units / ten(places);
    if (places === 0) return Number(units);
    return typeof units === 'bigint' ? nearestDouble(units, places) : Number(unitsText(units, places));
  }

  toString(): string {
    const { units, places } = this;
    if (isStrange(units)) return String(units);
    const text = unitsText(units, places);
    const isWide = text.length > PRECISION && (places >= PRECISION || typeof units === 'bigint');
    return isWide ? new Rare(text).toString() : text;
  }

  valueOf(): string {
    return this.toString();
  }

  toJSON(): string {
    return this.toString();
  }

  /** Plain digits with exactly so many places, half up unless another way is named. */
  toFixed(places: number = this.places, mode: Rounding = HALF_UP): string {
    const { units } = this;
    if (isStrange(units)) return String(units);
    const rounded = this.toDecimalPlaces(places, mode);
    const text = unitsText(rounded.units, rounded.places);
    const sign = units < 0 && !text.startsWith('-') ? '-' : '';
    const missing = places - rounded.places;
    return `${sign}${text}${missing > 0 && rounded.places === 0 ? '.' : ''}${'0'.repeat(missing)}`;
  }

  /** How Node prints it. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return this.toString();
  }
}

/** A price in the security's currency. */
export type Price = Decimal;

/** A number of shares or contracts; never negative in an order, signed in a position. */
export type Quantity = Decimal;

export const ZERO: Decimal = new Decimal(0, 0);

function decimalFrom(figure: Figure): Decimal {
  return figure instanceof Decimal ? figure : figure === 0 ? ZERO : new Decimal(figure);
}

/** True for units that a result keeps as they are; a text may have more digits than that. */
function isKept(units: Units): boolean {
  return typeof units === 'number' || (units < LIMIT && units > -LIMIT);
}

/** True for NaN and the infinities. */
function isStrange(units: Units): units is number {
  return typeof units === 'number' && !Number.isFinite(units);
}

/** Exact units without needless zeros at the end. */
function make(units: number, places: number): Decimal {
  if (units === 0) return ZERO;
  let left = units;
  let kept = places;
  while (kept > 0 && left % 10 === 0) {
    left /= 10;
    kept -= 1;
  }
  return new Decimal(left, kept);
}

function makeBig(units: bigint, places: number): Decimal {
  if (units <= LARGEST && units >= -LARGEST) return make(Number(units), places);
  let left = units;
  let kept = places;
  while (kept > 0 && left % 10n === 0n) {
    left /= 10n;
    kept -= 1;
  }
  const size = left < 0n ? -left : left;
  if (size < LIMIT) return size <= LARGEST ? make(Number(left), kept) : new Decimal(left, kept);
  const drop = digitsOf(size) - PRECISION;
  const rounded = withoutPlaces(left, drop, HALF_UP);
  return drop <= kept ? makeBig(rounded, kept - drop) : new Decimal(rounded * bigTen(drop - kept), 0);
}

/** Doubles of this size and more are whole, two apart at least. */
const FRACTIONLESS = 2n ** 54n;

/** The double next to units with places; where no fraction could be told, whether there is one decides a tie. */
function nearestDouble(units: bigint, places: number): number {
  const one = bigTen(places);
  const whole = units / one;
  if (whole > -FRACTIONLESS && whole < FRACTIONLESS) return Number(unitsText(units, places));
  if (whole * one === units) return Number(whole);
  return Number(whole * 2n + (units < 0n ? -1n : 1n)) / 2;
}

/** Units of a figure counted at more places. */
function atPlaces({ units, places }: Decimal, wanted: number): bigint {
  return wanted === places ? BigInt(units) : BigInt(units) * bigTen(wanted - places);
}

/** a + b, or a - b. */
function sum(a: Decimal, b: Decimal, sign: 1 | -1): Decimal {
  const x = a.units;
  const y = b.units;
  if (y === 0 && isKept(x)) return a;
  if (x === 0 && isKept(y)) return sign === 1 ? b : b.neg();
  if (typeof x === 'number' && typeof y === 'number') {
    const apart = a.places - b.places;
    const left = apart < 0 ? x * ten(-apart) : x;
    const right = (apart > 0 ? y * ten(apart) : y) * sign;
    const exact = left + right;
    if (isExact(left) && isExact(right) && isExact(exact))
      return make(exact, apart < 0 ? b.places : a.places);
  }
  if (isStrange(x) || isStrange(y)) return new Decimal(Number(x) + Number(y) * sign, 0);
  const places = Math.max(a.places, b.places);
  const other = atPlaces(b, places);
  return makeBig(atPlaces(a, places) + (sign === 1 ? other : -other), places);
}

/** Divides to one digit more than is kept, then rounds. */
function divideBig(a: Decimal, b: Decimal): Decimal {
  const x = BigInt(a.units);
  const y = BigInt(b.units);
  const size = digitsOf(x < 0n ? -x : x) - digitsOf(y < 0n ? -y : y);
  const more = Math.max(0, PRECISION + 1 - size);
  const places = a.places - b.places + more;
  const quotient = (x * bigTen(more)) / y;
  return places >= 0 ? makeBig(quotient, places) : makeBig(quotient * bigTen(-places), 0);
}

function compare(a: Decimal, b: Decimal): number {
  const x = a.units;
  const y = b.units;
  if (typeof x === 'number' && typeof y === 'number') {
    if (a.places === b.places) return x < y ? -1 : x > y ? 1 : x === y ? 0 : Number.NaN;
    const apart = a.places - b.places;
    const left = apart < 0 ? x * ten(-apart) : x;
    const right = apart > 0 ? y * ten(apart) : y;
    if (isExact(left) && isExact(right)) return left < right ? -1 : left > right ? 1 : 0;
  }
  if (typeof x === 'bigint' && (y === 0 || (typeof y === 'bigint' && a.places === b.places)))
    return x < y ? -1 : x > y ? 1 : 0;
  if (isStrange(x) || isStrange(y)) return compareDoubles(Number(x), Number(y));
  const places = Math.max(a.places, b.places);
  const left = atPlaces(a, places);
  const right = atPlaces(b, places);
  return left < right ? -1 : left > right ? 1 : 0;
}

function compareDoubles(x: number, y: number): number {
  return x < y ? -1 : x > y ? 1 : x === y ? 0 : Number.NaN;
}

function extreme(first: Figure, others: readonly Figure[], sign: 1 | -1): Decimal {
  let best = decimalFrom(first);
  for (const other of others) {
    const figure = decimalFrom(other);
    const order = compare(figure, best) * sign;
    if (order > 0 || Number.isNaN(order)) best = best.isNaN() ? best : figure;
  }
  return best;
}

interface Read {
  readonly units: Units;
  readonly places: number;
}

/** A double by its shortest text; the common ones, with few places, without writing it down. */
function readDouble(value: number): Read {
  if (!Number.isFinite(value)) return { units: value, places: 0 };
  for (let places = 1; places <= READ_PLACES; places += 1) {
    const units = Math.round(value * ten(places));
    if (units / ten(places) === value && Math.abs(units) < TOLD_APART) return { units, places };
  }
  return readText(String(value));
}

function readText(text: string): Read {
  const plain = unitsOf(text);
  if (plain !== undefined) {
    const { units, places } = plain;
    return typeof units === 'number' ? make(units, places) : makeExact(units, places);
  }
  const rare = new Rare(text);
  if (!rare.isFinite()) return { units: rare.toNumber(), places: 0 };
  return readText(rare.toFixed());
}

/** A text keeps every digit that it has, however many. */
function makeExact(units: bigint, places: number): Read {
  let left = units;
  let kept = places;
  while (kept > 0 && left % 10n === 0n) {
    left /= 10n;
    kept -= 1;
  }
  return left <= LARGEST && left >= -LARGEST ? make(Number(left), kept) : { units: left, places: kept };
}

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
