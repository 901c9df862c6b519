import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { loadRun } from '../../src/app/load/load-run.ts';
import { runPaper } from '../../src/app/run/run-paper.ts';
import { runBacktest } from '../../src/backtest/run-backtest.ts';
import { resample } from '../../src/market-data/resample.ts';
import { openBarStore } from '../../src/market-data/store.ts';
import { compareRuns } from '../../src/reports/parity.ts';

const root = resolve(import.meta.dirname, '../..');
const project = mkdtempSync(join(tmpdir(), 'sluice-closed-'));
afterAll(() => rmSync(project, { recursive: true, force: true }));

const CONFIG = `strategy: momentum
symbols: [SPX.US]
period: 1d
account: { currency: USD, cash: { USD: 100000 } }
data: { from: 2019-01-02, to: 2019-06-28, dir: DIR }
`;

/**
 * Backtest and paper on a copy of the data; `row` is inserted on Martin Luther King Day, when New York was closed.
 */
async function both(row?: string) {
  const dir = mkdtempSync(join(project, 'data-'));
  cpSync(join(root, 'backtest-data/SPX.US'), join(dir, 'SPX.US'), { recursive: true });
  const file = join(dir, 'SPX.US/1d.csv');
  const lines = readFileSync(file, 'utf8').split('\n');
  const after = lines.findIndex((line) => line.startsWith('2019-01-22'));
  if (row !== undefined) lines.splice(after, 0, `2019-01-21T05:00:00Z,${row}`);
  writeFileSync(file, lines.join('\n'));
  const path = join(dir, 'closed.yaml');
  writeFileSync(path, CONFIG.replace('DIR', dir));
  const loaded = await loadRun(path, root);
  const tested = runBacktest(loaded.setup, { decisions: true });
  return { tested, parity: compareRuns(tested, await runPaper({ ...loaded, project })) };
}

it.each([
  ['flat without volume', '2670.71,2670.71,2670.71,2670.71,0'],
  ['flat', '2670.71,2670.71,2670.71,2670.71,1000000'],
  ['like any other', '2670.71,2700,2600,2650,1000000'],
])(
  'a bar on a day on which the exchange was closed is left out of backtest and paper: %s',
  async (_what, row) => {
    const [plain, planted] = [await both(), await both(row)];
    expect(planted.parity.kind).toBe('equal');
    expect(planted.tested.flow).toEqual(plain.tested.flow);
    expect(planted.tested.flow.signals).toBeGreaterThan(2);
    expect(planted.tested.equity).toEqual(plain.tested.equity);
    expect(planted.tested.assumptions.join('\n')).toContain('1 bar outside regular hours is left out');
  },
);

it('a week that is open on the last day of the data is no bar in backtest and paper', async () => {
  const dir = mkdtempSync(join(project, 'weeks-'));
  cpSync(join(root, 'backtest-data/SPX.US'), join(dir, 'SPX.US'), { recursive: true });
  const path = join(dir, 'weeks.yaml');
  writeFileSync(
    path,
    CONFIG.replace('period: 1d', 'period: 1w').replace('2019-06-28', '2019-06-26').replace('DIR', dir),
  );
  const days = openBarStore({ dir }).bars('SPX.US', '1d');
  const weeks = resample(days, '1w');
  const row = (index: number): string =>
    [
      new Date(weeks.time[index] as number).toISOString(),
      ...[weeks.open, weeks.high, weeks.low, weeks.close, weeks.volume].map((column) => column[index]),
    ].join();
  const rows = Array.from({ length: weeks.length }, (_, index) => row(index));
  writeFileSync(join(dir, 'SPX.US/1w.csv'), ['timestamp,open,high,low,close,volume', ...rows, ''].join('\n'));
  const loaded = await loadRun(path, root);
  const tested = runBacktest(loaded.setup, { decisions: true });
  expect(new Date(tested.to).toISOString()).toBe('2019-06-21T20:00:00.000Z');
  expect(compareRuns(tested, await runPaper({ ...loaded, project })).kind).toBe('equal');
});
