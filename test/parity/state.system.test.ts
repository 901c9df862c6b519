import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadRun } from '../../src/app/load/load-run.ts';
import { backtestAlone } from '../../src/app/research/backtest.ts';
import { runPaper } from '../../src/app/run/run-paper.ts';
import { compareRuns } from '../../src/reports/parity.ts';
import { linkPackage } from '../fixtures/link-package.ts';

const root = resolve(import.meta.dirname, '../..');
const project = mkdtempSync(join(tmpdir(), 'sluice-state-'));
beforeAll(() => {
  mkdirSync(join(project, 'strategies'));
  mkdirSync(join(project, 'node_modules'));
  symlinkSync(join(root, 'backtest-data'), join(project, 'backtest-data'));
  linkPackage(root, project);
});
afterAll(() => rmSync(project, { recursive: true, force: true }));

/**
 * Sizes follow the stored count of fills, so that a fill counted twice or late would give another order; it also
 * stores the id of its order.
 */
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

/**
 * Counts denials of its rebalances with and without the mark that they are submitted again; its next order depends on
 * both.
 */
const DENIED = `
import { defineStrategy } from '@sluice-trading/sluice';

const WEIGHTS = [0.1, 0.9, 0.02, 0.9, 0];

export default defineStrategy({
  name: 'denied',
  params: {},
  state: { initial: { bars: 0, marked: 0, unmarked: 0 } },
  onBar: ({ symbol }, { state, orders }) => {
    const next = { ...state, bars: state.bars + 1 };
    if (next.bars % 20 !== 0) return { state: next };
    const turn = next.bars / 20 + state.marked + state.unmarked;
    const small = orders.targetWeight(symbol, turn % 2 === 0 ? 0.04 : 0.08);
    return { state: next, orders: [small, orders.rebalance({ [symbol]: WEIGHTS[turn % WEIGHTS.length] })] };
  },
  onOrder: ({ outcome, willRetry }, { state }) => {
    if (outcome !== 'denied') return undefined;
    const { marked, unmarked } = state;
    return { state: willRetry === true ? { ...state, marked: marked + 1 } : { ...state, unmarked: unmarked + 1 } };
  },
});
`;

describe('the state of a strategy', () => {
  it('is the same at every event in a backtest and on paper, in a worker', async () => {
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

  it('has the same denials marked as submitted again in a backtest and on paper', async () => {
    writeFileSync(join(project, 'strategies', 'denied.ts'), DENIED);
    const shipped = readFileSync(join(root, 'config/hk-intraday.yaml'), 'utf8');
    const config = shipped
      .replace(/^strategy: .*$/m, 'strategy: denied')
      .replace(/^params: .*$/m, '')
      .replace(/^risk:$/m, 'risk:\n  maxOrderRate: 1/min\n  maxBreaches: 1000')
      .replace(/data: \{.*\}/, 'data: { from: 2025-09-02, to: 2025-09-03 }');
    writeFileSync(join(project, 'denied.yaml'), config);
    const loaded = await loadRun(join(project, 'denied.yaml'), project);
    const backtest = backtestAlone(loaded);
    expect(compareRuns(backtest, await runPaper({ ...loaded, project }))).toMatchObject({ kind: 'equal' });
    const last = backtest.decisions.findLast(({ kind }) => kind === 'state-kept');
    const kept = last?.kind === 'state-kept' ? last.note.state?.text : '';
    expect(kept).toMatch(/"marked":[1-9]/);
    expect(kept).toMatch(/"unmarked":[1-9]/);
  });
});
