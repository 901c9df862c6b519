import { describe, expect, it } from 'vitest';
import { barAt } from '#src/model/bar.ts';
import { barColumns, barsBetween, columnsOfBars, columnsOfRows } from '#src/model/bar-columns.ts';
import { AAPL } from '../fixtures/market.ts';

const OF = { symbol: AAPL, period: '1m' } as const;
const ROWS = [
  [60_000, 10, 12, 9, 11, 100],
  [120_000, 11, 13, 10, 12, 200],
  [180_000, 12, 14, 11, 13, 300],
];
const BARS = columnsOfRows(OF, ROWS);

describe('columns of bars', () => {
  it('have the figures of rows in order, and NaN for a missing one', () => {
    expect(BARS.length).toBe(3);
    expect(barAt(BARS, 1)).toEqual({
      ...OF,
      ...{ time: 120_000, open: 11, high: 13, low: 10, close: 12, volume: 200 },
    });
    expect(columnsOfRows(OF, [[60_000, 10]]).volume).toEqual(Float64Array.of(Number.NaN));
  });

  it('restore bars unchanged', () => {
    expect(columnsOfBars(OF, [barAt(BARS, 0), barAt(BARS, 1), barAt(BARS, 2)])).toEqual(BARS);
  });

  it('between two indexes are views of the same memory', () => {
    const view = barsBetween(BARS, 1);
    expect(view.length).toBe(2);
    expect(barAt(view, 0)).toEqual(barAt(BARS, 1));
    expect(view.close.buffer).toBe(BARS.close.buffer);
    expect(barsBetween(BARS, 1, 2).time).toEqual(Float64Array.of(120_000));
  });

  it('all have the length of the times', () => {
    expect(barColumns(OF, () => new Float64Array(7)).length).toBe(7);
  });
});
