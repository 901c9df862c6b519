import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { loadRun } from '../../src/app/load/load-run.ts';
import { backtestAlone } from '../../src/app/research/backtest.ts';
import { runPaper } from '../../src/app/run/run-paper.ts';
import { compareRuns } from '../../src/reports/parity.ts';
import { performanceOf } from '../../src/reports/performance.ts';
import { profitOf } from '../../src/reports/profit.ts';
import { linkPackage } from '../fixtures/link-package.ts';

const root = resolve(import.meta.dirname, '../..');
const project = mkdtempSync(join(tmpdir(), 'sluice-fractions-'));
mkdirSync(join(project, 'node_modules'));
mkdirSync(join(project, 'strategies'));
linkPackage(root, project);
cpSync(join(root, 'backtest-data/ALPHA.US'), join(project, 'backtest-data/ALPHA.US'), { recursive: true });
afterAll(() => rmSync(project, { recursive: true, force: true }));

function rewrite(name: string, change: (text: string) => string): void {
  const file = join(project, 'backtest-data/ALPHA.US', name);
  writeFileSync(file, change(readFileSync(file, 'utf8')));
}

const PLUGIN = `
import { defineStrategy } from '@sluice-trading/sluice';
export default defineStrategy({
  name: 'fractions',
  onBar: ({ symbol, bar, time }, { orders }) => {
    const day = Math.floor(time / 86400000);
    if (day % 5 === 0) return orders.targetWeight(symbol, ((day % 7) + 1) / 10);
    if (day % 5 === 1) return orders.buy(symbol, 0.37, { type: 'LO', price: Math.floor(bar.close * 99) / 100 });
    if (day % 5 === 2) return orders.buy(symbol, 0.375);
    return day % 11 === 0 ? orders.close(symbol) : undefined;
  },
});
`;

it('trades hundredths of a share equally in backtest and on paper, and the books add up', async () => {
  rewrite('security.json', (text) => text.replace('"lotSize": 1,', '"lotSize": 0.01,'));
  writeFileSync(join(project, 'strategies/fractions.ts'), PLUGIN);
  const config = [
    'strategy: fractions',
    'symbols: [ALPHA.US]',
    'period: 1d',
    'account: { currency: USD, cash: { USD: 10000 } }',
    'data: { from: 2023-02-01, to: 2023-03-31 }',
    'risk: { maxOrderNotional: 10000 USD, maxPositionWeight: 100% }',
    'simulation: { participation: 0.01% }',
  ];
  writeFileSync(join(project, 'fractions.yaml'), config.join('\n'));
  const loaded = await loadRun(join(project, 'fractions.yaml'), project);
  const backtest = backtestAlone(loaded);
  expect(compareRuns(backtest, await runPaper({ ...loaded, project }))).toMatchObject({ kind: 'equal' });
  const fills = backtest.decisions.flatMap((each) => (each.kind === 'order-filled' ? [each.fill] : []));
  expect(fills.filter(({ quantity }) => !quantity.isInteger()).length).toBeGreaterThan(10);
  expect(fills.every(({ quantity }) => quantity.times(100).isInteger())).toBe(true);
  expect(fills.every(({ charges }) => charges.every(({ amount }) => amount.times(100).isInteger()))).toBe(
    true,
  );
  const rules = backtest.decisions.flatMap((each) => (each.kind === 'intent-denied' ? [each.rule] : []));
  expect([...new Set(rules)]).toEqual(['lot-and-tick']);
  expect(profitOf(backtest, performanceOf(backtest))?.unexplained.abs().toNumber()).toBeLessThan(1e-6);
});

it('fills by the true volume if less than a share trades in a tick, although the wire has whole shares', async () => {
  rewrite('security.json', (text) => text.replace('"lotSize": 1,', '"lotSize": 0.01,'));
  rewrite('1d.csv', (text) => text.replace(/,(\d+)$/gm, (_, volume) => `,${Number(volume) / 100_000}`));
  const config = [
    'strategy: sma-cross',
    'symbols: [ALPHA.US]',
    'period: 1d',
    'params: { fast: 3, slow: 8, weight: 80% }',
    'account: { currency: USD, cash: { USD: 1000 } }',
    'data: { from: 2023-02-01, to: 2023-04-28 }',
    'risk: { maxOrderNotional: 10000 USD, maxPositionWeight: 100% }',
    'simulation: { participation: 30% }',
  ];
  writeFileSync(join(project, 'thin.yaml'), config.join('\n'));
  const loaded = await loadRun(join(project, 'thin.yaml'), project);
  const backtest = backtestAlone(loaded);
  expect(compareRuns(backtest, await runPaper({ ...loaded, project }))).toMatchObject({ kind: 'equal' });
  const fills = backtest.decisions.flatMap((each) => (each.kind === 'order-filled' ? [each.fill] : []));
  expect(fills.filter(({ quantity }) => quantity.lt(1)).length).toBeGreaterThan(5);
});
