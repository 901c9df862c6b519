import { describe, expect, it, vi } from 'vitest';
import { decimal } from '#src/model/decimal.ts';
import type { OrderId } from '#src/model/order.ts';
import { millis } from '#src/model/time.ts';
import { MarketReplay } from '#src/simulation/market/market-replay.ts';
import type { WholeBars } from '#src/simulation/models.ts';
import type { OrderExtras } from '#src/simulation/orders/order-extras.ts';
import type { SimulatedAccount } from '#src/simulation/simulation.ts';
import { FLAT, guardProcessExit, market, minutes, send, TRANCHES } from './whole-bar-market.ts';
import {
  at,
  type BarRow,
  bars,
  type Draft,
  detail,
  fills,
  refusal,
  runUntil,
  terms,
  world,
} from './world.ts';

describe('an order that is matched against whole bars', () => {
  it('fills at the open of the next bar, when that bar is settled', () => {
    const { simulation, account } = market(minutes(FLAT, [102, 104, 101, 103]));
    send(account, { quantity: '10' });
    guardProcessExit(simulation);
    expect(fills(account)).toEqual(['15:01:45 102 x 10']);
  });

  it('is never matched against the bar in which it arrived', () => {
    const { simulation, account } = market(minutes(FLAT, [100, 110, 90, 100], [105, 106, 104, 105]));
    runUntil(simulation, '2024-01-04T10:01:20-05:00');
    send(account, { quantity: '10', type: 'LO', price: '95' });
    send(account, { quantity: '5' });
    guardProcessExit(simulation);
    expect(fills(account)).toEqual(['15:02:45 105 x 5']);
  });

  it('is checked in the order of submission, whichever extreme a path would visit first', () => {
    const both = [100, 110, 90, 100] as const;
    const { simulation, account } = market(minutes(FLAT, both));
    send(account, { quantity: '1', type: 'LO', price: '92' });
    send(account, { quantity: '2', type: 'MIT', triggerPrice: '108' });
    guardProcessExit(simulation);
    expect(fills(account)).toEqual(['15:01:45 92 x 1', '15:01:45 108 x 2']);
  });

  it('does not make the venue search its next event after each order of each bar', () => {
    const { simulation, account } = market(minutes(FLAT, FLAT, FLAT, FLAT));
    for (let order = 0; order < 40; order += 1)
      send(account, { quantity: '1', type: 'LO', price: '50', timeInForce: 'gtc' });
    runUntil(simulation, '2024-01-04T10:01:00-05:00');
    const schedule = vi.spyOn(MarketReplay.prototype, 'schedule');
    guardProcessExit(simulation);
    const looks = schedule.mock.calls.length;
    schedule.mockRestore();
    expect(looks).toBeGreaterThan(0);
    expect(looks).toBeLessThan(2 * 40);
  });

  it('is a stop also when the market is beyond it already', () => {
    const { simulation, account } = market(minutes(FLAT, [100, 101, 99, 100]));
    send(account, { quantity: '3', type: 'MIT', triggerPrice: '98' });
    guardProcessExit(simulation);
    expect(fills(account)).toEqual(['15:01:45 100 x 3']);
  });

  it('works on closed days and past its day if hours are taken from the bars', () => {
    const sunday: BarRow = ['2024-01-07T10:00:00-05:00', 90, 91, 89, 90];
    const { simulation, account } = market([...minutes(FLAT), sunday]);
    send(account, { quantity: '3', type: 'LO', price: '95' });
    runUntil(simulation, '2024-01-08T00:00:00-05:00');
    expect(fills(account)).toEqual(['15:00:45 90 x 3']);
  });

  it('fills at the close before its bar if configured, at the market or beyond its stop', () => {
    const filled = (atLastClose: 'market' | 'market-and-stops') => {
      const { simulation, account } = market(minutes([100, 103, 99, 102], [105, 108, 104, 107]), {
        rule: { ...TRANCHES, atLastClose },
      });
      send(account, { quantity: '1' }, { takeProfit: decimal('106') });
      send(account, { quantity: '2', type: 'MIT', triggerPrice: '101' });
      send(account, { quantity: '3', type: 'MIT', triggerPrice: '106' });
      send(account, { quantity: '4', type: 'LO', price: '110' });
      guardProcessExit(simulation);
      return fills(account).map((fill) => fill.slice(9));
    };
    const [limit, exit] = ['105 x 4', '106 x 1'];
    expect(filled('market')).toEqual(['102 x 1', '105 x 2', '106 x 3', limit, exit]);
    expect(filled('market-and-stops')).toEqual(['102 x 1', '102 x 2', '106 x 3', limit, exit]);
  });

  it('expires before the first bar after its last', () => {
    const { simulation, account } = market(minutes(FLAT, FLAT, [100, 101, 90, 100]));
    const lastBar = at('2024-01-04T10:01:00-05:00');
    const id = send(account, { quantity: '3', type: 'LO', price: '95', timeInForce: 'gtc' }, { lastBar });
    guardProcessExit(simulation);
    expect([detail(account, id).status, fills(account)]).toEqual(['ExpiredStatus', []]);
  });

  it("is sized by a share of the account's cash, with the spread", () => {
    const rule = { ...TRANCHES, openingSpread: decimal('0.01') };
    const { simulation, account } = market(minutes(FLAT, [50, 51, 49, 50]), { rule, cash: '1000' });
    send(account, { quantity: '1000000' }, { fraction: decimal('0.5') });
    guardProcessExit(simulation);
    expect(fills(account)).toEqual(['15:01:45 50.5 x 9']);
  });
});

