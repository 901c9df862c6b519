import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HK_TICKS } from '#src/markets/hk/ticks.ts';
import { isOnTick, roundToTick, type TickFacts, tickLadder, tickSize, toPrice } from '#src/markets/ticks.ts';
import { decimal } from '#src/model/decimal.ts';
import { SECURITY_KINDS } from '#src/model/security.ts';
import { calendarDay } from '#src/model/time.ts';

const BEFORE = calendarDay('2025-08-03');
const AFTER = calendarDay('2025-08-04');

function tick(facts: TickFacts, price: string, day = AFTER): string {
  return tickSize(facts, decimal(price), day).toString();
}

describe('tick size of Hong Kong shares', () => {
  it.each([
    ['0.01', '0.001', '0.001'],
    ['0.249', '0.001', '0.001'],
    ['0.25', '0.005', '0.005'],
    ['0.495', '0.005', '0.005'],
    ['0.5', '0.01', '0.01'],
    ['9.99', '0.01', '0.01'],
    ['10', '0.02', '0.01'],
    ['19.98', '0.02', '0.01'],
    ['20', '0.05', '0.02'],
    ['49.95', '0.05', '0.02'],
    ['50', '0.05', '0.05'],
    ['99.95', '0.05', '0.05'],
    ['100', '0.1', '0.1'],
    ['199.9', '0.1', '0.1'],
    ['200', '0.2', '0.2'],
    ['412.4', '0.2', '0.2'],
    ['500', '0.5', '0.5'],
    ['1000', '1', '1'],
    ['2000', '2', '2'],
    ['5000', '5', '5'],
    ['9995', '5', '5'],
  ])('at %s is %s before 2025-08-04 and %s from then on', (price, before, after) => {
    const share = { market: 'HK', kind: 'stock' } as const;
    expect(tick(share, price, BEFORE)).toBe(before);
    expect(tick(share, price, AFTER)).toBe(after);
    expect(tick({ market: 'HK', kind: 'reit' }, price, AFTER)).toBe(after);
  });

  it('keeps an unconfirmed ladder prepared but unused', () => {
    const prepared = HK_TICKS.stock.filter((row) => !row.confirmed);
    expect(prepared.map((row) => row.name)).toEqual(['phase 2']);
    expect(tick({ market: 'HK', kind: 'stock' }, '5', calendarDay('2030-01-02'))).toBe('0.01');
  });

  it('permits every price of phase 1 in phase 2', () => {
    const [next, now] = HK_TICKS.stock;
    for (const band of now?.ladder ?? []) {
      const same = next?.ladder.filter((other) => other.from.lte(band.from)).at(-1);
      expect(same !== undefined && isOnTick(band.tick, same.tick)).toBe(true);
    }
  });
});

describe('tick size elsewhere', () => {
  it.each([
    ['HK', 'warrant', '15', '0.02'],
    ['HK', 'cbbc', '30', '0.05'],
    ['HK', 'etf', '0.999', '0.001'],
    ['HK', 'etf', '1', '0.002'],
    ['HK', 'etf', '5', '0.005'],
    ['HK', 'etf', '19.99', '0.01'],
    ['HK', 'etf', '20', '0.02'],
    ['HK', 'etf', '100', '0.05'],
    ['HK', 'etf', '200', '0.1'],
    ['HK', 'etf', '500', '0.2'],
    ['HK', 'etf', '1000', '0.5'],
    ['HK', 'etf', '2000', '1'],
    ['HK', 'index', '23000', '0.01'],
    ['US', 'stock', '0.9999', '0.0001'],
    ['US', 'stock', '1', '0.01'],
    ['US', 'etf', '650', '0.01'],
    ['US', 'index', '0.5', '0.01'],
    ['FX', 'stock', '1.0612', '0.00001'],
    ['CRYPTO', 'stock', '67000', '0.01'],
  ] as const)('of %s %s at %s is %s', (market, kind, price, wanted) => {
    expect(tick({ market, kind }, price)).toBe(wanted);
  });

  it('is that of the lowest band at zero and below', () => {
    expect(tick({ market: 'HK', kind: 'stock' }, '-5')).toBe('0.001');
    expect(tick({ market: 'US', kind: 'stock' }, '0')).toBe('0.0001');
  });
});

describe('rounding', () => {
  it.each([
    ['412.3', '0.2', 'down', '412.2'],
    ['412.3', '0.2', 'up', '412.4'],
    ['412.3', '0.2', 'nearest', '412.4'],
    ['412.29', '0.2', 'nearest', '412.2'],
    ['412.4', '0.2', 'down', '412.4'],
    ['412.4', '0.2', 'up', '412.4'],
    ['-0.015', '0.01', 'down', '-0.02'],
    ['-0.015', '0.01', 'up', '-0.01'],
    ['-0.015', '0.01', 'nearest', '-0.01'],
  ] as const)('%s on price steps of %s turns %s into %s', (price, step, direction, wanted) => {
    expect(roundToTick(decimal(price), decimal(step), direction).toString()).toBe(wanted);
  });

  it("returns the price of a float's shortest text, not of its binary digits", () => {
    expect(toPrice(0.1 + 0.2, decimal('0.01'), 'down').toString()).toBe('0.3');
    expect(toPrice(0.3, decimal('0.1'), 'down').toString()).toBe('0.3');
    expect(toPrice(1.005, decimal('0.005'), 'up').toString()).toBe('1.005');
    expect(toPrice(4.35, decimal('0.01'), 'down').toString()).toBe('4.35');
    expect(toPrice(1e21, decimal('0.01'), 'up').toFixed()).toBe('1000000000000000000000');
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY])('refuses %s', (estimate) => {
    expect(() => toPrice(estimate, decimal('0.01'), 'down')).toThrow(/Cannot make a price of/);
  });

  it('returns a price on a step, less than a step away, on the requested side', () => {
    const anyPrice = fc
      .integer({ min: 1, max: 99_000_000 })
      .map((mils) => decimal((mils / 10_000).toFixed(4)));
    const anyKind = fc.constantFrom(...SECURITY_KINDS);
    const anyMarket = fc.constantFrom('HK', 'US', 'FX');
    fc.assert(
      fc.property(
        anyMarket,
        anyKind,
        anyPrice,
        fc.constantFrom(BEFORE, AFTER),
        (market, kind, price, day) => {
          const step = tickSize({ market, kind }, price, day);
          const down = roundToTick(price, step, 'down');
          const up = roundToTick(price, step, 'up');
          const nearest = roundToTick(price, step, 'nearest');
          expect([down, up, nearest].every((rounded) => isOnTick(rounded, step))).toBe(true);
          expect(down.lte(price) && up.gte(price) && up.minus(down).lte(step)).toBe(true);
          expect(nearest.minus(price).abs().times(2).lte(step)).toBe(true);
          expect(isOnTick(up, tickSize({ market, kind }, up, day))).toBe(true);
        },
      ),
    );
  });

  it('stays valid if a price rounds up into the next band, as every band begins on its own price step', () => {
    for (const market of ['HK', 'US', 'FX']) {
      for (const kind of SECURITY_KINDS) {
        for (const day of [BEFORE, AFTER]) {
          for (const band of tickLadder({ market, kind }, day))
            expect(isOnTick(band.from, band.tick)).toBe(true);
        }
      }
    }
  });
});
