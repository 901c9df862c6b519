import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { loadRun } from '../../src/app/load/load-run.ts';
import { backtestAlone } from '../../src/app/research/backtest.ts';
import { runPaper } from '../../src/app/run/run-paper.ts';
import { compareRuns } from '../../src/reports/parity.ts';
import { performanceOf } from '../../src/reports/performance.ts';
import { profitOf } from '../../src/reports/profit.ts';

const SHIPPED = resolve(import.meta.dirname, '../../backtest-data/SPX.US');
const project = mkdtempSync(join(tmpdir(), 'sluice-interest-'));
afterAll(() => rmSync(project, { recursive: true, force: true }));

/** Twice its money in an index with a margin of half, and credit interest on cash. */
const CONFIG = `
strategy: buy-and-hold
symbols: [SPX.US]
period: 1d
params: { weight: 100% }
account: { currency: USD, cash: { USD: 100000 } }
data: { from: 2015-01-02, to: 2015-03-31, dir: data }
risk: { maxOrderNotional: 1000000 USD, maxPositionWeight: 200%, maxGrossExposure: 200%, useMargin: true, allowShort: true }
simulation: { interest: { debit: 7.5%/year, credit: 2%/year } }
`;

describe('interest', () => {
  it("is booked equally in a backtest and on paper, where the bot reads it from the venue's cash flow", async () => {
    const folder = join(project, 'data', 'SPX.US');
    mkdirSync(join(project, 'data'), { recursive: true });
    cpSync(SHIPPED, folder, { recursive: true });
    const security = JSON.parse(readFileSync(join(folder, 'security.json'), 'utf8'));
    const margin = { initial: '0.4', maintenance: '0.3', forced: '0.25' };
    writeFileSync(join(folder, 'security.json'), JSON.stringify({ ...security, margin }));
    writeFileSync(join(project, 'loan.yaml'), CONFIG);
    const loaded = await loadRun(join(project, 'loan.yaml'), project);
    const backtest = backtestAlone(loaded);
    const booked = backtest.decisions.filter((each) => each.kind === 'interest-booked');
    const fills = backtest.decisions.filter((each) => each.kind === 'order-filled');
    expect(booked.length).toBeGreaterThan(60);
    const paper = await runPaper({ ...loaded, project });
    expect(compareRuns(backtest, paper)).toMatchObject({
      kind: 'equal',
      counts: { fills: fills.length, postings: booked.length },
    });
    const [reported, reportedOnPaper] = [backtest, paper].map((run) => profitOf(run, performanceOf(run)));
    expect(reported?.parts.some(({ kind }) => kind === 'interest')).toBe(true);
    expect(reported?.unexplained.abs().toNumber()).toBeLessThan(1e-6);
    expect(reportedOnPaper).toEqual(reported);
  });
});
