import { describe, expect, it } from 'vitest';
import { readBenchmark } from '#src/app/load/read-benchmark.ts';
import { DAY_MS, millis } from '#src/model/time.ts';
import { benchmarkOf } from '#src/reports/benchmark.ts';
import { runHtml } from '#src/reports/page/run-html.ts';
import { aPage } from './a-page.ts';
import { START } from './a-run.ts';

const RETURNS = Array.from({ length: 60 }, (_, day) => 0.01 * Math.sin(day * 1.7) + 0.001);

/** Values that begin with 100 and change by the given returns. */
function compounded(returns: readonly number[]): readonly number[] {
  const values = [100];
  for (const share of returns) values.push((values.at(-1) ?? 0) * (1 + share));
  return values;
}

/** A value at each close of a run with one close per day. */
const daily = (value: readonly number[]) => ({
  name: 'INDEX.US',
  time: value.map((_, index) => millis(START + (index + 1) * DAY_MS)),
  value,
});

describe('a benchmark of a report', () => {
  it('has slope and intercept of daily returns: those by which the equity was generated from it', () => {
    const page = aPage(compounded(RETURNS.map((share) => 0.5 * share + 0.0002)));
    const { figures, line } = benchmarkOf(page, daily(compounded(RETURNS)));
    expect(figures.beta).toMatchObject({ kind: 'value', value: expect.closeTo(0.5, 6) });
    expect(figures.alpha).toMatchObject({ kind: 'value', value: expect.closeTo(0.0002 * 252, 6) });
    expect(figures.correlation).toMatchObject({ value: expect.closeTo(1, 6) });
    expect(line).toHaveLength(page.curve.time.length);
    expect(line[0]).toBeCloseTo(page.curve.equity[0] ?? 0, 6);
  });

  it('counts a value from its own instant on, so that a close uses no later one', () => {
    const page = aPage([100, 100, 100]);
    const late = {
      ...daily([10, 20, 40]),
      time: [0, DAY_MS + 1, 2 * DAY_MS + 1].map((ms) => millis(START + DAY_MS + ms)),
    };
    expect(benchmarkOf(page, late).line).toEqual([100, 100, 200]);
  });

  it('is refused if it begins after the run or ends before it', () => {
    const page = aPage(compounded(RETURNS));
    const late = { ...daily([1, 2]), time: [millis(START + 3 * DAY_MS), millis(START + 4 * DAY_MS)] };
    expect(() => benchmarkOf(page, late)).toThrow(
      'Cannot use "INDEX.US" as benchmark: it begins on 2024-01-04, after the first close of the run on 2024-01-02',
    );
    expect(() => benchmarkOf(page, daily([1, 2]))).toThrow(/it ends on 2024-01-03, before the last close/);
    expect(() => benchmarkOf(aPage([100]), daily([1, 2]))).toThrow('fewer than two days');
  });

  it('has the figures of the whole run, also of a very long one', () => {
    const returns = Array.from({ length: 6_000 }, (_, day) => 0.001 * Math.sin(day * 1.7));
    const values = compounded(returns).map((value, index) => (index < 100 ? value / 2 : value));
    const page = aPage(values);
    const { figures, line, since } = benchmarkOf(page, daily(values));
    expect(figures.totalReturn).toBeCloseTo((line.at(-1) ?? 0) / (line[0] ?? 0) - 1, 6);
    expect(figures.totalReturn).toBeGreaterThan(0.9);
    expect(since).toBeUndefined();
  });

  it('names the first day of its figures for a run that was saved with its last days only', () => {
    const page = aPage(compounded(RETURNS));
    const report = {
      ...page.report,
      equity: page.report.equity.slice(10),
      omitted: { ...page.report.omitted, equity: 10 },
    };
    const cut = { ...page, report };
    const benchmark = benchmarkOf(cut, daily(compounded(RETURNS)));
    expect(benchmark.since).toBe('2024-01-12');
    expect(runHtml(cut, benchmark)).toContain('<dt>Beta from 2024-01-12</dt><dd>1.00</dd>');
  });

  it('has no slope for two days, or for equity that fell to 0, and gives the reason', () => {
    const two = benchmarkOf(aPage([100, 101]), daily([10, 11])).figures;
    expect(two.beta).toEqual({ kind: 'undefined', reason: 'too few samples (1 of 30 days)' });
    expect(two.totalReturn).toBeCloseTo(0.1, 12);
    const values = compounded(RETURNS);
    const lost = aPage(values.map((value, index) => (index === 20 ? 0 : value)));
    expect(benchmarkOf(lost, daily(values)).figures.alpha).toEqual({
      kind: 'undefined',
      reason: 'equity fell to 0',
    });
  });

  it('is refused if its values are further apart than a day and than closes of the run', () => {
    const values = compounded(RETURNS);
    const every = (gap: number) => ({
      name: 'weekly.csv',
      time: values.map((_, index) => millis(START + (1 + index * gap) * DAY_MS)),
      value: values,
    });
    expect(() => benchmarkOf(aPage(values), every(7))).toThrow(
      'Cannot use "weekly.csv" as benchmark: from 2024-01-02 to 2024-03-02 its values are 7 days apart (median), want one for each trading day; name a symbol with daily bars',
    );
    expect(() => benchmarkOf(aPage(values), every(30))).toThrow('30 days apart');
    expect(benchmarkOf(aPage(values), every(3)).figures.beta.kind).toBe('value');
    const page = aPage(values);
    const weekly = page.report.equity.map(([, value], index) => [
      new Date(START + (1 + index * 7) * DAY_MS).toISOString(),
      value ?? 0,
    ]);
    const report = { ...page.report, equity: weekly };
    expect(benchmarkOf({ ...page, report }, every(7)).figures.beta).toEqual({
      kind: 'undefined',
      reason: 'closes are not daily',
    });
  });

  it('is in the page with its figures, and absent if none was chosen', () => {
    const page = aPage(compounded(RETURNS));
    const text = runHtml(page, benchmarkOf(page, { ...daily(compounded(RETURNS)), name: '<INDEX>' }));
    expect(text).toContain('<dt>Beta</dt><dd>1.00</dd>');
    expect(text).toContain('<li class="bench">&lt;INDEX&gt;</li>');
    expect(text).toContain('"benchmark":[100,');
    expect(runHtml(page)).not.toContain('<dt>Beta</dt>');
  });

  it('is read from the daily bars of a symbol, each known at its close, or from no other name', () => {
    const read = (named: string) => readBenchmark(named, { project: process.cwd(), dir: 'backtest-data' });
    const { name, time, value } = read('SPX.US');
    expect(name).toBe('SPX.US (REAL PRICES, without dividends)');
    expect(time).toHaveLength(value.length);
    expect(new Date(time[0] ?? 0).toISOString()).toMatch(/T21:00:00/);
    expect(() => read('index')).toThrow('neither a symbol such as SPX.US nor the path of a .csv file');
  });
});
