import { Decimal as DecimalJs } from 'decimal.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Decimal, decimal, parseDecimal, ZERO } from '#src/model/decimal.ts';

/** What the house says it keeps: the same settings, in the library that everybody trusts. */
const Js = DecimalJs.clone({ precision: 40, rounding: DecimalJs.ROUND_HALF_UP, toExpNeg: -40, toExpPos: 40 });

const whole = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: -2_000, max: 2_000 }).map(String) },
  { weight: 2, arbitrary: fc.maxSafeInteger().map(String) },
  { weight: 2, arbitrary: fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }).map(String) },
  { weight: 2, arbitrary: fc.bigInt({ min: -(10n ** 38n), max: 10n ** 38n }).map(String) },
);
/** Figures as money, prices, quantities, ratios and rates are written. */
const figure = fc
  .tuple(whole, fc.oneof(fc.constant(''), fc.stringMatching(/^\.\d{1,10}$/)))
  .map(([units, fraction]) => `${units}${fraction}`)
  .filter((text) => text.replace(/\D/g, '').replace(/^0+/, '').length <= 40);
const double = fc.double({ noDefaultInfinity: true, noNaN: true, min: -1e30, max: 1e30 });
const rounding = fc.integer({ min: 0, max: 8 }).map((mode) => mode as 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8);

/** decimal.js knows a zero below zero; ours has none. */
const text = (value: DecimalJs): string => (value.isZero() ? '0' : value.toString());

