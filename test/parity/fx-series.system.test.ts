import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { loadRun } from '../../src/app/load/load-run.ts';
import { backtestAlone } from '../../src/app/research/backtest.ts';
import { runPaper } from '../../src/app/run/run-paper.ts';
import { compareRuns } from '../../src/reports/parity.ts';
import { performanceOf } from '../../src/reports/performance.ts';
import { profitOf } from '../../src/reports/profit.ts';

const SHIPPED = resolve(import.meta.dirname, '../../backtest-data/DEMO.HK');
const project = mkdtempSync(join(tmpdir(), 'sluice-rates-'));
afterAll(() => rmSync(project, { recursive: true, force: true }));

/** One rate changes overnight, another within a session. */
const RATES = 'date,rate\n2025-09-01,7.79\n2025-09-02T03:30Z,7.82\n2025-09-03,7.75\n';

const CONFIG = `
strategy: rsi-reversion
symbols: [DEMO.HK]
period: 1m
params: { length: 14, entry: 22, exit: 60, weight: 20% }
account: { currency: USD, cash: { USD: 10000, HKD: 1000000 }, fx: { USDHKD: 7.8 }, fxSeries: { USDHKD: USDHKD.csv } }
data: { from: 2025-09-02, to: 2025-09-04, dir: data }
risk: { maxOrderNotional: 50000 USD, maxPositionWeight: 30% }
`;

describe('exchange rates of a file', () => {
  it('give the same equity, sizes and profit by rates in a backtest and on paper', async () => {
    mkdirSync(join(project, 'data'), { recursive: true });
    cpSync(SHIPPED, join(project, 'data', 'DEMO.HK'), { recursive: true });
    writeFileSync(join(project, 'USDHKD.csv'), RATES);
    writeFileSync(join(project, 'rates.yaml'), CONFIG);
    const loaded = await loadRun(join(project, 'rates.yaml'), project);
    const backtest = backtestAlone(loaded);
    expect(backtest.flow.fills).toBeGreaterThan(0);
    const paper = await runPaper({ ...loaded, project });
    expect(compareRuns(backtest, paper)).toMatchObject({ kind: 'equal' });
    const [reported, reportedOnPaper] = [backtest, paper].map((run) => profitOf(run, performanceOf(run)));
    expect(reported?.parts.find(({ kind }) => kind === 'fx')?.amount.isZero()).toBe(false);
    expect(reported?.unexplained.abs().toNumber()).toBeLessThan(1e-6);
    expect(reportedOnPaper).toEqual(reported);
  });
});
