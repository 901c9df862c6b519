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
const project = mkdtempSync(join(tmpdir(), 'sluice-timers-'));
afterAll(() => rmSync(project, { recursive: true, force: true }));

/** Sizes follow the price at the timer, so that one bar more or less would give another order. */
const PLUGIN = `
import { defineStrategy } from '@sluice-trading/sluice';

export default defineStrategy({
  name: 'timed',
  params: {},
  timers: { look: { every: '45m' }, home: { at: '15:45' }, week: { at: '11:00', on: 'week-end' } },
  onTimer: ({ name, symbols }, { orders, equity, lastPrice, roundToTick, sharesFor }) =>
    symbols.map((symbol) => {
      if (name === 'home') return orders.close(symbol, 'home');
      const price = roundToTick(symbol, lastPrice(symbol) * 1.01, 'down');
      if (name === 'week') return orders.buy(symbol, sharesFor(symbol, equity / 20, price), { type: 'LO', price });
      return orders.targetWeight(symbol, 0.1 + ((lastPrice(symbol) * 100) % 10) / 100, \`seen \${lastPrice(symbol)}\`);
    }),
});
`;

describe('timers', () => {
  it('fire at the same instants with the same visible bars, in a backtest and on paper', async () => {
    mkdirSync(join(project, 'strategies'));
    mkdirSync(join(project, 'node_modules'));
    symlinkSync(join(root, 'backtest-data'), join(project, 'backtest-data'));
    linkPackage(root, project);
    writeFileSync(join(project, 'strategies', 'timed.ts'), PLUGIN);
    const shipped = readFileSync(join(root, 'config/hk-intraday.yaml'), 'utf8');
    const config = shipped
      .replace(/^strategy: .*$/m, 'strategy: timed')
      .replace(/^params: .*$/m, '')
      .replace(/data: \{.*\}/, 'data: { from: 2025-09-02, to: 2025-09-05 }');
    writeFileSync(join(project, 'timed.yaml'), config);
    const loaded = await loadRun(join(project, 'timed.yaml'), project);
    const backtest = backtestAlone(loaded);
    const drafted = backtest.decisions.flatMap((each) => (each.kind === 'intent-drafted' ? [each] : []));
    const timesOf = (name: string) =>
      new Set(
        drafted
          .filter(({ cause }) => cause.kind === 'timer' && cause.name === name)
          .map(({ at }) => new Date(at).toISOString().slice(11, 16)),
      );
    expect([...timesOf('home')]).toEqual(['07:45']);
    expect(timesOf('look').size).toBeGreaterThan(4);
    const week = drafted.filter(({ cause }) => cause.kind === 'timer' && cause.name === 'week');
    expect(week.map(({ at, terms: { type } }) => [new Date(at).toISOString().slice(0, 16), type])).toEqual([
      ['2025-09-05T03:00', 'LO'],
    ]);
    const armed = backtest.decisions.filter(({ kind }) => kind === 'intent-armed');
    expect(armed).toContainEqual(expect.objectContaining({ intentId: week[0]?.intentId }));
    const paper = await runPaper({ ...loaded, project });
    const parity = compareRuns(backtest, paper);
    expect(parity).toMatchObject({ kind: 'equal' });
    expect(parity.kind === 'equal' && parity.counts.fills).toBeGreaterThan(8);
  });
});
