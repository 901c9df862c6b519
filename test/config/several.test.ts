import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadBotConfig } from '../../src/config/load-config.ts';
import { packageRoot } from '../../src/config/plugins/package-root.ts';
import { usualRoots } from '../../src/config/plugins/plugin-loader.ts';

const root = packageRoot();
const folder = mkdtempSync(join(tmpdir(), 'sluice-several-'));
const securities = () => ({
  symbols: ['SPX.US'],
  find: (symbol: string) =>
    symbol === 'SPX.US' ? { currency: 'USD', tradable: true, lotSize: 1 } : undefined,
});
const COMMON = [
  'period: 1d',
  'account: { currency: USD, cash: { USD: 100000 } }',
  'data: { from: 2015-01-02, to: 2019-12-31 }',
];

async function read(lines: readonly string[]) {
  const path = join(folder, 'several.yaml');
  writeFileSync(path, [...lines, ...COMMON].join('\n'));
  return loadBotConfig(path, { roots: usualRoots(root), securities });
}

async function problemsOf(lines: readonly string[]): Promise<readonly string[]> {
  const loaded = await read(lines);
  return loaded.kind === 'problems' ? loaded.problems.map(({ path, message }) => `${path}: ${message}`) : [];
}

describe('several strategies in a config', () => {
  it('have separate names, parameters, limits and order settings', async () => {
    const loaded = await read([
      'strategies:',
      '  - { name: trend, strategy: sma-cross, symbols: [SPX.US], params: { fast: 5 }, risk: { maxPositionWeight: 30% } }',
      '  - { strategy: mean-reversion, symbols: [SPX.US], execution: { orderType: LO, offset: 2 ticks } }',
    ]);
    if (loaded.kind !== 'ok') throw new Error(loaded.problems.map(({ message }) => message).join('; '));
    const { members, symbols } = loaded.config;
    expect(members.map(({ name, strategy }) => [name, strategy])).toEqual([
      ['trend', 'sma-cross'],
      ['mean-reversion', 'mean-reversion'],
    ]);
    expect(symbols).toEqual(['SPX.US']);
    expect(members[0]?.params).toMatchObject({ fast: 5, slow: 30 });
    expect(Object.keys(members[0]?.limits ?? {})).toEqual(['maxPositionWeight']);
    expect(members[0]?.execution).toMatchObject({ orderType: 'MO' });
    expect(members[1]?.execution).toMatchObject({ orderType: 'LO', offsetTicks: 2 });
  });

  it('report every mistake with its position', async () => {
    const problems = await problemsOf([
      'strategies:',
      '  - { strategy: sma-cros, symbols: [SPX.US, SPX.US], params: { fasst: 1 } }',
      '  - { strategy: sma-cross, symbols: [SPY.US], params: { fasst: 1 }, risk: { maxPositionWeigh: 40% } }',
      '  - { name: sma-cross, strategy: mean-reversion, symbols: [SPX.US], execution: { offset: 1 tick, orderType: MO } }',
    ]);
    expect(problems.map((problem) => problem.split(':')[0])).toEqual([
      'strategies[0].strategy',
      'strategies[0].symbols[1]',
      'strategies[1].symbols[0]',
      'strategies[1].params.fasst',
      'strategies[1].risk.maxPositionWeigh',
      'strategies[2].name',
      'strategies[2].execution.offset',
    ]);
    expect(problems[0]).toContain('did you mean "sma-cross"?');
    expect(problems[5]).toContain('want a different "name" for each strategy');
  });

  it('have one period, one schedule and one memory of repeats, and report where these belong', async () => {
    const problems = await problemsOf([
      'strategies:',
      '  - { strategy: sma-cross, symbols: [SPX.US], schedule: { start: "25 9 * * 1-5" }, period: 1h }',
      '  - { strategy: mean-reversion, symbols: [SPX.US], risk: { maxRepeats: 2 }, execution: { periot: 1 } }',
    ]);
    expect(problems).toEqual([
      expect.stringContaining(
        '"schedule" is one for all strategies of a bot, want it at the top level, next to "strategies"',
      ),
      expect.stringContaining('"period" is one for all strategies of a bot'),
      expect.stringContaining(
        '"maxRepeats" is a limit of the whole account, want it in the top-level "risk", next to "strategies"',
      ),
      expect.stringContaining('"periot" is not a known setting'),
    ]);
  });

  it('replace the single strategy and cannot be combined with it', async () => {
    const problems = await problemsOf([
      'strategy: sma-cross',
      'symbols: [SPX.US]',
      'strategies: [{ strategy: mean-reversion, symbols: [SPX.US] }]',
    ]);
    expect(problems.map((problem) => problem.split(':')[0])).toEqual(['strategy', 'symbols']);
    expect(await problemsOf(['strategies: []'])).toEqual([
      expect.stringContaining('want a list of 1 to 20 strategies'),
    ]);
    expect((await problemsOf([])).map((problem) => problem.split(':')[0]).sort()).toEqual([
      'strategy',
      'symbols',
    ]);
  });
});
