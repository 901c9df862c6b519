import { describe, expect, it } from 'vitest';
import { resampledRun } from '#src/app/research/monte-carlo.ts';
import { POINTS_MAX } from '#src/reports/run-page.ts';
import { simulateRuns } from '#src/research/monte-carlo.ts';
import { aPage } from '../../reports/a-page.ts';
import { aFill } from '../../reports/a-run.ts';

/** More days than a page draws. Equity alternately rises and falls, so the drawn days are no fair sample. */
const DAYS = POINTS_MAX * 2;
const EQUITY = Array.from({ length: DAYS }, (_, day) => 1_000 + day + (day % 7) * 20);

/** Buys at the close of day `from` and sells at that of day `to`, once every twenty days. */
const trades = (from: number, to: number) =>
  Array.from({ length: Math.floor(DAYS / 20) }, (_, at) => [
    aFill('buy', 1, '1', { day: at * 20 + from + 1 }),
    aFill('sell', 1, '1', { day: at * 20 + to + 1 }),
  ]).flat();

describe('a run to resample', () => {
  it('compares its trades with holding the symbols at the close of every day, also if the page of the run is thinned', async () => {
    const page = aPage(EQUITY, { fills: trades(3, 8) });
    expect(page.curve.time.length).toBeLessThan(DAYS);
    const run = resampledRun(page);
    expect(run.held).toHaveLength(DAYS / 20);
    expect(run.held[1]).toEqual({ from: 23, to: 28, side: 1 });
    const plan = { bootstrap: 'block', runs: 50, seed: 1, block: 5, ruin: 0.5 } as const;
    const { nulls } = await simulateRuns(run, plan);
    const moves = run.held.map(({ from, to }) => (EQUITY[to] ?? 0) / (EQUITY[from] ?? 0) - 1);
    const [entries] = nulls;
    expect(entries).toMatchObject({ name: 'random-entry', rows: DAYS / 20 });
    expect(entries?.actual).toBeCloseTo(moves.reduce((sum, move) => sum + move, 0) / moves.length, 8);
  });

  it('leaves trades that end on the day of their entry out of that comparison', () => {
    expect(resampledRun(aPage(EQUITY, { fills: trades(3, 3) })).held).toEqual([]);
  });

  it('leaves out trades that begin before the first day that a long run keeps', () => {
    const page = aPage(EQUITY.slice(0, 100), { fills: trades(3, 8).slice(0, 8) });
    const equity = page.report.equity.slice(10);
    const dailyHold = page.dailyHold?.slice(10) ?? [];
    const report = { ...page.report, equity, omitted: { ...page.report.omitted, equity: 10 } };
    expect(resampledRun({ ...page, report, dailyHold }).held).toEqual([
      { from: 13, to: 18, side: 1 },
      { from: 33, to: 38, side: 1 },
      { from: 53, to: 58, side: 1 },
    ]);
  });

  it('has no comparison if a saved run lacks the value of holding on some day', () => {
    const { dailyHold: _, ...before } = aPage(EQUITY.slice(0, 100), { fills: trades(3, 8).slice(0, 8) });
    expect(resampledRun(before).hold).toHaveLength(0);
    expect(resampledRun({ ...before, dailyHold: [null] }).hold).toHaveLength(0);
  });

  it('counts a trade as a share of the equity at the close before its entry', () => {
    const page = aPage([1_000, 2_000, 2_000, 4_000, 4_000], {
      fills: [aFill('buy', 10, '100', { day: 2.5 }), aFill('sell', 10, '200', { day: 4.5 })],
    });
    // 10 shares from 100 to 200 less two charges of 1: 998, of an equity of 2,000.
    expect([...resampledRun(page).trades]).toEqual([0.499]);
  });
});