describe('a stop-limit order that a bar reaches on its way', () => {
  const buy: Draft = { quantity: '1', type: 'LIT', triggerPrice: '102' };
  const filled = (
    rule: Partial<WholeBars>,
    price: string,
    bar: readonly [number, number, number, number],
  ) => {
    const { simulation, account } = market(minutes(FLAT, bar), { rule });
    send(account, { ...buy, price });
    guardProcessExit(simulation);
    return fills(account).map((fill) => fill.slice(9));
  };
  const closeTells: Partial<WholeBars> = { stopLimit: 'close-tells' };
  const limitBeyond: Partial<WholeBars> = { stopLimit: 'limit-beyond' };

  it('fills at the stop if its limit permits that', () => {
    expect(filled(closeTells, '103', [100, 104, 99, 103])).toEqual(['102 x 1']);
    expect(filled(limitBeyond, '103', [100, 104, 99, 103])).toEqual(['102 x 1']);
  });

  it('fills at a limit before the stop only if the close proves that the bar came back', () => {
    expect(filled(closeTells, '101', [101.5, 103, 99, 100])).toEqual(['101 x 1']);
    expect(filled(closeTells, '101', [100, 103, 99, 102.5])).toEqual([]);
    expect(filled(limitBeyond, '101', [101.5, 103, 99, 100])).toEqual([]);
  });

  it('is a limit order at once after a gap, or from the next bar on', () => {
    expect(filled(closeTells, '104', [103, 105, 102.5, 104])).toEqual(['103 x 1']);
    expect(filled(limitBeyond, '104', [103, 105, 102.5, 104])).toEqual(['102 x 1']);
  });
});

describe('a trailing stop that follows the closes of whole bars', () => {
  it('rises with each close, never falls, and triggers at its own price', () => {
    const rows = minutes(FLAT, [100, 121, 100, 120], [120, 120, 115, 116], [116, 117, 100, 101]);
    const { simulation, account } = market(rows);
    const trail = { type: 'TSLPPCT', trailingPercent: '10', limitOffset: '0', timeInForce: 'gtc' } as const;
    send(account, { ...trail, side: 'sell', quantity: '1' });
    guardProcessExit(simulation);
    expect(fills(account)).toEqual(['15:03:45 108 x 1']);
  });

  it('begins at its given start, is pre-checked at that price, and rises from there', () => {
    const trail = { type: 'TSLPPCT', trailingPercent: '10', limitOffset: '0', timeInForce: 'gtc' } as const;
    const from = (stop: string, ...rows: readonly (readonly [number, number, number, number])[]) => {
      const { simulation, account } = market(minutes(...rows), { cover: 'rehearsed', cash: '101' });
      const id = send(account, { ...trail, side: 'buy', quantity: '1' }, { firstStop: decimal(stop) });
      guardProcessExit(simulation);
      return [...fills(account), detail(account, id).status];
    };
    expect(from('101', FLAT, [100, 102, 100, 100])).toEqual(['15:01:45 101 x 1', 'FilledStatus']);
    expect(from('102', FLAT, FLAT)).toEqual(['RejectedStatus']);
    expect(from('101', FLAT, [80, 80, 80, 80], [80, 89, 80, 85])).toEqual([
      '15:02:45 88 x 1',
      'FilledStatus',
    ]);
  });

  it('is refused if its distance is zero', () => {
    const { account } = market(minutes(FLAT));
    const limit = terms({ type: 'LO', price: '90', quantity: '1' });
    expect(account.submit(limit, '', { firstStop: decimal('95') })).toMatchObject({ kind: 'refused' });
  });
});