describe('Decimal', () => {
  it('adds, subtracts, multiplies, divides and takes rests as decimal.js does', () => {
    fc.assert(
      fc.property(figure, figure, (a, b) => {
        const [ours, theirs] = [new Decimal(a), new Js(a)];
        expect(ours.plus(b).toString()).toBe(text(theirs.plus(b)));
        expect(ours.minus(b).toString()).toBe(text(theirs.minus(b)));
        expect(ours.times(b).toString()).toBe(text(theirs.times(b)));
        expect(ours.div(b).toString()).toBe(text(theirs.div(b)));
        if (!new Js(b).isZero()) expect(exactRest(a, b)).toBe(ours.modulo(b).toString());
      }),
      { numRuns: 5_000 },
    );
  });

  it('adds nothing, takes nothing away and counts by one as decimal.js does, however long the figure', () => {
    const long = fc.stringMatching(/^-?[1-9]\d{30,50}(\.\d{1,20})?$/);
    fc.assert(
      fc.property(fc.oneof(figure, long), fc.constantFrom('0', '1', '-1', '0.0'), (a, b) => {
        const [ours, theirs] = [new Decimal(a), new Js(a)];
        expect(ours.plus(b).toString()).toBe(text(theirs.plus(b)));
        expect(ours.minus(b).toString()).toBe(text(theirs.minus(b)));
        expect(new Decimal(b).plus(a).toString()).toBe(text(new Js(b).plus(a)));
        expect(new Decimal(b).minus(a).toString()).toBe(text(new Js(b).minus(a)));
        expect(ours.times(b).toString()).toBe(text(theirs.times(b)));
        if (!new Js(b).isZero()) expect(ours.div(b).toString()).toBe(text(theirs.div(b)));
        expect(ours.comparedTo(b)).toBe(theirs.comparedTo(b));
        expect(new Decimal(b).comparedTo(a)).toBe(new Js(b).comparedTo(a));
      }),
      { numRuns: 2_000 },
    );
  });

  it('compares as decimal.js does', () => {
    fc.assert(
      fc.property(figure, figure, (a, b) => {
        const [ours, theirs] = [new Decimal(a), new Js(a)];
        expect(ours.comparedTo(b)).toBe(theirs.comparedTo(b));
        expect([ours.eq(b), ours.lt(b), ours.lte(b), ours.gt(b), ours.gte(b)]).toEqual([
          theirs.eq(b),
          theirs.lt(b),
          theirs.lte(b),
          theirs.gt(b),
          theirs.gte(b),
        ]);
        expect(Decimal.max(a, b).toString()).toBe(text(Js.max(a, b)));
        expect(Decimal.min(a, b).toString()).toBe(text(Js.min(a, b)));
      }),
      { numRuns: 2_000 },
    );
  });

  it('rounds in nine ways as decimal.js does', () => {
    fc.assert(
      fc.property(figure, fc.integer({ min: 0, max: 12 }), rounding, (a, places, mode) => {
        const [ours, theirs] = [new Decimal(a), new Js(a)];
        expect(ours.toDecimalPlaces(places, mode).toString()).toBe(
          text(theirs.toDecimalPlaces(places, mode)),
        );
        expect(ours.toFixed(places, mode)).toBe(
          theirs.isZero() ? new Js(0).toFixed(places) : theirs.toFixed(places, mode),
        );
        expect(ours.trunc().toString()).toBe(text(theirs.trunc()));
        expect(ours.floor().toString()).toBe(text(theirs.floor()));
        expect(ours.ceil().toString()).toBe(text(theirs.ceil()));
      }),
      { numRuns: 5_000 },
    );
  });

  it('reads doubles by their shortest text, and gives the nearest double back', () => {
    fc.assert(
      fc.property(fc.oneof(double, figure.map(Number)), (value) => {
        expect(new Decimal(value).toString()).toBe(text(new Js(value)));
        expect(new Decimal(value).toNumber()).toBe(value === 0 ? 0 : value);
      }),
      { numRuns: 5_000 },
    );
  });

  it('gives the nearest double of whatever it holds', () => {
    fc.assert(
      fc.property(figure, figure, (a, b) => {
        const product = new Decimal(a).times(b);
        expect(product.toNumber()).toBe(Number(product.toString()));
      }),
    );
  });

  it('looks alike where it is equal, however it came about', () => {
    fc.assert(
      fc.property(figure, figure, (a, b) => {
        const there = new Decimal(a).plus(b);
        expect(there).toEqual(new Decimal(there.toString()));
      }),
    );
    expect(new Decimal('1.500')).toEqual(new Decimal(1.5));
    expect(new Decimal('-0')).toEqual(ZERO);
    expect(new Decimal(-0).neg()).toEqual(ZERO);
  });

  it('carries NaN and infinities through, and compares false with NaN', () => {
    for (const a of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0, 2.5, 1e30]) {
      for (const b of [Number.NaN, Number.POSITIVE_INFINITY, 0, -3, 1e31]) {
        const [ours, theirs] = [new Decimal(a), new Js(a)];
        expect(ours.plus(b).toString()).toBe(text(theirs.plus(b)));
        expect(ours.minus(b).toString()).toBe(text(theirs.minus(b)));
        expect(ours.times(b).toString()).toBe(text(theirs.times(b)));
        expect(ours.div(b).toString()).toBe(text(theirs.div(b)));
        expect([ours.lt(b), ours.gte(b), ours.eq(b)]).toEqual([theirs.lt(b), theirs.gte(b), theirs.eq(b)]);
        expect(ours.isFinite()).toBe(theirs.isFinite());
      }
    }
  });

  it('prints exponents only beyond 40 digits, and reads them anywhere', () => {
    for (const each of [
      '1e39',
      '1e40',
      '1.5e-39',
      '1e-40',
      '12e-45',
      '123456789e60',
      '0x1f',
      'Infinity',
      'NaN',
    ]) {
      expect(new Decimal(each).toString()).toBe(new Js(each).toString());
    }
    expect(() => new Decimal('1,000')).toThrow('1,000');
    expect(parseDecimal('1e9')).toBeUndefined();
    expect(() => decimal('')).toThrow(RangeError);
  });
});

/** The rest of a division, in units of the finer figure; decimal.js rounds the figures to 40 digits first. */
function exactRest(a: string, b: string): string {
  const places = Math.max(...[a, b].map((each) => (each.split('.')[1] ?? '').length));
  const units = (each: string): bigint => {
    const [integer = '', fraction = ''] = each.split('.');
    return BigInt(`${integer}${fraction.padEnd(places, '0')}`);
  };
  return text(new Js((units(a) % units(b)).toString()).times(new Js(10).pow(-places)));
}
