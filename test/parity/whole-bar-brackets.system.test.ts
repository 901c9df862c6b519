import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadRun } from '../../src/app/load/load-run.ts';
import { runPaper } from '../../src/app/run/run-paper.ts';
import { runBacktest } from '../../src/backtest/run-backtest.ts';
import { compareRuns } from '../../src/reports/parity.ts';
import { linkPackage } from '../fixtures/link-package.ts';

const root = resolve(import.meta.dirname, '../..');
const project = mkdtempSync(join(tmpdir(), 'sluice-brackets-'));
afterAll(() => rmSync(project, { recursive: true, force: true }));

const STRATEGY = `import { defineStrategy } from '@sluice-trading/sluice';
export default defineStrategy({
  name: 'brackets',
  params: {},
  onBar: ({ symbol }, { orders, position }) =>
    position(symbol).quantity === 0
      ? orders.bracket(orders.targetQuantity(symbol, 100), { stop: { percent: 1 }, target: { percent: 1 } })
      : undefined,
});
`;

beforeAll(() => {
  for (const folder of ['strategies', 'node_modules']) mkdirSync(join(project, folder));
  linkPackage(root, project);
  writeFileSync(join(project, 'strategies/brackets.ts'), STRATEGY);
});

it.each(['next-bar', 'entry-bar'])(
  'brackets of two symbols that are matched against whole bars have the same targets in a backtest and on paper (exits: %s)',
  async (exits) => {
    const path = join(project, `${exits}.yaml`);
    writeFileSync(
      path,
      `strategy: brackets
symbols: [ALPHA.US, BETA.US]
period: 1d
account: { currency: USD, cash: { USD: 1000000 } }
data: { from: 2024-01-02, to: 2024-05-31, dir: ${join(root, 'backtest-data')} }
simulation: { matching: whole-bars, exits: ${exits} }
`,
    );
    const loaded = await loadRun(path, project);
    const tested = runBacktest(loaded.setup, { decisions: true });
    const paper = await runPaper({ ...loaded, project });
    expect(compareRuns(tested, paper)).toMatchObject({ kind: 'equal' });
    for (const { decisions } of [tested, paper]) {
      const targets = decisions.flatMap((each) =>
        each.kind === 'intent-drafted' && each.link?.slot === 'target' ? [each.terms] : [],
      );
      expect(new Set(targets.map(({ symbol }) => symbol)).size).toBe(2);
      expect(new Set(targets.map(({ type }) => type))).toEqual(new Set(['LO']));
    }
  },
);
