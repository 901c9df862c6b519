import { describe, expect, it } from 'vitest';
import { type Decimal, decimal } from '#src/model/decimal.ts';
import { PRINT_FILLS } from '#src/simulation/models.ts';
import type { SimulatedAccount } from '#src/simulation/simulation.ts';
import { RULE } from './whole-bar-market.ts';
import { AAPL, type BarRow, bars, type Draft, detail, fills, order, runUntil, world } from './world.ts';

const minute = (clock: string, open: number, high = open, close = open): BarRow => [
  `2024-01-04T${clock}:00-05:00`,
  ...([open, high, open, close, 4_000] as const),
];

/**
 * Trades at 100, then up to 104 and back to 102, is halted from 9:32 to 9:34, and resumes at `after`; the tick at
 * `unseen` is not published.
 */
function fillsOver(draft: Draft, { unseen, after }: { unseen: number; after: number }) {
  const rows = [
    minute('09:30', 100),
    minute('09:31', 100, 104, 102),
    minute('09:33', unseen),
    minute('09:35', after),
  ];
  const { simulation, account } = world({
    bars: [bars('AAPL.US', '1m', rows)],
    start: '2024-01-04T09:30:00-05:00',
    models: { fills: PRINT_FILLS },
  });
  runUntil(simulation, '2024-01-04T09:30:05-05:00');
  order(account, { quantity: '10' });
  runUntil(simulation, '2024-01-04T09:30:10-05:00');
  const id = order(account, { quantity: '10', ...draft });
  runUntil(simulation, '2024-01-04T09:32:30-05:00');
  simulation.inject({ kind: 'status', symbol: AAPL, status: 'halted' });
  runUntil(simulation, '2024-01-04T09:34:30-05:00');
  simulation.inject({ kind: 'status', symbol: AAPL, status: 'normal' });
  runUntil(simulation, '2024-01-04T09:40:00-05:00');
  return [detail(account, id).status, ...fills(account).slice(1)];
}

/** The same market, halted from 9:32:30 to 9:34:30, at one instant. */
function haltedAt(clock: string, unseen = 115) {
  const rows = [
    minute('09:30', 100),
    minute('09:31', 100, 104, 102),
    minute('09:33', unseen),
    minute('09:35', 101),
    minute('09:36', 108),
  ];
  const { simulation, account } = world({
    bars: [bars('AAPL.US', '1m', rows)],
    start: '2024-01-04T09:30:00-05:00',
  });
  runUntil(simulation, '2024-01-04T09:30:05-05:00');
  order(account, { quantity: '10' });
  runUntil(simulation, '2024-01-04T09:32:30-05:00');
  simulation.inject({ kind: 'status', symbol: AAPL, status: 'halted' });
  const resume = () => simulation.inject({ kind: 'status', symbol: AAPL, status: 'normal' });
  if (clock >= '09:34:30') {
    runUntil(simulation, '2024-01-04T09:34:30-05:00');
    resume();
  }
  runUntil(simulation, `2024-01-04T${clock}-05:00`);
  return { simulation, account, resume };
}

/** Cash in US dollars at the account's rate. */
function cash(account: SimulatedAccount): Decimal {
  const { cash } = account.balance('USD');
  return cash.reduce(
    (sum, { currency, available, frozen }) =>
      sum.plus(available.plus(frozen).div(currency === 'USD' ? 1 : '7.80')),
    decimal('0'),
  );
}

/** Outcome of an order that arrives while trading is halted. */
function sentInHalt(draft: Draft, unseen: number) {
  const { simulation, account, resume } = haltedAt('09:33:50', unseen);
  const id = order(account, { quantity: '10', ...draft });
  runUntil(simulation, '2024-01-04T09:34:30-05:00');
  resume();
  runUntil(simulation, '2024-01-04T09:40:00-05:00');
  return [detail(account, id).status, ...fills(account).slice(1)];
}

