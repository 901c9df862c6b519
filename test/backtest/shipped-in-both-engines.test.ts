import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadRun } from '#src/app/load/load-run.ts';
import { runBacktest } from '#src/backtest/run-backtest.ts';
import { runInFull } from '#src/backtest/run-in-full.ts';
import type { RunRecord } from '#src/events/run-record.ts';
import { denialsOf } from '#src/reports/denials.ts';
import { exitReasonsOf } from '#src/reports/exit-reasons.ts';
import { performanceOf } from '#src/reports/performance.ts';
import { priceLevels } from '#src/reports/price-levels.ts';
import { symbolProfits } from '#src/reports/symbol-profits.ts';
import { expectEqual } from '../fixtures/expect-equal.ts';
import { venueFacts } from '../fixtures/venue-facts.ts';

const REPOSITORY = join(import.meta.dirname, '../..');
const PROJECTS = [REPOSITORY, join(REPOSITORY, 'docs/cookbook')];

const configs = PROJECTS.flatMap((project) =>
  readdirSync(join(project, 'config'))
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => ({ name, project })),
);

describe('a shipped config', () => {
  const plain = new Set<(typeof configs)[number]>();

  it.each(configs)('gives the same result in plain numbers and in the full engine: $name', async (config) => {
    const record = runBacktest((await loaded(config)).setup);
    const full = runInFull((await loaded(config)).setup);
    expectEqual(resultOf(record), resultOf(full));
    if (record.fillColumns !== undefined) plain.add(config);
  });

  it('runs in plain numbers in most cases, including rotations', () => {
    expect(plain.size).toBeGreaterThan(configs.length / 2);
    const names = [...plain].map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining(['dual-momentum.yaml', 'monthly-rotation.yaml', 'pairs-ratio.yaml']),
    );
  });
});

/** Loaded again for each run, since a strategy may keep state in its module. */
function loaded({ name, project }: (typeof configs)[number]) {
  return loadRun(join(project, 'config', name), project);
}

function resultOf(record: RunRecord) {
  const { flow, equity, assumptions, fills } = record;
  const figures = performanceOf(record);
  const exits = figures.trades.closed.map(exitReasonsOf(record));
  // Columns divide once, trades after each fill.
  const symbols = symbolProfits(record, figures).map(({ symbol, trades, quantity, realized, ...amounts }) => [
    ...[symbol, trades, `${quantity}`, realized.toFixed(6)],
    ...[amounts.unrealized?.toFixed(6), amounts.fees.toFixed(6), amounts.profit?.toFixed(6)],
  ]);
  return {
    symbols,
    flow,
    equity,
    assumptions,
    fills: fills.map(venueFacts),
    exits,
    levels: priceLevels(record),
    denials: denialsOf(record),
  };
}
