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
  const read = equitySeriesIn(file);
  const series = { time: read.days.map(dayEnd), ...read };
  return { series, sheet: tearsheetOf(series) };
}

/** A file with this number of returns and a row before them, with this number of days between rows. */
function comparedLines(returns: number, gapDays = 1): readonly string[] {
  const shares = [
    [0.1, 0.05],
    [-0.1, -0.05],
    [0.2, 0.05],
  ] as const;
  let [equity, benchmark] = [100, 200];
  const lines = ['date,equity,benchmark', '2024-01-02,100,200'];
  for (let at = 0; at < returns; at += 1) {
    const [own, other] = shares[at % 3] ?? [0, 0];
    equity *= 1 + own;
    benchmark *= 1 + other;
    const day = new Date(Date.UTC(2024, 0, 2 + (at + 1) * gapDays)).toISOString().slice(0, 10);
    lines.push(`${day},${equity.toFixed(10)},${benchmark.toFixed(10)}`);
  }
  return lines;
}

describe('a tearsheet', () => {
  it('compares with a benchmark by least squares of daily returns', () => {
    // Returns, repeated ten times: of the series 10 %, -10 %, 20 %; of the benchmark 5 %, -5 %, 5 %.
    const { sheet } = sheetOf(comparedLines(30));
    // By hand: means 0.2/3 and 0.05/3; over three returns, sum of products 0.016667, of squares 0.006667; so beta is
    // 2.5 and alpha (0.2 - 2.5 x 0.05) / 3 x 252.
    const { benchmark, undefined: missing } = tearsheetJson(sheet);
    expect(benchmark?.beta).toBeCloseTo(2.5, 6);
    expect(benchmark?.alpha).toBeCloseTo(6.3, 6);
    expect(benchmark?.totalReturn).toBeCloseTo(1.047375 ** 10 - 1, 8);
    expect(benchmark?.correlation).toBeCloseTo(0.016_666_67 / Math.sqrt(0.046_666_67 * 0.006_666_67), 6);
    expect(missing).not.toHaveProperty('beta');
  });

  it('has no slope if it has no Sharpe ratio, for the same reason', () => {
    const few = tearsheetJson(sheetOf(comparedLines(29)).sheet);
    expect(few.benchmark).toMatchObject({ beta: null, alpha: null, correlation: null });
    const reason = 'too few samples (29 of 30 days)';
    expect(few.undefined).toMatchObject({ sharpe: reason, beta: reason, alpha: reason, correlation: reason });
    const weekly = tearsheetJson(sheetOf(comparedLines(40, 7)).sheet);
    expect(weekly.undefined).toMatchObject({ sharpe: 'closes are not daily', beta: 'closes are not daily' });
    expect(weekly.benchmark?.totalReturn).toBeGreaterThan(0);
  });

  it('has returns, drawdowns and months from its first day on', () => {
    const { sheet } = sheetOf([
      'date,equity',
      '2024-01-02,100',
      '2024-01-03,110',
      '2024-01-04,99',
      '2024-01-05,118.8',
    ]);
    const rest = tearsheetJson(sheet);
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
    // A figure that cannot be computed has its reason in its place.
    expect(tearsheetHtml('fund', series, sheet)).not.toContain('<dd>- (');
    expect(tearsheetHtml('<b>fund</b>', series, sheet)).toContain(
      '&lt;b&gt;fund&lt;/b&gt;: 2024-01-02 to 2024-01-03',
    );
  });

  it('reports that a benchmark did not move', () => {
    const { sheet } = sheetOf(
      comparedLines(30).map((line, at) => (at === 0 ? line : line.replace(/[^,]*$/, '5'))),
    );
    expect(sheet.benchmark?.beta).toEqual({ kind: 'undefined', reason: 'the benchmark did not move' });
  });

  it.each([
    [['date,equity', '2024-01-02,100'], 'it has fewer than two days'],
    [['date,equity', '2024-01-03,100', '2024-01-02,100'], '"2024-01-02" is not after the previous line'],
    [['day,value', '2024-01-02,1'], 'the header is "day,value", want "date,equity"'],
    [
      ['date,equity', '2024-01-02,-5'],
      'the equity is "-5", but returns need equity above 0; remove this line and the following ones',
    ],
    [['date,equity', '2024-01-02,'], 'the equity is "", want a number above 0'],
    [['date,equity,benchmark', '2024-01-02,5'], 'the benchmark is "", want a number above 0'],
    [['date,equity', '02.01.2024,5'], 'the date is "02.01.2024", want a day such as 2024-01-31'],
  ])('is refused for %j: %s', (lines, why) => {
    expect(() => sheetOf(lines)).toThrow(why);
  });
});

describe('an equity series with times', () => {
  it('keeps its first value and the last of each day, by its column of days or by UTC days', () => {
    const lines = [
      'time,equity,drawdown,exposure,day',
      '2024-01-02T14:30:00Z,100,0,0,2024-01-02',
      '2024-01-02T20:00:00Z,90,0.1,1,2024-01-02',
      '2024-01-02T21:00:00Z,110,0,1,2024-01-02',
      '2024-01-04T01:00:00Z,120,0,1,2024-01-03',
      '2024-01-05T01:00:00Z,60,0.5,1,2024-01-04',
    ];
    const kept = (written: readonly string[]) => {
      const { days, equity } = sheetOf(written).series;
      return days.map((day, at) => `${day} ${equity[at]}`);
    };
    expect(kept(lines)).toEqual(['2024-01-02 100', '2024-01-02 110', '2024-01-03 120', '2024-01-04 60']);
    const withoutDays = lines.map((line) => line.split(',').slice(0, 2).join(','));
    expect(kept(withoutDays)).toEqual([
      '2024-01-02 100',
      '2024-01-02 110',
      '2024-01-04 120',
      '2024-01-05 60',
    ]);
    expect(sheetOf(lines).sheet).toMatchObject({ totalReturn: -0.4, maxDrawdown: { share: 0.5 } });
  });

  it('skips the closes whose equity is not known, as in a file of a backtest without a price', () => {
    const lines = [
      'time,equity,drawdown,exposure,day',
      '2024-01-02T14:30:00Z,100,0,0,2024-01-02',
      '2024-01-02T21:00:00Z,110,0,1,2024-01-02',
      '2024-01-03T21:00:00Z,,,,2024-01-03',
      '2024-01-04T20:00:00Z,120,0,1,2024-01-04',
      '2024-01-04T21:00:00Z,,,,2024-01-04',
    ];
    const { days, equity } = sheetOf(lines).series;
    expect(days.map((day, at) => `${day} ${equity[at]}`)).toEqual([
      '2024-01-02 100',
      '2024-01-02 110',
      '2024-01-04 120',
    ]);
  });

  it.each([
    ['2024-01-02 14:30,100', 'the time is "2024-01-02 14:30"'],
    ['2024-01-02T14:30:00Z,0', 'the equity is "0", but returns need equity above 0; remove this line'],
    [
      '2024-01-02T14:30:00Z,-20.5',
      'the equity is "-20.5", but returns need equity above 0; remove this line',
    ],
    ['2024-01-02T14:30:00Z,x', 'the equity is "x", want a number above 0'],
    ['2024-01-01T14:30:00Z,100', '"2024-01-01T14:30:00Z" is not after the previous line'],
  ])('refuses the line %s', (line, problem) => {
    const lines = ['time,equity', '2024-01-01T14:30:00Z,100', '2024-01-01T15:00:00Z,100', line];
    expect(() => sheetOf(lines)).toThrow(problem);
  });
});
