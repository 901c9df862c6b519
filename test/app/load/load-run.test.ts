import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { loadRun } from '#src/app/load/load-run.ts';

const root = resolve(import.meta.dirname, '../../..');
const dir = mkdtempSync(join(tmpdir(), 'sluice-load-run-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** Stamps of the bars of a run that ends on a day, as New York dates. */
async function daysUntil(to: string, period: string, stamps: readonly string[]): Promise<readonly string[]> {
  mkdirSync(join(dir, 'SPX.US'), { recursive: true });
  cpSync(join(root, 'backtest-data/SPX.US/security.json'), join(dir, 'SPX.US/security.json'));
  const rows = stamps.map((day) => `${day}T05:00:00Z,10,11,9,10,1000`);
  writeFileSync(
    join(dir, `SPX.US/${period}.csv`),
    ['timestamp,open,high,low,close,volume', ...rows, ''].join('\n'),
  );
  const path = join(dir, 'bot.yaml');
  writeFileSync(
    path,
    `strategy: momentum
symbols: [SPX.US]
period: ${period}
account: { currency: USD, cash: { USD: 100000 } }
data: { from: 2024-01-02, to: ${to}, dir: ${dir} }
`,
  );
  const { setup } = await loadRun(path, root);
  return Array.from(setup.history[0]?.time ?? [], (time) => new Date(time).toISOString().slice(0, 10));
}

describe('the bars of a run', () => {
  // Good Friday, 2024-03-29, is a holiday: the week and the month end on Thursday.
  const weeks = ['2024-03-11', '2024-03-18', '2024-03-25'];

  it.each([
    ['2024-03-28', weeks],
    ['2024-03-31', weeks],
    ['2024-03-27', weeks.slice(0, 2)],
    ['2024-03-25', weeks.slice(0, 2)],
    ['2024-03-22', weeks.slice(0, 2)],
  ])('end with the last week that has closed by %s', async (to, expected) => {
    expect(await daysUntil(to, '1w', weeks)).toEqual(expected);
  });

  it.each([
    ['2024-03-28', ['2024-01-01', '2024-02-01', '2024-03-01']],
    ['2024-03-27', ['2024-01-01', '2024-02-01']],
  ])('end with the last month that has closed by %s', async (to, expected) => {
    expect(await daysUntil(to, '1M', ['2024-01-01', '2024-02-01', '2024-03-01'])).toEqual(expected);
  });
});
