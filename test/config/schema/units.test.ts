import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { amount, duration, percentage, ticks } from '../../../src/config/schema/units.ts';
import { Decimal } from '../../../src/model/decimal.ts';

describe('units', () => {
  it('reads its own notation', () => {
    expect(amount.read('20000.50 USD')).toEqual({ amount: new Decimal('20000.5'), currency: 'USD' });
    expect(percentage(100).read('12.5%')?.toString()).toBe('0.125');
    expect(duration.read('30s')).toBe(30_000);
    expect(duration.read('90d')).toBe(90 * 86_400_000);
    expect(ticks.read('1 tick')).toBe(1);
    expect(ticks.read('2 ticks')).toBe(2);
  });

  it.each(['0 USD', '0.00 USD', '5USD', 'USD 5', '5 usd', '-5 USD', '5', ' 5 USD', '5 USD '])(
    'does not read "%s" as an amount',
    (text) => {
      expect(amount.read(text)).toBeUndefined();
    },
  );

  it.each(['0s', '91d', '1.5s', '30', '30 s', '-1s', '1w', 's'])(
    'does not read "%s" as a length of time',
    (text) => {
      expect(duration.read(text)).toBeUndefined();
    },
  );

  it.each(['0%', '0.3', '30', '101%', '-3%', '3 %', '%'])('does not read "%s" as a percentage', (text) => {
    expect(percentage(100).read(text)).toBeUndefined();
  });

  it.each(['101 ticks', '1', '1.5 ticks', '-1 tick', 'one tick'])('does not read "%s" as ticks', (text) => {
    expect(ticks.read(text)).toBeUndefined();
  });

  it('reads exactly the figure in the text', () => {
    const aFigure = fc
      .tuple(fc.nat({ max: 999_999_999 }), fc.nat({ max: 9_999_999 }))
      .map(([a, b]) => `${a}.${b}1`);
    fc.assert(
      fc.property(aFigure, (figure) => {
        expect(amount.read(`${figure} HKD`)?.amount.eq(new Decimal(figure))).toBe(true);
      }),
    );
  });
});
