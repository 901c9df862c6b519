import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Decimal, decimal } from '#src/model/decimal.ts';
import { PRINT_FILLS, type SlippageModel } from '#src/simulation/models.ts';
import {
  bars,
  type Draft,
  fills,
  order,
  runUntil,
  security,
  settleNow,
  trialBalance,
  world,
} from './world.ts';

const minute = (row: readonly [number, number, number, number, number?], clock: string) =>
  [`2024-01-04T${clock}:00-05:00`, ...row] as const;

function filled(slippage: SlippageModel, draft: Draft, rows = [minute([100, 101, 99, 100, 4_000], '10:00')]) {
  const { simulation, account } = world({
    bars: [bars('AAPL.US', '1m', [minute([100, 100, 100, 100], '09:30'), ...rows])],
    start: '2024-01-04T09:59:00-05:00',
    models: { fills: { ...PRINT_FILLS, slippage } },
  });
  order(account, draft);
  settleNow(simulation);
  runUntil(simulation, '2024-01-04T10:05:00-05:00');
  expect(trialBalance(account)).toEqual({ USD: '0', HKD: '0' });
  return fills(account);
}

const FIXED: SlippageModel = { kind: 'fixed', ratio: decimal('0.0005') };
const SPREAD: SlippageModel = { kind: 'spread', ratio: decimal('0.001') };

