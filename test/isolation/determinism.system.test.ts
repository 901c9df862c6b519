import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { sluice } from '../cli/run-sluice.ts';

const CONFIG = `strategy: own
symbols: [SPX.US]
period: 1d
account: { currency: USD, cash: { USD: 100000 } }
data: { from: 2020-02-03, to: 2020-04-17 }
`;

function projectWith(strategy: string): string {
  const dir = mkdtempSync(join(tmpdir(), 'sluice-repeats-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  mkdirSync(join(dir, 'strategies'));
  writeFileSync(
    join(dir, 'strategies/own.ts'),
    `import { defineStrategy } from '@sluice-trading/sluice';\n${strategy}`,
  );
  writeFileSync(join(dir, 'own.yaml'), CONFIG);
  return dir;
}

/** Uses random numbers and the clock when it is loaded and at each bar, and trades by them. */
const BY_CHANCE = `const first = Math.random();
const loaded = Date.now();
export default defineStrategy({
  name: 'own',
  params: {},
  onBar: ({ symbol, time }, { orders }) => {
    if (Date.now() !== time) throw new Error('Date.now() is ' + Date.now() + ' at ' + time);
    if (new Date().getTime() !== time || performance.now() !== time - loaded) throw new Error('another clock');
    return orders.targetWeight(symbol, first * Math.random() * 0.2, 'drew ' + Math.random() + ' ' + crypto.randomUUID());
  },
});
`;

describe('a strategy that uses random numbers and the clock', () => {
  it('gives the same backtest in every run, and the same orders on paper (I-26)', async () => {
    const cwd = projectWith(BY_CHANCE);
    const runs = await Promise.all(
      [0, 1].map(() => sluice(['backtest', 'own.yaml', '--json', '--fills', 'fills.csv'], { cwd })),
    );
    expect(runs[0]?.err).toBe('');
    expect(runs[0]?.code).toBe(0);
    expect(JSON.parse(runs[0]?.out ?? '').flow.fills).toBeGreaterThan(10);
    expect(runs[1]?.out).toBe(runs[0]?.out);
    const parity = await sluice(['parity', 'own.yaml', '--json'], { cwd });
    expect(JSON.parse(parity.out)).toMatchObject({ kind: 'equal' });
  });
});

describe('a strategy that never returns', () => {
  it.each([
    [
      'a hook',
      `export default defineStrategy({ name: 'own', params: {}, onBar: () => { for (;;); } });`,
      'onBar of "own"',
    ],
    [
      'its file',
      `for (;;);\nexport default defineStrategy({ name: 'own', params: {} });`,
      'the file of "own"',
    ],
  ])('ends backtest and test with its name, in %s', async (what, strategy, named) => {
    const cwd = projectWith(strategy);
    for (const words of [
      ['backtest', 'own.yaml', '--hook-timeout', '1'],
      ['test', 'own', '--hook-timeout', '1'],
      // Without the flag it takes ten seconds.
      ...(what === 'a hook' ? [['report', 'own.yaml']] : []),
    ]) {
      const { code, err } = await sluice(words, { cwd });
      expect(err).toContain(`Stopped: ${named} did not return within`);
      expect(code).toBe(6);
    }
  });

  it.each([
    ['a hook', `export default defineStrategy({ name: 'own', params: {}, onBar: () => void chain() });`],
    [
      'its file',
      `void chain();\nexport default defineStrategy({ name: 'own', params: {}, onBar: () => undefined });`,
    ],
  ])('ends backtest and test that it delays with promises, started by %s', async (_what, rest) => {
    const cwd = projectWith(`const chain = async () => { for (;;) await undefined; };\n${rest}`);
    for (const words of [
      ['backtest', 'own.yaml'],
      ['test', 'own'],
    ]) {
      const { code, err } = await sluice([...words, '--hook-timeout', '1'], { cwd });
      expect(err).toContain('Stopped: a chain of promises of "own" did not return within');
      expect(code).toBe(6);
    }
  });

  it('has its reasons printed with control characters as escapes', async () => {
    const cwd =
      projectWith(`export default defineStrategy({ name: 'own', params: {}, onStart: (_event, { orders, symbols }) => {
      console.log('\\u001b]0;title\\u0007');
      return symbols.map((symbol) => orders.targetWeight(symbol, 0.1, 'see \\u001b[2J\\u001b]0;title\\u0007'));
    } });`);
    const { out, err, code } = await sluice(['backtest', 'own.yaml'], { cwd });
    expect(code, err).toBe(0);
    expect(out).toContain('\\u001b]0;title\\u0007');
    expect(`${out}${err}`).not.toContain('\u001b]0;');
  });
});
