import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { loadRun } from '../../src/app/load-run.ts';
import { runPaper } from '../../src/app/run-paper.ts';
import { runBacktest } from '../../src/backtest/run-backtest.ts';
import type { RunRecord } from '../../src/events/run-record.ts';
import { compareRuns } from '../../src/reports/parity.ts';

const root = resolve(import.meta.dirname, '../..');
const project = mkdtempSync(join(tmpdir(), 'sluice-parity-'));
afterAll(() => rmSync(project, { recursive: true, force: true }));

/** Runs a shipped config both ways; what the runs leave behind goes to a folder of the test's own. */
async function bothWays(
  config: string,
): Promise<{ readonly backtest: RunRecord; readonly paper: RunRecord }> {
  const loaded = await loadRun(join(root, config), root);
  const dir = join(root, loaded.config.data.dir);
  const paper = await runPaper({
    ...loaded,
    config: { ...loaded.config, data: { ...loaded.config.data, dir } },
    project,
  });
  return { backtest: runBacktest(loaded.setup), paper };
}

describe('backtest and paper of a shipped config', () => {
  it.each(['config/sma-cross.yaml', 'config/hk-intraday.yaml', 'config/buy-and-hold.yaml'])(
    'decide, order, fill and stand the same: %s',
    async (config) => {
      const { backtest, paper } = await bothWays(config);
      const parity = compareRuns(backtest, paper);
      expect(parity).toMatchObject({ kind: 'equal' });
      if (parity.kind !== 'equal') return;
      expect(parity.counts.fills).toBeGreaterThan(0);
      expect(parity.counts.equity).toBe(backtest.equity.time.length);
    },
  );

  it('paper runs twice to the same cent, each in a folder of its own', async () => {
    const first = await bothWays('config/hk-intraday.yaml');
    const second = await bothWays('config/hk-intraday.yaml');
    expect(compareRuns(first.paper, second.paper).kind).toBe('equal');
    expect(first.paper.journal).not.toBe(second.paper.journal);
  });
});