describe('slippage', () => {
  it('of the whole price leaves a sale almost nothing, without price steps', () => {
    const rows = ['09:30', '10:00', '10:01', '10:02'].map((clock) => minute([100, 100, 100, 100], clock));
    const { simulation, account } = world({
      bars: [bars('AAPL.US', '1m', rows)],
      start: '2024-01-04T09:59:00-05:00',
      models: {
        fills: { ...PRINT_FILLS, checkTicks: false, slippage: { kind: 'fixed', ratio: decimal('1') } },
      },
    });
    order(account, { quantity: '10' });
    settleNow(simulation);
    runUntil(simulation, '2024-01-04T10:00:30-05:00');
    order(account, { side: 'sell', quantity: '10' });
    settleNow(simulation);
    runUntil(simulation, '2024-01-04T10:05:00-05:00');
    expect(fills(account)).toEqual(['15:00:00 200 x 10', '15:00:45 0.00000001 x 10']);
  });

  it('makes a market order pay more, or receive less, than the tick, on a price step against it', () => {
    expect(filled(FIXED, { quantity: '10' })).toEqual(['15:00:00 100.05 x 10']);
    expect(filled({ kind: 'fixed', ratio: decimal('0.00051') }, { quantity: '10' })).toEqual([
      '15:00:00 100.06 x 10',
    ]);
  });

  it('charges half a spread to the taker', () => {
    expect(filled(SPREAD, { quantity: '10' })).toEqual(['15:00:00 100.05 x 10']);
  });

  it('uses the price step of the security, if it has its own', () => {
    const own = (slippage: SlippageModel) => {
      const { simulation, account } = world({
        bars: [bars('AAPL.US', '1m', [minute([100, 100, 100, 100], '10:00')])],
        securities: [security('AAPL.US', { tick: decimal('0.25') })],
        start: '2024-01-04T10:00:00-05:00',
        models: { fills: { ...PRINT_FILLS, slippage } },
      });
      runUntil(simulation, '2024-01-04T10:00:05-05:00');
      order(account, { quantity: '10' });
      settleNow(simulation);
      return fills(account);
    };
    expect(own({ kind: 'ticks', ticks: 2 })).toEqual(['15:00:05 100.5 x 10']);
    expect(own(FIXED)).toEqual(['15:00:05 100.25 x 10']);
  });

  it('may be steps of the ladder, each of the band in which it begins', () => {
    const ticks = (count: number): SlippageModel => ({ kind: 'ticks', ticks: count });
    expect(filled(ticks(1), { quantity: '10' })).toEqual(['15:00:00 100.01 x 10']);
    expect(filled(ticks(3), { quantity: '10', type: 'MIT', triggerPrice: '100.5' })).toEqual([
      '15:00:30 100.53 x 10',
    ]);
    expect(filled(ticks(3), { quantity: '10', price: '99.5' })).toEqual(['15:00:15 99.5 x 10']);
    const hongKong = (side: 'buy' | 'sell', from: number) => {
      const { simulation, account } = world({
        bars: [bars('700.HK', '1m', [['2024-01-04T09:30:00+08:00', from, from, from, from]])],
        start: '2024-01-04T09:30:00+08:00',
        models: { fills: { ...PRINT_FILLS, slippage: ticks(2) } },
        accounts: [{ id: 'a', currency: 'HKD', cash: { HKD: decimal('500000') }, fx: {}, short: true }],
      });
      runUntil(simulation, '2024-01-04T09:30:05+08:00');
      order(account, { symbol: '700.HK', side });
      settleNow(simulation);
      return fills(account)[0]?.split(' ')[1];
    };
    // 0.1 below 200 and 0.2 from there on.
    expect([hongKong('buy', 199.9), hongKong('sell', 200.2), hongKong('sell', 200)]).toEqual([
      '200.2',
      '199.9',
      '199.8',
    ]);
  });

  it('does not apply to a working order', () => {
    expect(filled(FIXED, { quantity: '10', price: '99.5' })).toEqual(['15:00:15 99.5 x 10']);
  });

  it('never fills a limit order beyond its limit', () => {
    const rows = [minute([100, 101, 99, 100], '10:00')];
    const { simulation, account } = world({
      bars: [bars('AAPL.US', '1m', [minute([100, 100, 100, 100], '09:30'), ...rows])],
      start: '2024-01-04T10:00:00-05:00',
      models: { fills: { ...PRINT_FILLS, slippage: FIXED } },
    });
    runUntil(simulation, '2024-01-04T10:00:05-05:00');
    order(account, { quantity: '10', price: '100.02' });
    settleNow(simulation);
    expect(fills(account)).toEqual(['15:00:05 100.02 x 10']);
  });

  it('applies to a triggered stop too', () => {
    const stop: Draft = { quantity: '10', type: 'MIT', triggerPrice: '100.5' };
    expect(filled(FIXED, stop)).toEqual(['15:00:30 100.56 x 10']);
  });

  it('grows with the root of the share of the volume', () => {
    const sigma = Math.log(101 / 99) / (2 * Math.sqrt(Math.LN2));
    const paid = (quantity: number): number => {
      const [fill = ''] = filled(
        { kind: 'square-root', coefficient: decimal('1') },
        { quantity: `${quantity}` },
      );
      return Number(fill.split(' ')[1]);
    };
    expect(paid(10)).toBeCloseTo(100 * (1 + sigma * Math.sqrt(10 / 4_000)), 1);
    expect(paid(40)).toBeCloseTo(100 * (1 + sigma * Math.sqrt(40 / 4_000)), 1);
  });

  it('is never in favour of the order, in any model', () => {
    const model = fc.oneof(
      fc.record({
        kind: fc.constant('fixed' as const),
        ratio: fc.integer({ min: 1, max: 900 }).map((bps) => new Decimal(bps).div(10_000)),
      }),
      fc.record({
        kind: fc.constant('spread' as const),
        ratio: fc.integer({ min: 1, max: 900 }).map((bps) => new Decimal(bps).div(10_000)),
      }),
      fc.record({
        kind: fc.constant('square-root' as const),
        coefficient: fc.integer({ min: 1, max: 30 }).map((tenth) => new Decimal(tenth).div(10)),
      }),
    );
    const prices = fc.tuple(
      fc.integer({ min: 95, max: 105 }),
      fc.integer({ min: 0, max: 5 }),
      fc.integer({ min: 0, max: 5 }),
    );
    fc.assert(
      fc.property(model, prices, fc.integer({ min: 1, max: 500 }), (slippage, [open, up, down], quantity) => {
        const [fill] = filled(slippage, { quantity: `${quantity}` }, [
          minute([open, open + up, open - down, open, 1_000], '10:00'),
        ]);
        expect(Number(fill?.split(' ')[1])).toBeGreaterThanOrEqual(open);
      }),
      { numRuns: 200 },
    );
  });
});
