import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { loadRun } from '../../src/app/load/load-run.ts';
import { runPaper } from '../../src/app/run/run-paper.ts';
import { runBacktest } from '../../src/backtest/run-backtest.ts';
import { sessionAt } from '../../src/markets/sessions.ts';
import { millis } from '../../src/model/time.ts';
import { compareRuns } from '../../src/reports/parity.ts';
import { linkPackage } from '../fixtures/link-package.ts';

const root = resolve(import.meta.dirname, '../..');
const project = mkdtempSync(join(tmpdir(), 'sluice-hours-'));
afterAll(() => rmSync(project, { recursive: true, force: true }));

/** Orders of every kind that depends on sessions, chosen by the minute of their decision. */
const PLUGIN = `
import { crossover, defineStrategy, sma } from '@sluice-trading/sluice';

export default defineStrategy({
  name: 'night-owl',
  params: {},
  signals: ({ bars }) => ({ cross: crossover(sma(bars.close, 2), sma(bars.close, 5)) }),
  onBar: ({ symbol, bar, session = 'regular' }, { orders, position }) => {
    const turn = Math.floor(bar.time / 600_000) % 5;
    const { quantity, openSells } = position(symbol);
    const limit = (away) => (bar.close + away).toFixed(2);
    if (turn === 0) return orders.targetWeight(symbol, 0.1, session);
    if (turn === 1) return orders.buy(symbol, 5, { type: 'LO', price: limit(-0.02), outsideRth: 'rth-only' });
    if (turn === 2) return orders.buy(symbol, 2, { type: 'LO', price: limit(0.05), outsideRth: 'overnight' });
    if (turn === 3) return orders.targetWeight(symbol, 0.05, session);
    return quantity - openSells >= 5
      ? orders.sell(symbol, 5, { type: 'LIT', triggerPrice: limit(-0.05), price: limit(-0.2), outsideRth: 'any-time' })
      : orders.buy(symbol, 3, { type: 'MO' });
  },
});
`;

/** A day and two nights of ten-minute bars, many without a trade, from a small generator. */
function bars(): string {
  const lines = ['timestamp,open,high,low,close,volume'];
  let [state, price] = [7, 10_000];
  const next = (most: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * most);
  };
  const first = Date.parse('2024-03-05T01:00:00Z');
  for (let bar = 0; bar < 28 * 6; bar += 1) {
    const open = price;
    price = Math.max(9_000, price + next(21) - 10);
    const [high, low] = [Math.max(open, price) + next(6), Math.min(open, price) - next(6)];
    const volume = next(3) === 0 ? 0 : 100 * (1 + next(9));
    if (next(7) === 0) continue;
    const figures = [open, high, low, price].map((cents) => (cents / 100).toFixed(2));
    lines.push([new Date(first + bar * 600_000).toISOString(), ...figures, volume].join(','));
  }
  return `${lines.join('\n')}\n`;
}

const config = (sessions: string): string => `
strategy: night-owl
symbols: [OWL.US]
period: 10m
sessions: ${sessions}
account: { currency: USD, cash: { USD: 100000 } }
data: { from: 2024-03-05, to: 2024-03-05, dir: data }
execution: { orderType: LO, offset: 2 ticks, outsideRth: any-time, cancelAfter: 2h }
risk: { maxSession: overnight, maxOpenOrders: 50, maxOrderRate: 100/min, maxPositionWeight: 50%, priceCollar: 10% }
`;

describe('hours beyond regular ones', () => {
  it.each([
    ['extended', ['post', 'pre', 'regular']],
    ['all', ['overnight', 'post', 'pre', 'regular']],
  ])('have the same result with sessions: %s in a backtest and on paper', async (sessions, kinds) => {
    const folder = join(project, sessions);
    mkdirSync(join(folder, 'strategies'), { recursive: true });
    mkdirSync(join(folder, 'node_modules'));
    mkdirSync(join(folder, 'data/OWL.US'), { recursive: true });
    linkPackage(root, folder);
    const security = JSON.parse(readFileSync(join(root, 'backtest-data/ALPHA.US/security.json'), 'utf8'));
    writeFileSync(
      join(folder, 'data/OWL.US/security.json'),
      JSON.stringify({ ...security, symbol: 'OWL.US' }),
    );
    writeFileSync(join(folder, 'data/OWL.US/10m.csv'), bars());
    writeFileSync(join(folder, 'strategies', 'night-owl.ts'), PLUGIN);
    writeFileSync(join(folder, 'owl.yaml'), config(sessions));
    const loaded = await loadRun(join(folder, 'owl.yaml'), folder);
    const backtest = runBacktest(loaded.setup, { decisions: true });
    const filledIn = backtest.decisions.flatMap((each) =>
      each.kind === 'order-filled' ? [sessionAt('US', millis(each.fill.time))?.kind] : [],
    );
    expect([...new Set(filledIn)].toSorted()).toEqual(kinds);
    const heard = new Set(
      backtest.decisions.flatMap((each) => (each.kind === 'intent-drafted' ? [each.reason] : [])),
    );
    expect(kinds.filter((kind) => heard.has(kind))).toEqual(kinds);
    const paper = await runPaper({ ...loaded, project: folder });
    const parity = compareRuns(backtest, paper);
    expect(parity).toMatchObject({ kind: 'equal' });
    expect(parity.kind === 'equal' && parity.counts.fills).toBeGreaterThan(10);
  });
});
