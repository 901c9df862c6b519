import { describe, expect, it } from 'vitest';
import { barAt } from '#src/model/bar.ts';
import { BAR_FIGURES, barColumns } from '#src/model/bar-columns.ts';
import { LazyColumns, partOf } from '#src/model/lazy-columns.ts';
import { AAPL } from '../fixtures/market.ts';

const OF = { symbol: AAPL, period: '1m' } as const;

/** Three bars whose figures encode their column and row, and the list of columns that were computed. */
function watched(): { readonly columns: LazyColumns; readonly made: string[] } {
  const made: string[] = [];
  const columns = new LazyColumns(OF, 3, (figure, place) => {
    made.push(figure);
    return Float64Array.of(10 * place, 10 * place + 1, 10 * place + 2);
  });
  return { columns, made };
}

describe('lazy columns', () => {
  it('compute each column once, on first access', () => {
    const { columns, made } = watched();
    expect([columns.symbol, columns.period, columns.length, made]).toEqual([AAPL, '1m', 3, []]);
    expect(columns.close[2]).toBe(42);
    expect(made).toEqual(['close']);
    expect(columns.close).toBe(columns.close);
    expect(barAt(columns, 1)).toEqual({
      ...OF,
      ...{ time: 1, open: 11, high: 21, low: 31, close: 41, volume: 51 },
    });
    expect(made.toSorted()).toEqual(BAR_FIGURES.toSorted());
  });

  it('of a part of bars are views, and compute only the accessed bars', () => {
    const { columns, made } = watched();
    const part = partOf(columns, 1, 3);
    expect([part.symbol, part.period, part.length, made]).toEqual([AAPL, '1m', 2, []]);
    expect(part.high).toEqual(Float64Array.of(21, 22));
    expect(part.high.buffer).toBe(columns.high.buffer);
    expect(made).toEqual(['high']);
    expect(barColumns(OF, (figure) => part[figure])).toEqual(
      barColumns(OF, (figure) => columns[figure].subarray(1)),
    );
  });
});
