import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { loadRun } from '../../src/app/load/load-run.ts';
import { runPaper } from '../../src/app/run/run-paper.ts';
import { runBacktest } from '../../src/backtest/run-backtest.ts';
import type { SluiceEvent } from '../../src/events/event.ts';
import { createMemoryJournal } from '../../src/journal/memory.ts';
import { readSqliteJournal } from '../../src/journal/read-sqlite.ts';
import { compareRuns } from '../../src/reports/parity.ts';
import { linkPackage } from '../fixtures/link-package.ts';

const root = resolve(import.meta.dirname, '../..');
const project = mkdtempSync(join(tmpdir(), 'sluice-schedules-'));
afterAll(() => rmSync(project, { recursive: true, force: true }));

/**
 * Wednesday, the Friday after Thanksgiving (half a day), and Monday: opens in UTC, and the number of five-minute bars
 * of each.
 */
const DAYS = [
  ['2025-11-26T14:30:00Z', 78],
  ['2025-11-28T14:30:00Z', 42],
  ['2025-12-01T14:30:00Z', 78],
] as const;
const FIVE_MINUTES = 300_000;

const PLUGIN = `import { defineStrategy } from '@sluice-trading/sluice';
export default defineStrategy({
  name: 'holds',
  params: {},
  onBar: ({ symbol }, { orders }) => orders.targetQuantity(symbol, 100),
});
`;

const SECURITY = {
  symbol: 'MADE.US',
  names: { en: 'Made', zhCn: 'Made', zhHk: 'Made' },
  ...{ kind: 'stock', board: 'USMain', currency: 'USD', lotSize: 1, tradable: true },
  margin: { initial: '1', maintenance: '1', forced: '1' },
  origin: { kind: 'generated', seed: 1, method: 'one price, and a tick more every hour' },
};

function bars(): string {
  const rows = DAYS.flatMap(([open, count]) =>
    Array.from({ length: count }, (_, index) => {
      const at = new Date(Date.parse(open) + index * FIVE_MINUTES).toISOString().replace('.000', '');
      const price = (100 + Math.floor(index / 12) / 100).toFixed(2);
      return `${at},${price},${price},${price},${price},1000`;
    }),
  );
  return `timestamp,open,high,low,close,volume\n${rows.join('\n')}\n`;
}

/** Commands of the schedule and trades, by the minute in UTC. */
function reported(events: Iterable<SluiceEvent>): readonly string[] {
  return [...events].flatMap((event) => {
    const at = new Date(event.at).toISOString().slice(5, 16);
    if (event.kind === 'operator-commanded') return [`${at} ${event.command} by ${event.by}`];
    return event.kind === 'order-filled' ? [`${at} ${event.fill.side} ${event.fill.quantity}`] : [];
  });
}

describe('a schedule over a holiday and a half day', () => {
  it('follows the exchange’s calendar, for a bot on a stepped venue and in a backtest (I-10)', async () => {
    mkdirSync(join(project, 'data/MADE.US'), { recursive: true });
    mkdirSync(join(project, 'node_modules'));
    linkPackage(root, project);
    writeFileSync(join(project, 'holds.ts'), PLUGIN);
    writeFileSync(join(project, 'data/MADE.US/5m.csv'), bars());
    writeFileSync(join(project, 'data/MADE.US/security.json'), JSON.stringify(SECURITY));
    writeFileSync(
      join(project, 'holds.yaml'),
      `strategy: ./holds.ts
symbols: [MADE.US]
period: 5m
account: { currency: USD, cash: { USD: 100000 } }
data: { from: 2025-11-26, to: 2025-12-01, dir: ${join(project, 'data')} }
schedule: { start: "0 10 * * 1-5", stop: "50 15 * * 1-5", flatten: "55 15 * * 1-5" }
`,
    );
    const loaded = await loadRun(join(project, 'holds.yaml'), project);
    const journal = createMemoryJournal();
    const backtest = runBacktest(loaded.setup, { journal, decisions: true });
    const expected = [
      '11-26T05:00 stop-opening by schedule',
      '11-26T15:00 start-opening by schedule',
      '11-26T15:05 buy 100',
      '11-26T20:50 stop-opening by schedule',
      '11-26T20:55 flatten by schedule',
      '11-26T20:55 sell 100',
      '11-28T15:00 start-opening by schedule',
      '11-28T15:05 buy 100',
      '11-28T17:50 stop-opening by schedule',
      '11-28T17:55 flatten by schedule',
      '11-28T17:55 sell 100',
      '12-01T15:00 start-opening by schedule',
      '12-01T15:05 buy 100',
      '12-01T20:50 stop-opening by schedule',
      '12-01T20:55 flatten by schedule',
      '12-01T20:55 sell 100',
    ];
    expect(reported(journal.replay())).toEqual(expected);
    const paper = await runPaper({ ...loaded, project });
    const written = readSqliteJournal(join(project, paper.journal ?? ''));
    expect(reported([...written.records()].map(({ event }) => event))).toEqual(expected);
    written.close();
    expect(compareRuns(backtest, paper)).toMatchObject({ kind: 'equal' });
  });
});
