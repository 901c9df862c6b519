import { Decimal as DecimalJs } from 'decimal.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Amount,
  absolute,
  add,
  amount,
  amountOfDouble,
  compare,
  decimalOfDouble,
  divide,
  doubleOfDecimal,
  formatAmount,
  isNegative,
  isPositive,
  isWhole,
  max,
  min,
  mulDiv,
  multiply,
  negate,
  parseAmount,
  type Rounding,
  ratioBetween,
  ratioOf,
  remainder,
  round,
  scale,
  subtract,
  toAmount,
  toDecimal,
  toDouble,
} from '#src/model/amount.ts';
import { Decimal } from '#src/model/decimal.ts';
import { expectEqual } from '../fixtures/expect-equal.ts';
import { randomCases } from '../fixtures/random-cases.ts';

/** The reference: enough digits that only a test's own rounding rounds. */
const Js = DecimalJs.clone({ precision: 200, toExpNeg: -300, toExpPos: 300 });
/** Our names, in the order of decimal.js's numbers. */
const ROUNDINGS: readonly Rounding[] = [
  ...(['up', 'down', 'ceiling', 'floor', 'half-up', 'half-down'] as const),
  ...(['half-even', 'half-ceiling', 'half-floor'] as const),
];
type Mode = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8;

/** Numbers from a seed that fast-check draws and prints; drawing a million with fast-check would take minutes. */
function generator(seed: number): (below: number) => number {
  let state = seed | 0;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

/**
 * A number as text: money, shares, numbers next to 2^53 millionths, halves, many digits, tiny ones and such finer
 * than a millionth.
 */
function figure(random: (below: number) => number): string {
  const sign = random(3) === 0 ? '-' : '';
  const digits = (most: number): string =>
    Array.from({ length: 1 + random(most) }, () => random(10)).join('');
  switch (random(10)) {
    case 0:
      return `${sign}${random(1_000)}`;
    case 1:
    case 2:
      return `${sign}${random(100_000)}.${String(random(100)).padStart(2, '0')}`;
    case 3:
      return `${sign}${digits(6)}.${digits(6)}`;
    case 4:
      return `${sign}${new Js((BigInt(Number.MAX_SAFE_INTEGER) + BigInt(random(7) - 3)).toString()).div(1e6)}`;
    case 5:
      return `${sign}${digits(14)}.${digits(6)}`;
    case 6:
      return `${sign}${random(20)}.${['5', '05', '005', '0005', '00005', '000005'][random(6)]}`;
    case 7:
      return `${sign}${random(50) * 100}`;
    case 8:
      return `${sign}0.${digits(6)}`;
    default:
      return `${sign}${digits(10)}.${digits(14)}`;
  }
}

/** Whether a result is in the canonical form of an amount, which has no -0 and no trailing zeros. */
function canonical(value: Amount): boolean {
  if (typeof value === 'number') return Number.isSafeInteger(value) && !Object.is(value, -0);
  if (typeof value === 'bigint') return value > Number.MAX_SAFE_INTEGER || value < -Number.MAX_SAFE_INTEGER;
  return value.places > 6 && value.units % 10n !== 0n;
}

const text = (value: DecimalJs): string => (value.isZero() ? '0' : value.toString());

/** A figure as both of them read it. */
interface Read {
  readonly text: string;
  readonly ours: Amount;
  readonly theirs: DecimalJs;
}

function read(written: string): Read {
  return { text: written, ours: amount(written), theirs: new Js(written) };
}

function oneOperation(random: (below: number) => number, figures: readonly Read[]): void {
  const drawn = (): Read => figures[random(figures.length)] as Read;
  const [{ text: x, ours: a, theirs: p }, { text: y, ours: b, theirs: q }] = [drawn(), drawn()];
  const { text: z, ours: c, theirs: r } = drawn();
  const mode = random(9) as Mode;
  const rounding = ROUNDINGS[mode] as Rounding;
  const places = random(3) === 0 ? random(12) : 6;
  let [ours, theirs]: [Amount, DecimalJs] = [0, p];
  const operation = random(10);
  switch (operation) {
    case 0:
      [ours, theirs] = [add(a, b), p.plus(q)];
      break;
    case 1:
      [ours, theirs] = [subtract(a, b), p.minus(q)];
      break;
    case 2:
      [ours, theirs] = [multiply(a, b, 'exact'), p.times(q)];
      break;
    case 3:
      [ours, theirs] = [multiply(a, b, rounding, places), p.times(q).toDecimalPlaces(places, mode)];
      break;
    case 4:
      if (q.isZero()) return;
      [ours, theirs] = [divide(a, b, rounding, places), divided(p, q, places, mode)];
      break;
    case 5:
      if (r.isZero()) return;
      [ours, theirs] = [mulDiv(a, b, c, rounding, places), divided(p.times(q), r, places, mode)];
      break;
    case 6:
      if (r.isZero()) return;
      [ours, theirs] = [scale(a, ratioBetween(b, c), rounding, places), divided(p.times(q), r, places, mode)];
      break;
    case 7:
      [ours, theirs] = [round(a, rounding, places), p.toDecimalPlaces(places, mode)];
      break;
    case 8:
      if (q.isZero()) return;
      [ours, theirs] = [remainder(a, b), p.modulo(q)];
      break;
    default: {
      const order = p.comparedTo(q);
      if (Math.sign(compare(a, b)) !== order || compare(max(a, b), min(a, b)) !== Math.abs(order))
        throw new Error(`compare ${x} with ${y}`);
      [ours, theirs] = [add(negate(absolute(a)), max(a, min(b, c))), Js.max(p, Js.min(q, r)).minus(p.abs())];
    }
  }
  if (!canonical(ours) || formatAmount(ours) !== text(theirs))
    throw new Error(
      `operation ${operation} on ${x}, ${y}, ${z} (${rounding}, ${places} places) is ${formatAmount(ours)}, want ${text(theirs)}`,
    );
}

/** A quotient rounded once: decimal.js would round to its precision first, so whole numbers are divided. */
function divided(over: DecimalJs, under: DecimalJs, places: number, mode: Mode): DecimalJs {
  const shift = new Js(10).pow(places);
  const whole = over.times(shift).divToInt(under);
  const rest = over.times(shift).minus(whole.times(under));
  const half = rest.abs().times(2).comparedTo(under.abs());
  const isBelow = over.isNegative() !== under.isNegative();
  // A short replacement of the remaining digits on the same side of a half.
  const part = rest.isZero() ? 0 : half === 0 ? 0.5 : half > 0 ? 0.75 : 0.25;
  return whole
    .plus(isBelow ? -part : part)
    .toDecimalPlaces(0, mode)
    .div(shift);
}

describe('an amount', () => {
  it('equals decimal.js in random operations in every rounding, seven hundred thousand of them in CI', () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const random = generator(seed);
        const figures = Array.from({ length: 3_000 }, () => read(figure(random)));
        for (let count = 0; count < 10_000; count += 1) oneOperation(random, figures);
      }),
      { numRuns: randomCases(80, 20), endOnFailure: true },
    );
  });

  it('reads and writes every text, Decimal and double that it can represent', () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const random = generator(seed);
        for (let count = 0; count < 100; count += 1) {
          const written = figure(random);
          const { ours, theirs } = read(written);
          const [decimal, double, places] = [new Decimal(written), Number(written), random(10)];
          const rounded = theirs.toDecimalPlaces(places, 4);
          // One comparison of them all: an expectation of each would take ten times as long.
          expectEqual(
            {
              isCanonical: canonical(ours),
              text: formatAmount(ours),
              ofDecimal: toAmount(decimal),
              decimal: toDecimal(ours),
              double: toDouble(ours),
              decimalAsDouble: doubleOfDecimal(decimal),
              doubleAsDecimal: decimalOfDouble(double),
              reciprocal: decimalOfDouble(1 / double),
              ofDouble: amountOfDouble(double),
              inPlaces: formatAmount(ours, places),
              atRate: formatAmount(scale(ours, ratioOf(new Decimal('0.0000565')), 'half-up', 14)),
              is: [isNegative(ours), isPositive(ours), isWhole(ours)],
            },
            {
              isCanonical: true,
              text: text(theirs),
              ofDecimal: ours,
              decimal: new Decimal(text(theirs)),
              double: Number(text(theirs)),
              decimalAsDouble: decimal.toNumber(),
              doubleAsDecimal: new Decimal(double),
              reciprocal: new Decimal(1 / double),
              ofDouble: amount(String(Number(text(theirs)))),
              inPlaces: text(rounded) === '0' ? new Js(0).toFixed(places) : theirs.toFixed(places, 4),
              atRate: text(theirs.times('0.0000565').toDecimalPlaces(14, 4)),
              is: [theirs.lt(0), theirs.gt(0), theirs.isInteger()],
            },
          );
        }
      }),
      { numRuns: 200 },
    );
  });

  it('passes signed zeros, infinities and NaN from doubles to Decimals and back', () => {
    for (const value of [0, -0, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 5e-324]) {
      expect(decimalOfDouble(value)).toEqual(new Decimal(value));
      expect(doubleOfDecimal(new Decimal(value))).toBe(value);
    }
  });

  it('counts millionths in a number, beyond 2^53 of them in a bigint, and keeps finer amounts', () => {
    expect(amount('350.20')).toBe(350_200_000);
    expect(amount('9007199254.740991')).toBe(9_007_199_254_740_991);
    expect(amount('9007199254.740992')).toBe(9_007_199_254_740_992n);
    expect(subtract(amount('9007199254.740992'), amount('0.000001'))).toBe(9_007_199_254_740_991);
    expect(amount('0.00000001')).toEqual({ units: 1n, places: 8 });
    expect(multiply(amount('0.00000001'), amount('100'), 'exact')).toBe(1);
    expect(amount('-0')).toBe(0);
    expect(amountOfDouble(1e-9)).toEqual({ units: 1n, places: 9 });
  });

  it('keeps a rate of 1/7.8 exactly until it is applied', () => {
    const rate = ratioBetween(amount('1'), amount('7.8'));
    expect(rate).toEqual({ numerator: 5, denominator: 39 });
    expect(scale(amount('78'), rate, 'half-up')).toBe(amount('10'));
    expect(formatAmount(scale(amount('1000'), rate, 'half-up', 2))).toBe('128.21');
  });

  it('parses no invalid decimal, and divides nothing by zero', () => {
    for (const each of ['', 'NaN', 'Infinity', '1,000', '0x1f', '.5', '5.', ' 1'])
      expect(parseAmount(each)).toBeUndefined();
    expect(() => amount('1,000')).toThrow('1,000');
    for (const each of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
      expect(() => amountOfDouble(each)).toThrow(RangeError);
      expect(() => toAmount(new Decimal(each))).toThrow(RangeError);
    }
    expect(() => divide(1, 0, 'half-up')).toThrow('zero');
    expect(() => mulDiv(1, 1, 0, 'half-up')).toThrow('zero');
    expect(() => remainder(1, 0)).toThrow('zero');
    expect(() => ratioBetween(1, 0)).toThrow('zero');
  });
});
