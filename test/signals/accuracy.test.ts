import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bars } from '#src/signals/bars.ts';
import { sma, vwma, wma } from '#src/signals/indicators/averages.ts';
import { covariance, linearRegression, linearRegressionSlope } from '#src/signals/indicators/regression.ts';
import { variance } from '#src/signals/indicators/variance.ts';
import { highest, lowest, percentRank, sum } from '#src/signals/indicators/windows.ts';
import { compileSignals } from '#src/signals/program.ts';
import type { Series } from '#src/signals/series.ts';
import { closes, seeded, someBars, walk } from './some-bars.ts';

const columnOf = (series: Series, data: Parameters<ReturnType<typeof compileSignals>['overColumns']>[0]) =>
  compileSignals({ it: series }).overColumns(data, { warmupEnd: 0 }).column('it');

const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length;

function spread(values: readonly number[], others = values): number {
  const [a, b] = [mean(values), mean(others)];
  return mean(values.map((value, i) => (value - a) * ((others[i] ?? 0) - b)));
}

function slope(values: readonly number[]): number {
  const places = values.map((_, i) => i);
  return values.length === 1 ? 0 : spread(values, places) / spread(places);
}

const weighted = (values: readonly number[]): number =>
  values.reduce((total, value, i) => total + value * (i + 1), 0) /
  ((values.length * (values.length + 1)) / 2);

/** Each windowed indicator, and the direct formula over its window. */
const PAIRS: readonly (readonly [
  string,
  (x: Series, n: number) => Series,
  (window: readonly number[]) => number,
])[] = [
  ['sum', sum, (window) => window.reduce((a, b) => a + b, 0)],
  ['sma', sma, mean],
  ['wma', wma, weighted],
  ['variance', variance, (window) => spread(window)],
  ['highest', highest, (window) => Math.max(...window)],
  ['lowest', lowest, (window) => Math.min(...window)],
  ['slope', linearRegressionSlope, slope],
  ['line', linearRegression, (window) => mean(window) + (slope(window) * (window.length - 1)) / 2],
];

describe('sliding windows', () => {
  for (const [name, make, formula] of PAIRS) {
    it(`${name} equals its plain formula to 1e-9`, () => {
      fc.assert(
        fc.property(someBars(300), fc.integer({ min: 1, max: 60 }), (data, n) => {
          const ours = columnOf(make(bars.close, n), data);
          for (let i = n - 1; i < data.length; i++) {
            const want = formula([...data.close.subarray(i - n + 1, i + 1)]);
            expect(Math.abs((ours[i] as number) - want)).toBeLessThan(1e-9 * Math.max(1, Math.abs(want)));
          }
          expect(ours.subarray(0, n - 1).every(Number.isNaN)).toBe(true);
        }),
        { numRuns: 20 },
      );
    });
  }

  it('percentRank counts the earlier values that are lower', () => {
    const ranks = columnOf(percentRank(bars.close, 4), closes([1, 2, 3, 4, 3, 0, 9]));
    expect([...ranks]).toEqual([Number.NaN, Number.NaN, Number.NaN, Number.NaN, 50, 0, 100]);
  });

  it('covariance of two series equals the plain formula', () => {
    const data = walk(200, 3);
    const ours = columnOf(covariance(bars.close, bars.volume, 15), data);
    const window = (column: Float64Array): number[] => [...column.subarray(185, 200)];
    const want = spread(window(data.close), window(data.volume));
    expect(Math.abs((ours[199] as number) / want - 1)).toBeLessThan(1e-9);
  });

  it('volume-weighted averages equal unweighted ones without volume, as on an index', () => {
    const index = { ...closes([3, 6, 9, 30]), volume: Float64Array.from([0, 0, 0, 5]) };
    const averages = columnOf(vwma(bars.close, bars.volume, 3), index);
    expect([...averages]).toEqual([Number.NaN, Number.NaN, 6, 30]);
  });

  it('have no drift after a million bars and a jump by a million', () => {
    const random = seeded(1);
    const values = Array.from({ length: 1_000_000 }, (_, i) => (i % 5_000 < 50 ? 1e8 : 100) + random());
    values.push(...Array.from({ length: 50 }, () => 0.1));
    const data = closes(values);
    expect(columnOf(sum(bars.close, 30), data).at(-1)).toBe(3);
    expect(columnOf(variance(bars.close, 30), data).at(-1)).toBeLessThan(1e-9);
    expect(columnOf(linearRegressionSlope(bars.close, 30), data).at(-1)).toBe(0);
  });

  it('keep the digits of a variance that is tiny compared with the price', () => {
    const tiny = closes([...Array(40).keys()].map((i) => 1_000_000 + (i % 2) * 2 ** -20));
    expect(columnOf(variance(bars.close, 20), tiny).at(-1)).toBe(2 ** -42);
  });

  it('do not depend on where the feed began', () => {
    const long = walk(4_000, 9);
    const late = { ...long, length: 1_000, close: long.close.subarray(3_000) };
    for (const [, make] of PAIRS) {
      const [all, some] = [columnOf(make(bars.close, 30), long), columnOf(make(bars.close, 30), late)];
      const known = some.subarray(29);
      expect(
        known.findIndex((value, i) => Math.abs(value - (all[3_029 + i] ?? 0)) > 1e-15 * Math.abs(value)),
      ).toBe(-1);
    }
  });
});
