import { Decimal as Usual } from 'decimal.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Decimal } from '#src/model/decimal.ts';
import { exact } from '#src/strategy/figure.ts';

const DecimalJs = Usual.clone({ precision: 60 });
const figures = fc.tuple(fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n }), fc.integer({ min: 0, max: 8 }));
const textOf = ([units, places]: readonly [bigint, number]): string =>
  new DecimalJs(units.toString()).div(new DecimalJs(10).pow(places)).toFixed();

describe('a Decimal beside one of decimal.js', () => {
  it('takes it as an operand, and is one of its operands', () => {
    fc.assert(
      fc.property(figures, figures, (one, other) => {
        const [a, b] = [textOf(one), textOf(other)];
        const sum = new DecimalJs(a).plus(b).toFixed();
        expect(new Decimal(a).plus(new DecimalJs(b)).toFixed()).toBe(sum);
        expect(new DecimalJs(a).plus(new Decimal(b) as never).toFixed()).toBe(sum);
        expect(new DecimalJs(new Decimal(a) as never).toFixed()).toBe(
          a === '-0' ? '0' : new DecimalJs(a).toFixed(),
        );
        expect(DecimalJs.max(new Decimal(a) as never, b).toFixed()).toBe(DecimalJs.max(a, b).toFixed());
        expect(new Decimal(a).gt(new DecimalJs(b))).toBe(new DecimalJs(a).gt(b));
      }),
    );
  });

  it('is read from it in a draft, whatever its form', () => {
    expect(exact(new DecimalJs('1e-9'))?.toFixed()).toBe('0.000000001');
    expect(exact(new DecimalJs(Number.NaN))).toBeUndefined();
    expect(Decimal.from(new DecimalJs('12.50'))?.toString()).toBe('12.5');
    expect(Decimal.from({ d: [1], e: 0, s: 1 })).toBeUndefined();
  });
});
