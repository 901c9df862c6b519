import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { equitySeriesIn } from '#src/market-data/equity-series.ts';
import { tearsheetHtml } from '#src/reports/page/tearsheet-html.ts';
import { dayEnd, tearsheetJson, tearsheetOf } from '#src/reports/tearsheet.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-tearsheet-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function sheetOf(lines: readonly string[]) {
  const file = join(folder, 'equity.csv');
  writeFileSync(file, `${lines.join('\n')}\n`);
  const { days, ...values } = equitySeriesIn(file);
  const series = { time: days.map(dayEnd), ...values };
  return { series, sheet: tearsheetOf(series) };
}

describe('a tearsheet', () => {
  it('compares with a benchmark by least squares of daily returns', () => {
    // Returns of the series: 10 %, -10 %, 20 %; of the benchmark: 5 %, -5 %, 5 %.
    const { sheet } = sheetOf([
      'date,equity,benchmark',
      '2024-01-02,100,200',
      '2024-01-03,110,210',
      '2024-01-04,99,199.5',
      '2024-01-05,118.8,209.475',
    ]);
    // By hand: means 0.2/3 and 0.05/3; sum of products 0.016667, of squares 0.006667; so beta 2.5 and alpha (0.2 - 2.5 x 0.05) / 3 x 252.
    const { benchmark, ...rest } = tearsheetJson(sheet);
    expect(benchmark?.beta).toBeCloseTo(2.5, 10);
    expect(benchmark?.alpha).toBeCloseTo(6.3, 10);
    expect(benchmark?.totalReturn).toBeCloseTo(0.047375, 10);
    expect(benchmark?.correlation).toBeCloseTo(0.016_666_67 / Math.sqrt(0.046_666_67 * 0.006_666_67), 6);
    expect(rest.totalReturn).toBeCloseTo(0.188, 12);
    expect(rest.maxDrawdown).toBeCloseTo(0.1, 12);
    expect(rest.drawdowns).toEqual([
      expect.objectContaining({ peak: '2024-01-03', trough: '2024-01-04', recovered: '2024-01-05', days: 2 }),
    ]);
    expect([rest.bestDay?.day, rest.worstDay?.day]).toEqual(['2024-01-05', '2024-01-04']);
    expect(rest.undefined).toMatchObject({ sharpe: 'too few samples (3 of 30 days)' });
    expect(rest.years).toMatchObject([
      { year: 2024, months: [expect.closeTo(0.188, 10), ...new Array(11).fill(null)] },
    ]);
  });

  it('has no benchmark without a column of that name', () => {
    const { sheet, series } = sheetOf(['date,equity,note', '2024-01-02,100,x', '2024-01-03,100,y']);
    expect(sheet.benchmark).toBeNull();
    expect(tearsheetHtml('<b>fund</b>', series, sheet)).toContain(
      '&lt;b&gt;fund&lt;/b&gt;: 2024-01-02 to 2024-01-03',
    );
  });

  it('says that a benchmark did not move', () => {
    const { sheet } = sheetOf([
      'date,equity,benchmark',
      '2024-01-02,1,5',
      '2024-01-03,2,5',
      '2024-01-04,3,5',
    ]);
    expect(sheet.benchmark?.beta).toEqual({ kind: 'undefined', reason: 'the benchmark did not move' });
  });

  it.each([
    [['date,equity', '2024-01-02,100'], 'it has fewer than two days'],
    [['date,equity', '2024-01-03,100', '2024-01-02,100'], '"2024-01-02" does not come after the line before'],
    [['day,value', '2024-01-02,1'], 'the header is "day,value", want "date,equity"'],
    [['date,equity', '2024-01-02,-5'], 'the equity is "-5", want a figure above 0'],
    [['date,equity,benchmark', '2024-01-02,5'], 'the benchmark is "", want a figure above 0'],
    [['date,equity', '02.01.2024,5'], 'the date is "02.01.2024", want a day such as 2024-01-31'],
  ])('is refused for %j: %s', (lines, why) => {
    expect(() => sheetOf(lines)).toThrow(why);
  });
});