describe('a conditional order that arrives during a halt', () => {
  it('waits on the side of the last published price', () => {
    // The last published price is 102, below the trigger; the 115 beyond it was never traded.
    expect(sentInHalt({ type: 'MIT', triggerPrice: '106' }, 115)).toEqual([
      'FilledStatus',
      '14:36:00 108 x 10',
    ]);
    // From above it waits for a fall to 101.5; the 90 below was never traded.
    expect(sentInHalt({ type: 'LIT', triggerPrice: '101.5', price: '103' }, 90)).toEqual([
      'FilledStatus',
      '14:35:00 101 x 10',
    ]);
  });

  it('waits on the side of the first price after it, if none was published before', () => {
    const rows = [minute('09:31', 115), minute('09:33', 101), minute('09:34', 107)];
    const { simulation, account } = world({
      bars: [bars('AAPL.US', '1m', rows)],
      start: '2024-01-04T09:30:00-05:00',
    });
    simulation.inject({ kind: 'status', symbol: AAPL, status: 'halted' });
    order(account, { quantity: '10', type: 'MIT', triggerPrice: '106' });
    runUntil(simulation, '2024-01-04T09:32:30-05:00');
    simulation.inject({ kind: 'status', symbol: AAPL, status: 'normal' });
    runUntil(simulation, '2024-01-04T09:40:00-05:00');
    expect(fills(account)).toEqual(['14:34:00 107 x 10']);
  });

  it('trails from the last published price', () => {
    const trail = { side: 'sell', type: 'TSLPAMT', trailingAmount: '3', limitOffset: '1' } as const;
    // Based on 102 the stop is at 99; based on the 115 that was never traded it would trigger at once.
    expect(sentInHalt(trail, 115)).toEqual(['VarietiesNotReported']);
  });
});

describe('trades during a halt', () => {
  it('are in no quote and in no equity, neither during it nor after it', () => {
    for (const clock of ['09:33:50', '09:34:50']) {
      const { simulation, account } = haltedAt(clock);
      expect(simulation.quote(AAPL)?.last.toString()).toBe('102');
      // 10 shares that cost 100 are worth 102.
      expect(account.balance('USD').equity.minus(cash(account)).toFixed(4)).toBe('1020.0000');
    }
  });

  it('are not valid for orders that arrive right after it', () => {
    const { simulation, account } = haltedAt('09:34:35');
    order(account, { quantity: '5' });
    runUntil(simulation, '2024-01-04T09:40:00-05:00');
    expect(fills(account).slice(1)).toEqual(['14:35:00 101 x 5']);
  });

  it('stay invisible over a second halt that begins before another trade', () => {
    const { simulation } = haltedAt('09:34:40');
    simulation.inject({ kind: 'status', symbol: AAPL, status: 'halted' });
    runUntil(simulation, '2024-01-04T09:34:45-05:00');
    simulation.inject({ kind: 'status', symbol: AAPL, status: 'normal' });
    expect(simulation.quote(AAPL)?.last.toString()).toBe('102');
    runUntil(simulation, '2024-01-04T09:35:01-05:00');
    expect(simulation.quote(AAPL)?.last.toString()).toBe('101');
  });

  it('match no order that waits for whole bars', () => {
    const rows = [minute('09:30', 100), minute('09:31', 100), minute('09:32', 90), minute('09:33', 101)];
    const { simulation, account } = world({
      bars: [bars('AAPL.US', '1m', rows)],
      start: '2024-01-04T09:30:00-05:00',
      models: { fills: { ...PRINT_FILLS, matching: RULE } },
    });
    runUntil(simulation, '2024-01-04T09:31:50-05:00');
    order(account, { quantity: '5' });
    simulation.inject({ kind: 'status', symbol: AAPL, status: 'halted' });
    runUntil(simulation, '2024-01-04T09:32:50-05:00');
    simulation.inject({ kind: 'status', symbol: AAPL, status: 'normal' });
    runUntil(simulation, '2024-01-04T09:40:00-05:00');
    expect(fills(account)).toEqual(['14:33:45 101 x 5']);
  });
});

describe('a conditional order over a halt', () => {
  it('continues on the side from which it came', () => {
    const stop = { type: 'MIT', triggerPrice: '110' } as const;
    expect(fillsOver(stop, { unseen: 115, after: 116 })).toEqual(['FilledStatus', '14:35:00 116 x 10']);
    expect(fillsOver(stop, { unseen: 115, after: 105 })).toEqual(['VarietiesNotReported']);
  });

  it('trails the best price from before it, and ignores those within it', () => {
    const trail = { side: 'sell', type: 'TSLPAMT', trailingAmount: '3', limitOffset: '1' } as const;
    expect(fillsOver(trail, { unseen: 102, after: 100.5 })).toEqual(['FilledStatus', '14:35:00 100.5 x 10']);
    expect(fillsOver(trail, { unseen: 120, after: 102 })).toEqual(['VarietiesNotReported']);
    expect(fillsOver(trail, { unseen: 90, after: 102 })).toEqual(['VarietiesNotReported']);
  });
});
