import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { resample, sourcePeriods } from '../../src/market-data/resample.ts';
import { openBarStore } from '../../src/market-data/store.ts';
import { type BarRow, columnsOf } from './fixtures.ts';

const REAL_PRICES = new URL('../oracles/data/prices', import.meta.url).pathname;
const iso = (time: number | undefined): string => new Date(time ?? Number.NaN).toISOString();

describe('resample', () => {
  it('never lets a bar of Hong Kong reach over lunch', () => {
    const hours = resample(
      columnsOf('700.HK', '30m', [
        ['2025-09-01T03:30:00Z', 10, 11, 9, 10, 1],
        ['2025-09-01T05:00:00Z', 20, 21, 19, 20, 2],
        ['2025-09-01T05:30:00Z', 20, 22, 19, 21, 4],
      ]),
      '1h',
    );
    expect([...hours.time].map(iso)).toEqual(['2025-09-01T03:30:00.000Z', '2025-09-01T05:00:00.000Z']);
    expect([...hours.volume]).toEqual([1, 6]);
  });

  it('combines days into weeks that begin on Monday', () => {
    const weeks = resample(
      columnsOf('AAPL.US', '1d', [
        ['2024-03-08T05:00:00Z', 10, 12, 9, 11, 1],
        ['2024-03-11T04:00:00Z', 11, 13, 10, 12, 2],
        ['2024-03-12T04:00:00Z', 12, 14, 11, 13, 4],
      ]),
      '1w',
    );
    expect([...weeks.time].map(iso)).toEqual(['2024-03-04T05:00:00.000Z', '2024-03-11T04:00:00.000Z']);
    expect([...weeks.close]).toEqual([11, 13]);
    expect([...weeks.high]).toEqual([12, 14]);
  });

  it('leaves bars of extended hours and closed days out', () => {
    const rows: BarRow[] = [
      ['2024-01-01T15:00:00Z', 99, 99, 99, 99, 99],
      ['2024-01-02T14:29:00Z', 99, 99, 99, 99, 99],
      ['2024-01-02T14:30:00Z', 10, 11, 9, 10, 1],
      ['2024-01-02T20:59:00Z', 10, 11, 9, 10, 2],
      ['2024-01-02T21:00:00Z', 99, 99, 99, 99, 99],
    ];
    const days = resample(columnsOf('AAPL.US', '1m', rows), '1d');
    expect([days.length, days.high[0], days.volume[0]]).toEqual([1, 11, 3]);
  });

  it('assigns a clock hour that begins before the opening to its day', () => {
    const days = resample(columnsOf('AAPL.US', '1h', [['2024-01-02T14:00:00Z', 10, 11, 9, 10, 7]]), '1d');
    expect([days.length, days.volume[0]]).toEqual([1, 7]);
  });

  it('refuses bars that overlap two longer ones', () => {
    const clockHours = columnsOf('AAPL.US', '1h', [
      ['2024-01-02T14:00:00Z', 10, 11, 9, 10, 7],
      ['2024-01-02T15:00:00Z', 10, 11, 9, 10, 7],
      ['2024-01-02T16:00:00Z', 10, 11, 9, 10, 7],
    ]);
    expect(() => resample(clockHours, '2h')).toThrowError(/2024-01-02T16:00:00Z overlaps two of them/);
  });

  it('refuses periods that are no multiple', () => {
    const bars = columnsOf('AAPL.US', '2m', []);
    expect(() => resample(bars, '5m')).toThrowError(RangeError);
    expect(() => resample(columnsOf('AAPL.US', '1w', []), '1M')).toThrowError(RangeError);
    expect(sourcePeriods('1m')).toEqual([]);
    expect(sourcePeriods('15m')).toEqual(['5m', '3m', '1m']);
    expect(sourcePeriods('1d').at(0)).toBe('4h');
  });

  it('loses and invents nothing of regular hours, for any combination', () => {
    const open = Date.parse('2024-01-02T14:30:00Z');
    const someMinutes = fc.uniqueArray(fc.integer({ min: 0, max: 389 }), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(
        someMinutes,
        fc.constantFrom('3m', '5m', '45m', '1h', '4h', '1d', '1M'),
        (minutes, period) => {
          const rows = minutes
            .toSorted((a, b) => a - b)
            .map((minute): BarRow => {
              const price = 10 + ((minute * 37) % 50);
              return [
                new Date(open + minute * 60_000).toISOString(),
                price,
                price + 2,
                price - 1,
                price + 1,
                minute,
              ];
            });
          const bars = columnsOf('AAPL.US', '1m', rows);
          const longer = resample(bars, period);
          const sum = (column: Float64Array): number => column.reduce((total, figure) => total + figure, 0);
          expect(sum(longer.volume)).toBe(sum(bars.volume));
          expect(Math.max(...longer.high)).toBe(Math.max(...bars.high));
          expect(Math.min(...longer.low)).toBe(Math.min(...bars.low));
          expect(longer.open[0]).toBe(bars.open[0]);
          expect(longer.close.at(-1)).toBe(bars.close.at(-1));
          expect([...longer.time]).toEqual([...new Set(longer.time)].sort((a, b) => a - b));
        },
      ),
    );
  });
});

describe('resample on real bars', () => {
  it('combines the minutes of SPY into its days, within the cents by which the two sources differ', () => {
    const store = openBarStore({ dir: REAL_PRICES });
    const made = resample(store.bars('SPY.US', '1m'), '1d');
    const real = store.bars('SPY.US', '1d');
    const rowOf = new Map(Array.from(real.time, (time, row) => [time, row]));
    const twins = Array.from(made.time, (time) => rowOf.get(time)).filter((row) => row !== undefined);
    expect(twins).toHaveLength(6);
    for (const [row, twin] of twins.entries()) {
      for (const name of ['open', 'high', 'low', 'close'] as const) {
        expect(Math.abs((made[name][row] ?? 0) - (real[name][twin] ?? 0))).toBeLessThan(0.1);
      }
    }
  });
});
