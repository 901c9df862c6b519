import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { loadRun } from '../../src/app/load/load-run.ts';
import { backtestAlone } from '../../src/app/research/backtest.ts';
import { runPaper } from '../../src/app/run/run-paper.ts';
import { dataOf } from '../../src/config/data-of.ts';
import type { DetailedRecord } from '../../src/events/run-record.ts';
import { compareRuns } from '../../src/reports/parity.ts';
import { linkPackage } from '../fixtures/link-package.ts';

const root = resolve(import.meta.dirname, '../..');
const project = mkdtempSync(join(tmpdir(), 'sluice-parity-'));
afterAll(() => rmSync(project, { recursive: true, force: true }));

/** Runs a shipped config in both ways, over eight years at most, with output in a folder of the test. */
async function bothWays(
  config: string,
): Promise<{ readonly backtest: DetailedRecord; readonly paper: DetailedRecord }> {
  const path = join(project, basename(config));
  const shipped = readFileSync(resolve(root, config), 'utf8');
  writeFileSync(path, shipped.replace('from: 2000-03-01', 'from: 2012-03-01'));
  const loaded = await loadRun(path, root);
  const dir = join(root, dataOf(loaded.config).dir);
  const paper = await runPaper({
    ...loaded,
    config: { ...loaded.config, data: { ...dataOf(loaded.config), dir } },
    project,
  });
  return { backtest: backtestAlone(loaded), paper };
}

type Both = Awaited<ReturnType<typeof bothWays>>;
/** Results of the configs that have run. */
const ran = new Map<string, Both>();

describe('backtest and paper of a shipped config', () => {
  it.each([
    'config/sma-cross.yaml',
    'config/hk-intraday.yaml',
    'config/buy-and-hold.yaml',
    'config/cross-momentum.yaml',
    'config/two-strategies.yaml',
  ])('have the same decisions, orders, fills and equity: %s', async (config) => {
    const both = await bothWays(config);
    ran.set(config, both);
    const { backtest, paper } = both;
    const parity = compareRuns(backtest, paper);
    expect(parity).toMatchObject({ kind: 'equal' });
    if (parity.kind !== 'equal') return;
    expect(parity.counts.fills).toBeGreaterThan(0);
    expect(parity.counts.equity).toBe(backtest.equity.time.length);
  });

  const frictions = [
    'simulation:',
    '  slippage: { squareRoot: 1 }',
    '  participation: 5%',
    '  latency: { from: 40ms, to: 900ms }',
    '  settledCashOnly: true',
    '  commission: { percent: 0.03%, minimum: 3 }',
  ];
  const research = [
    'simulation:',
    '  matching: whole-bars',
    '  cover: at-fill',
    '  shortfall: cut',
    '  openingSpread: 10 bps',
    '  positions: tranches',
    '  hours: bars',
    '  ticks: false',
  ];
  it.each([
    ['frictions', frictions],
    ['the rules of a research program', research],
  ])('use the same simulation if a config sets %s', async (_, section) => {
    const shipped = readFileSync(join(root, 'config/hk-intraday.yaml'), 'utf8');
    const changed = shipped.replace('to: 2025-09-26', 'to: 2025-09-05');
    const config = join(project, 'changed.yaml');
    writeFileSync(config, `${changed}\n${section.join('\n')}\n`);
    const { backtest, paper } = await bothWays(config);
    const plain = join(project, 'plain.yaml');
    writeFileSync(plain, changed);
    const without = backtestAlone(await loadRun(plain, root));
    expect(compareRuns(backtest, paper)).toMatchObject({ kind: 'equal' });
    expect(compareRuns(backtest, without).kind).toBe('different');
    expect(backtest.assumptions).toEqual(paper.assumptions);
  });

  it('report a forced sale equally: a short index that rises', async () => {
    const folder = join(project, 'ruin');
    mkdirSync(join(folder, 'strategies'), { recursive: true });
    symlinkSync(join(root, 'backtest-data'), join(folder, 'backtest-data'));
    mkdirSync(join(folder, 'node_modules'));
    linkPackage(root, folder);
    const plugin = [
      "import { defineStrategy } from '@sluice-trading/sluice';",
      "export default defineStrategy({ name: 'short', params: {}, onBar: ({ symbol }, { orders, position }) =>",
      '  position(symbol).quantity === 0 ? orders.targetWeight(symbol, -0.9) : undefined });',
    ];
    writeFileSync(join(folder, 'strategies', 'short.ts'), plugin.join('\n'));
    const config = [
      'strategy: short',
      'symbols: [SPX.US]',
      'period: 1d',
      'account: { currency: USD, cash: { USD: 100000 } }',
      'data: { from: 2010-07-01, to: 2014-01-31 }',
      'risk: { maxOrderNotional: 1000000 USD, maxPositionWeight: 100%, allowShort: true, useMargin: true }',
      'simulation: { marginCall: close-out }',
    ];
    writeFileSync(join(folder, 'ruin.yaml'), config.join('\n'));
    const loaded = await loadRun(join(folder, 'ruin.yaml'), folder);
    const backtest = backtestAlone(loaded);
    const paper = await runPaper({ ...loaded, project: folder });
    expect(backtest.decisions.filter(({ kind }) => kind === 'foreign-filled').length).toBeGreaterThan(0);
    expect(compareRuns(backtest, paper)).toMatchObject({ kind: 'equal' });
  });

  it('two paper runs end with the same cent, each in its own folder', async () => {
    const config = 'config/hk-intraday.yaml';
    const first = ran.get(config) ?? (await bothWays(config));
    const second = await bothWays(config);
    expect(compareRuns(first.paper, second.paper).kind).toBe('equal');
    expect(first.paper.journal).not.toBe(second.paper.journal);
  });
});
