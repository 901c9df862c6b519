import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { loadRun } from '../../src/app/load/load-run.ts';
import { backtestAlone } from '../../src/app/research/backtest.ts';
import { runPaper } from '../../src/app/run/run-paper.ts';
import { compareRuns } from '../../src/reports/parity.ts';
import { linkPackage } from '../fixtures/link-package.ts';

const root = resolve(import.meta.dirname, '../..');
const project = mkdtempSync(join(tmpdir(), 'sluice-state-'));
afterAll(() => rmSync(project, { recursive: true, force: true }));

/** Sizes follow what it remembers of its fills, so that a fill counted twice or late would be another order; it remembers the id of its order, too. */
const PLUGIN = `
import { defineStrategy } from '@sluice-trading/sluice';

export default defineStrategy({
  name: 'remembering',
  params: {},
  state: { initial: { bars: 0, fills: 0, paid: 0, intent: '' } },
  onBar: ({ symbol }, { state, orders, position }) => {
    const next = { ...state, bars: state.bars + 1 };
    if (next.bars % 40 !== 0) return { state: next };
    const want = position(symbol).quantity > 0 ? 0 : 0.1 + (state.fills % 5) / 100;
    return { state: next, orders: orders.targetWeight(symbol, want, \`\${state.fills} fills at \${state.paid}\`) };
  },
  onFill: ({ fill }, { state }) => ({
    state: { ...state, fills: state.fills + 1, paid: fill.price.toNumber(), intent: fill.intentId },
  }),
});
`;

describe('what a strategy remembers', () => {
  it('is the same at every event in a backtest and on paper, in a worker', async () => {
    mkdirSync(join(project, 'strategies'));
    mkdirSync(join(project, 'node_modules'));
    symlinkSync(join(root, 'backtest-data'), join(project, 'backtest-data'));
    linkPackage(root, project);
    writeFileSync(join(project, 'strategies', 'remembering.ts'), PLUGIN);
    const shipped = readFileSync(join(root, 'config/hk-intraday.yaml'), 'utf8');
    const config = shipped
      .replace(/^strategy: .*$/m, 'strategy: remembering')
      .replace(/^params: .*$/m, '')
      .replace(/data: \{.*\}/, 'data: { from: 2025-09-02, to: 2025-09-03 }');
    writeFileSync(join(project, 'remembering.yaml'), config);
    const loaded = await loadRun(join(project, 'remembering.yaml'), project);
    const backtest = backtestAlone(loaded);
    const parity = compareRuns(backtest, await runPaper({ ...loaded, project }));
    expect(parity).toMatchObject({ kind: 'equal' });
    expect(parity.kind === 'equal' && parity.counts.fills).toBeGreaterThan(4);
    expect(parity.kind === 'equal' && parity.counts.states).toBeGreaterThan(300);
  });
});