describe('a bracket', () => {
  const bracket = (account: SimulatedAccount): readonly OrderId[] => {
    const parent = send(account, { quantity: '10' });
    const stop: Draft = { side: 'sell', quantity: '10', type: 'MIT', triggerPrice: '95', timeInForce: 'gtc' };
    const limit: Draft = { side: 'sell', quantity: '10', type: 'LO', price: '105', timeInForce: 'gtc' };
    return [parent, send(account, stop, { parent }), send(account, limit, { parent })];
  };
  const statuses = (account: SimulatedAccount, ids: readonly OrderId[]): readonly string[] =>
    ids.map((id) => detail(account, id).status);

  it('makes its children wait for the bar after the entry, and the first in order fills', () => {
    const wild = [100, 110, 90, 100] as const;
    const { simulation, account } = market(minutes(FLAT, wild, wild));
    const ids = bracket(account);
    guardProcessExit(simulation);
    expect(fills(account)).toEqual(['15:01:45 100 x 10', '15:02:45 95 x 10']);
    expect(statuses(account, ids)).toEqual(['FilledStatus', 'FilledStatus', 'CanceledStatus']);
  });

  it('ends with its entry, and with any of its children', () => {
    const { simulation, account } = market(minutes(FLAT, FLAT));
    const early = bracket(account);
    expect(account.cancel(early[0] as OrderId).kind).toBe('accepted');
    runUntil(simulation, '2024-01-04T10:01:30-05:00');
    expect(statuses(account, early)).toEqual(['CanceledStatus', 'CanceledStatus', 'CanceledStatus']);
    const late = bracket(account);
    expect(account.cancel(late[1] as OrderId).kind).toBe('accepted');
    runUntil(simulation, '2024-01-04T10:01:40-05:00');
    expect(statuses(account, late)).toEqual(['CanceledStatus', 'CanceledStatus', 'CanceledStatus']);
  });
});

describe('exits of a tranche', () => {
  const exits: OrderExtras = { stopLoss: decimal('95'), takeProfit: decimal('105') };

  it('of a market entry are matched against the entry bar, the stop-loss first', () => {
    const { simulation, account } = market(minutes(FLAT, [100, 110, 90, 100]), { rule: TRANCHES });
    send(account, { quantity: '10' }, exits);
    guardProcessExit(simulation);
    expect(fills(account)).toEqual(['15:01:45 100 x 10', '15:01:45 95 x 10']);
  });

  it('of a limit entry are matched against the bar after it', () => {
    const wild = [100, 110, 90, 100] as const;
    const { simulation, account } = market(minutes(FLAT, wild, [100, 106, 99, 100]), { rule: TRANCHES });
    send(account, { quantity: '10', type: 'LO', price: '98' }, exits);
    guardProcessExit(simulation);
    expect(fills(account)).toEqual(['15:01:45 98 x 10', '15:02:45 105 x 10']);
  });

  it('wait for the next bar in every case if configured', () => {
    const rule: Partial<WholeBars> = { ...TRANCHES, exits: 'next-bar' };
    const { simulation, account } = market(minutes(FLAT, [100, 110, 90, 100], FLAT), { rule });
    send(account, { quantity: '10' }, exits);
    guardProcessExit(simulation);
    expect(fills(account)).toEqual(['15:01:45 100 x 10']);
  });

  it('shrink with the oldest tranche when an opposite order closes part of it', () => {
    const rows = minutes(FLAT, FLAT, FLAT, [100, 110, 99, 108]);
    const { simulation, account } = market(rows, { rule: TRANCHES });
    send(account, { quantity: '10' }, exits);
    runUntil(simulation, '2024-01-04T10:02:00-05:00');
    send(account, { quantity: '4', side: 'sell' });
    guardProcessExit(simulation);
    expect(fills(account)).toEqual(['15:01:45 100 x 10', '15:02:45 100 x 4', '15:03:45 105 x 6']);
    expect(account.positions()).toEqual([]);
  });

  it('are replaced by an order that closes the same tranche', () => {
    const rows = minutes(FLAT, FLAT, [100, 101, 96, 97]);
    const { simulation, account } = market(rows, { rule: TRANCHES });
    const closes = send(account, { quantity: '10' }, exits);
    runUntil(simulation, '2024-01-04T10:02:00-05:00');
    const stop: Draft = { quantity: '10', side: 'sell', type: 'MIT', triggerPrice: '97', timeInForce: 'gtc' };
    send(account, stop, { closes });
    guardProcessExit(simulation);
    expect(fills(account)).toEqual(['15:01:45 100 x 10', '15:02:45 97 x 10']);
  });

  it('are refused if their prices are on the wrong side, positions are netted, or ticks are matched', () => {
    const wrong = { stopLoss: decimal('105'), takeProfit: decimal('95') };
    const kept = market(minutes(FLAT, FLAT), { rule: TRANCHES });
    expect(refusal(kept.account.submit(terms(), '', wrong)).message).toContain(
      'the wrong way round for a buy',
    );
    const netted = market(minutes(FLAT, FLAT));
    expect(refusal(netted.account.submit(terms(), '', exits)).message).toContain('keeps tranches');
    const prints = world({
      bars: [bars('AAPL.US', '1m', minutes(FLAT))],
      start: '2024-01-04T10:00:00-05:00',
    });
    const answer = prints.account.submit(terms(), '', { lastBar: millis(0) });
    expect(refusal(answer).message).toContain('only where orders meet whole bars');
  });
});
