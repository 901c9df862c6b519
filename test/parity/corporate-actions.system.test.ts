import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { loadRun } from '../../src/app/load/load-run.ts';
import { backtestAlone } from '../../src/app/research/backtest.ts';
import { runPaper } from '../../src/app/run/run-paper.ts';
import { compareRuns } from '../../src/reports/parity.ts';
import { linkPackage } from '../fixtures/link-package.ts';

const AAPL = resolve(import.meta.dirname, '../oracles/data/prices/AAPL.US');
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
  ...{ tradable: true, origin: { kind: 'real', source: 'test/oracles/data', license: 'Apache-2.0' } },
};
const CONFIG = `
strategy: buy-and-hold
symbols: [AAPL.US]
period: 1d
params: { weight: 90% }
account: { currency: USD, cash: { USD: 100000 } }
data: { from: 2014-04-01, to: 2014-08-29, dir: data }
risk: { maxOrderNotional: 1000000 USD, maxPositionWeight: 95% }
simulation: { corporateActions: true, dividendTax: { US: 30% } }
`;

const CROSSING = CONFIG.replace('buy-and-hold', 'sma-cross')
  .replace('{ weight: 90% }', '{ fast: 10, slow: 30, weight: 40% }')
  .replace('95%', '95%, maxDailyLoss: 10%');

/** Buys once, two weeks before the split, with exits. */
const BRACKET = `
import { defineStrategy } from '@sluice-trading/sluice';

export default defineStrategy({
  name: 'bracketed',
  params: {},
  onBar: ({ symbol, bar }, { orders, position }) =>
    position(symbol).quantity === 0 && new Date(bar.time).toISOString().startsWith('2014-05-27')
      ? orders.bracket(orders.buy(symbol, 100), { stop: 500, target: { percent: 10 } })
      : undefined,
});
`;
const BRACKETED = CONFIG.replace('95% }', '95%, priceCollar: 15% }')
  .replace('buy-and-hold', 'bracketed')
  .replace('params: { weight: 90% }\n', '');

describe("Apple's seven for one and its dividends", () => {
  it('have the same result in a backtest and on paper', async () => {
    const folder = join(project, 'data', 'AAPL.US');
    mkdirSync(folder, { recursive: true });
    for (const file of ['1d.csv.gz', 'events.csv']) copyFileSync(join(AAPL, file), join(folder, file));
    writeFileSync(join(folder, 'security.json'), JSON.stringify(SECURITY));
    writeFileSync(join(project, 'apple.yaml'), CONFIG);
    const loaded = await loadRun(join(project, 'apple.yaml'), project);
    const backtest = backtestAlone(loaded);
    const booked = backtest.decisions.flatMap((each) =>
      each.kind === 'corporate-action' ? [each.action] : [],
    );
    expect(booked).toEqual(['dividend', 'split', 'dividend']);
    const paper = await runPaper({ ...loaded, project });
    expect(compareRuns(backtest, paper)).toMatchObject({ kind: 'equal' });
  });

  it('are no jump for moving averages, nor a loss for the gate, in a backtest and on paper', async () => {
    writeFileSync(join(project, 'crossing.yaml'), CROSSING);
    const loaded = await loadRun(join(project, 'crossing.yaml'), project);
    const backtest = backtestAlone(loaded);
    const signals = backtest.decisions.filter((each) => each.kind === 'signal');
    const split = Date.parse('2014-06-09T00:00:00-04:00');
    const near = signals.filter(({ time }) => Math.abs(time - split) < 15 * 86_400_000);
    // In unadjusted prices, the fall from 645 to 92 would cross the averages downwards within days.
    expect(near.filter(({ direction }) => direction === 'down')).toEqual([]);
    const held = backtest.decisions.find(
      (each) => each.kind === 'corporate-action' && each.action === 'split',
    );
    expect(held).toBeDefined();
    expect(backtest.flow.denied).toBe(0);
    const worst = Math.min(...backtest.equity.value.map((value, at, all) => value / (all[at - 1] ?? value)));
    expect(worst).toBeGreaterThan(0.95);
    const paper = await runPaper({ ...loaded, project });
    expect(compareRuns(backtest, paper)).toMatchObject({ kind: 'equal' });
  });

  it('restore the exits of a bracket in new shares, in a backtest and on paper', async () => {
    mkdirSync(join(project, 'strategies'));
    mkdirSync(join(project, 'node_modules'));
    linkPackage(resolve(import.meta.dirname, '../..'), project);
    writeFileSync(join(project, 'strategies', 'bracketed.ts'), BRACKET);
    writeFileSync(join(project, 'bracketed.yaml'), BRACKETED);
    const loaded = await loadRun(join(project, 'bracketed.yaml'), project);
    const backtest = backtestAlone(loaded);
    const fills = backtest.decisions.flatMap((each) => (each.kind === 'order-filled' ? [each.fill] : []));
    expect(fills.map(({ side, quantity }) => `${side} ${quantity}`)).toEqual(['buy 100', 'sell 700']);
    const [bought, sold] = fills.map(({ price }) => price.toNumber());
    expect((sold ?? 0) * 7).toBeCloseTo((bought ?? 0) * 1.1, 0);
    const paper = await runPaper({ ...loaded, project });
    expect(compareRuns(backtest, paper)).toMatchObject({ kind: 'equal' });
  });
});
