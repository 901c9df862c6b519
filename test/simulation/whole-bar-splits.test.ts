import { describe, expect, it } from 'vitest';
import { decimal } from '#src/model/decimal.ts';
import { FLAT, guardProcessExit, market, minutes, send, TRANCHES } from './whole-bar-market.ts';
import { AAPL, detail, fills, runUntil } from './world.ts';

const SPLIT = '2024-01-04T10:02:30-05:00';

/**
 * Bought in the second minute, with exits; in the third each share becomes four, and all prices are in new shares.
 */
function afterSplit(...rows: readonly (readonly [number, number, number, number])[]) {
  const made = market(minutes(FLAT, FLAT, FLAT, ...rows), { rule: TRANCHES });
  const exits = { stopLoss: decimal('95'), takeProfit: decimal('105') };
  const entries = [
    send(made.account, { quantity: '6' }, exits),
    send(made.account, { quantity: '4' }),
  ] as const;
  runUntil(made.simulation, SPLIT);
  made.simulation.inject({ kind: 'split', symbol: AAPL, ratio: decimal('4') });
  return { ...made, entries };
}

describe('a tranche', () => {
  it('counts new shares after a split, and so do its exits', () => {
    const { simulation, account } = afterSplit(FLAT, [100, 101, 94, 95]);
    guardProcessExit(simulation);
    expect(fills(account)).toEqual(['15:01:45 100 x 6', '15:01:45 100 x 4', '15:04:45 23.75 x 24']);
    expect(account.positions().map(({ quantity }) => `${quantity}`)).toEqual(['16']);
  });

  it('is closed in new shares, the oldest first, and its exits end with it', () => {
    const { simulation, account, entries } = afterSplit(FLAT, FLAT, [100, 101, 90, 110]);
    send(account, { side: 'sell', quantity: '20' });
    runUntil(simulation, '2024-01-04T10:04:00-05:00');
    const open = account.ordersToday({ statuses: ['NewStatus', 'VarietiesNotReported'] });
    expect(open.map(({ terms }) => `${terms.type} ${terms.quantity}`)).toEqual(['MIT 4', 'LO 4']);
    send(account, { side: 'sell', quantity: '16' }, { closes: entries[1] });
    guardProcessExit(simulation);
    expect(fills(account).slice(2)).toEqual(['15:03:45 25 x 20', '15:04:45 25 x 16', '15:05:45 23.75 x 4']);
    expect(account.positions()).toEqual([]);
  });

  it('trails from its given start in new shares, although it had already moved', () => {
    const { simulation, account } = market(minutes(FLAT, FLAT, FLAT, FLAT, [100, 101, 96, 97]), {
      rule: TRANCHES,
      latencyMs: 60_000,
    });
    send(account, { quantity: '10' });
    runUntil(simulation, SPLIT);
    const draft = {
      side: 'sell',
      type: 'TSLPAMT',
      quantity: '10',
      trailingAmount: '50',
      limitOffset: '0.2',
    } as const;
    const trail = send(account, draft, { firstStop: decimal('98') });
    simulation.inject({ kind: 'split', symbol: AAPL, ratio: decimal('4') });
    guardProcessExit(simulation);
    expect(detail(account, trail).executedPrice?.toString()).toBe('24.5');
  });
});
