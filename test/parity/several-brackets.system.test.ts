import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadRun } from '../../src/app/load/load-run.ts';
import { runPaper } from '../../src/app/run/run-paper.ts';
import { runBacktest } from '../../src/backtest/run-backtest.ts';
import { compareRuns } from '../../src/reports/parity.ts';
import { linkPackage } from '../fixtures/link-package.ts';

const project = mkdtempSync(join(tmpdir(), 'sluice-several-brackets-'));
afterAll(() => rmSync(project, { recursive: true, force: true }));

/** Buys 100 at once, and four times 50 at limits beyond the stop of the first position. */
const STRATEGY = `import { defineStrategy } from '@sluice-trading/sluice';
const FIRST = Date.parse('2024-03-04T14:30Z');
export default defineStrategy({
  name: 'ladder',
  params: {},
  exits: () => ({ stop: { amount: 0.1 }, target: { percent: 5 } }),
  onBar: ({ symbol, bar: { time } }, { orders }) => {
    if (time === FIRST) return orders.buy(symbol, 100);
    const limits = time === FIRST + 3_600_000 ? [9.89, 9.88, 9.87, 9.86] : [];
    return limits.map((price) => orders.buy(symbol, 50, { type: 'LO', price }));
  },
});
`;
const CONFIG = `strategy: ladder
symbols: [FALL.US]
period: 30m
account: { currency: USD, cash: { USD: 10000 } }
data: { from: 2024-03-04, to: 2024-03-05 }
risk: { maxOrderNotional: 100000 USD, maxPositionWeight: 100% }
execution: { orderType: MO }
`;

beforeAll(() => {
  for (const folder of ['strategies', 'node_modules', 'backtest-data/FALL.US'])
    mkdirSync(join(project, folder), { recursive: true });
  linkPackage(resolve(import.meta.dirname, '../..'), project);
  writeFileSync(join(project, 'strategies/ladder.ts'), STRATEGY);
  writeFileSync(join(project, 'ladder.yaml'), CONFIG);
  const facts = {
    ...{ symbol: 'FALL.US', kind: 'stock', board: 'USMain', currency: 'USD', lotSize: 1, tradable: true },
    names: { en: 'FALL.US', zhCn: 'FALL.US', zhHk: 'FALL.US' },
    margin: { initial: '0.35', maintenance: '0.3', forced: '0.25' },
    origin: { kind: 'unknown', source: 'by hand' },
  };
  writeFileSync(join(project, 'backtest-data/FALL.US/security.json'), JSON.stringify(facts));
  const rows = ['2024-03-04', '2024-03-05'].flatMap((day, place) =>
    Array.from({ length: 13 }, (_, bar) => {
      const time = new Date(Date.parse(`${day}T14:30Z`) + bar * 1_800_000)
        .toISOString()
        .replace('.000Z', 'Z');
      // One tick executes the stop at 9.9 and fills the four purchases; on the second day all stops trigger.
      const prices =
        place === 0 && bar === 5
          ? '10,10,9.84,9.95'
          : place === 1 && bar === 6
            ? '10,10,9.7,9.75'
            : '10,10,10,10';
      return `${time},${prices},4000`;
    }),
  );
  writeFileSync(
    join(project, 'backtest-data/FALL.US/30m.csv'),
    `timestamp,open,high,low,close,volume\n${rows.join('\n')}\n`,
  );
});

it('entries that are filled by the tick that executes the stop of another one have their own stops, in a backtest and on paper', async () => {
  const loaded = await loadRun(join(project, 'ladder.yaml'), project);
  const tested = runBacktest(loaded.setup, { decisions: true });
  const paper = await runPaper({ ...loaded, project });
  expect(compareRuns(tested, paper)).toMatchObject({ kind: 'equal' });
  for (const { decisions, fills } of [tested, paper]) {
    expect(decisions.filter(({ kind }) => kind === 'intent-denied')).toEqual([]);
    const sales = fills.filter(({ side }) => side === 'sell').map(({ quantity }) => quantity.toNumber());
    expect(sales).toEqual([100, 50, 50, 50, 50]);
  }
});
