import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultLotSize, isWholeLots, lotProblem, roundToLot } from '#src/markets/lots.ts';
import { Decimal, decimal } from '#src/model/decimal.ts';

describe('lots', () => {
  it('are 100 shares in Hong Kong and 1 elsewhere unless the security overrides them', () => {
    expect([defaultLotSize('HK'), defaultLotSize('US'), defaultLotSize('FX')]).toEqual([100, 1, 1]);
  });

  it.each([
    ['LO', '200', undefined],
    ['LO', '250', 'want a multiple of the lot of 100'],
    ['LO', '0', 'want more than 0'],
    ['MO', '-100', 'want more than 0'],
    ['ODD', '50', undefined],
    ['ODD', '100', 'whole shares below the lot of 100'],
    ['ODD', '0.5', 'whole shares below the lot of 100'],
  ] as const)('judge %s of %s', (type, quantity, problem) => {
    const found = lotProblem({ type, quantity: decimal(quantity), lotSize: 100 });
    if (problem === undefined) expect(found).toBeUndefined();
    else expect(found).toContain(problem);
  });

  it('round towards zero, to whole lots, by less than a lot', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -1e9, max: 1e9 }),
        fc.integer({ min: 1, max: 5000 }),
        (thousandths, lotSize) => {
          const quantity = new Decimal(thousandths).div(1000);
          const rounded = roundToLot(quantity, lotSize);
          expect(isWholeLots(rounded, lotSize)).toBe(true);
          expect(rounded.abs().lte(quantity.abs())).toBe(true);
          expect(quantity.minus(rounded).abs().lt(lotSize)).toBe(true);
        },
      ),
    );
  });
});
