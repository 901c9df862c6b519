import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { loadRun } from '../../src/app/load-run.ts';
import { runPaper } from '../../src/app/run-paper.ts';
import { runBacktest } from '../../src/backtest/run-backtest.ts';
import { compareRuns } from '../../src/reports/parity.ts';

const SHARED = resolve(import.meta.dirname, '../../../shared/market-data/AAPL.US');
const project = mkdtempSync(join(tmpdir(), 'sluice-actions-'));
afterAll(() => rmSync(project, { recursive: true, force: true }));

const SECURITY = {
  ...{
    symbol: 'AAPL.US',
    names: { en: 'Apple', zhCn: 'Apple', zhHk: 'Apple' },
    kind: 'stock',
    board: 'USMain',
  },
  ...{ currency: 'USD', lotSize: 1, margin: { initial: '0.35', maintenance: '0.3', forced: '0.25' } },
  ...{ tradable: true, origin: { kind: 'real', source: 'the shared test data', license: 'see there' } },
};
const CONFIG = `
strategy: buy-and-hold
symbols: [AAPL.US]
period: 1d
params: { weight: 90% }
account: { currency: USD, cash: { USD: 100000 } }
data: { from: 2014-04-01, to: 2014-08-29, dir: data }
risk: { maxOrderNotional: 1000000 USD, maxPositionWeight: 95% }
simulation: { corporateActions: true }
`;

describe.skipIf(!existsSync(SHARED))("Apple's seven for one and its dividends", () => {
  it('come to the same in a backtest and on paper', async () => {
    const folder = join(project, 'data', 'AAPL.US');
    mkdirSync(folder, { recursive: true });
    for (const file of ['1d.csv.gz', 'events.csv']) copyFileSync(join(SHARED, file), join(folder, file));
    writeFileSync(join(folder, 'security.json'), JSON.stringify(SECURITY));
    writeFileSync(join(project, 'apple.yaml'), CONFIG);
    const loaded = await loadRun(join(project, 'apple.yaml'), project);
    const backtest = runBacktest(loaded.setup);
    const booked = backtest.decisions.flatMap((each) =>
      each.kind === 'corporate-action' ? [each.action] : [],
    );
    expect(booked).toEqual(['dividend', 'split', 'dividend']);
    const paper = await runPaper({ ...loaded, project });
    expect(compareRuns(backtest, paper)).toMatchObject({ kind: 'equal' });
  });
});
