import { describe, expect, it } from 'vitest';
import { CHARGE_SCHEDULES, withCommission } from '#src/markets/charge-schedules.ts';
import type { ChargeSchedule } from '#src/markets/charges.ts';
import { decimal } from '#src/model/decimal.ts';
import { MARGIN_ACCOUNT, NO_SLIPPAGE, PRINT_FILLS, type SlippageModel } from '#src/simulation/models.ts';
import {
  AAPL,
  at,
  type BarRow,
  bars,
  detail,
  fills,
  order,
  runUntil,
  settleNow,
  terms,
  trialBalance,
  world,
} from './world.ts';

const MINUTES = ['10:00', '10:01', '10:02', '10:03', '10:04', '10:05'];
const CALLED = { ...MARGIN_ACCOUNT, closeOut: 'as-needed' } as const;

const closes = (symbol: string, prices: readonly number[], volume: readonly number[] = []) =>
  bars(
    symbol,
    '1m',
    prices.map((price, place): BarRow => {
      const time = `2024-01-04T${MINUTES[place]}:00-05:00`;
      return [time, price, price, price, price, volume[place] ?? 100_000];
    }),
  );

/** An account of 10,000 USD in two markets, after their first minute; maintenance margin is 30 % for all. */
function market(
  apple: readonly number[],
  ibm: readonly number[] = [100, 100, 100],
  more: {
    readonly charges?: ChargeSchedule;
    readonly participation?: number;
    readonly slippage?: SlippageModel;
    readonly volume?: readonly number[];
  } = {},
) {
  const { charges = CHARGE_SCHEDULES.none, participation, slippage = NO_SLIPPAGE, volume } = more;
  const made = world({
    bars: [closes('AAPL.US', apple, volume), closes('IBM.US', ibm, volume)],
    start: '2024-01-04T10:00:00-05:00',
    accounts: [{ id: 'a', currency: 'USD', cash: { USD: decimal('10000') }, fx: {}, short: true }],
    models: { fills: { ...PRINT_FILLS, participation, slippage }, margin: CALLED, charges },
  });
  runUntil(made.simulation, '2024-01-04T10:00:50-05:00');
  return made;
}

const FEE = { kind: 'per-order', amount: decimal('30') } as const;

describe('a margin call that is met by the smallest close', () => {
  it('ends with the call: a price that calls again, above the forced factor, closes nothing more', () => {
    const closed = (prices: readonly number[]): readonly string[] => {
      const { simulation, account } = market(prices);
      order(account, { side: 'sell', quantity: '150' });
      runUntil(simulation, '2024-01-04T10:05:30-05:00');
      return fills(account).slice(1);
    };
    const once = closed([100, 100, 134, 134, 134, 134]);
    expect(once).toHaveLength(1);
    expect(closed([100, 100, 134, 134.3, 134.6, 134.6])).toEqual(once);
  });

  it('closes the fewest shares that bring maintenance margin within equity', () => {
    const { simulation, account } = market([100, 100, 134, 134]);
    order(account, { side: 'sell', quantity: '150' });
    const waiting = order(account, { quantity: '1', price: '50' });
    settleNow(simulation);
    runUntil(simulation, '2024-01-04T10:05:00-05:00');
    // Equity is 25,000 less 150 at 134, or 4,900: below 25 %; the call requires 6,030. Each share frees 40.20, so 29
    // are bought.
    expect(fills(account).slice(1)).toEqual(['15:02:00 134 x 29']);
    const { equity, maintenanceMargin, marginCall } = account.balance('USD');
    expect([equity, maintenanceMargin, marginCall].map(String)).toEqual(['4900', '4864.2', '0']);
    expect(detail(account, waiting)).toMatchObject({ status: 'CanceledStatus', message: 'Closed out' });
    expect(account.submit(terms({ quantity: '1' }), '').kind).toBe('accepted');
    expect(trialBalance(account)).toEqual({ USD: '0' });
  });

  it('closes nothing at a call while equity is above the forced factor', () => {
    const { simulation, account } = market([100, 100, 130, 130]);
    order(account, { side: 'sell', quantity: '150' });
    const waiting = order(account, { quantity: '1', price: '50' });
    settleNow(simulation);
    runUntil(simulation, '2024-01-04T10:05:00-05:00');
    // Equity is 5,500: below the 5,850 of a call, above the 4,875 of a forced purchase.
    expect([fills(account).slice(1), account.balance('USD').marginCall.toString()]).toEqual([[], '350']);
    expect(detail(account, waiting).status).toBe('NewStatus');
  });

  it('closes the largest loss first, and the next only for the missing part', () => {
    const { simulation, account } = market([100, 100, 205]);
    order(account, { symbol: 'IBM.US', side: 'sell', quantity: '200' });
    order(account, { side: 'sell', quantity: '40' });
    settleNow(simulation);
    runUntil(simulation, '2024-01-04T10:05:00-05:00');
    // 34,000 - 8,200 - 20,000 are 5,800, and 8,460 are wanted: all 40 at 61.50 are 200 short, and 7 at 30 end it.
    expect(fills(account).slice(2)).toEqual(['15:02:00 205 x 40', '15:02:00 100 x 7']);
  });

  it('closes all of one and then of the other if nothing is left', () => {
    const { simulation, account } = market([100, 100, 250], [100, 100, 100]);
    order(account, { symbol: 'IBM.US', quantity: '40' });
    order(account, { side: 'sell', quantity: '90' });
    settleNow(simulation);
    runUntil(simulation, '2024-01-04T10:05:00-05:00');
    // 19,000 - 4,000 - 22,500 + 4,000 is less than nothing.
    expect(fills(account).slice(2)).toEqual(['15:02:00 250 x 90', '15:02:00 100 x 40']);
    expect(account.balance('USD').equity.toString()).toBe('-3500');
  });

  it('pays for the close out of the same equity: another share is closed if the fee uses up what was freed', () => {
    const charges = withCommission(CHARGE_SCHEDULES.none, FEE);
    const { simulation, account } = market([100, 100, 134, 134], [], { charges });
    order(account, { side: 'sell', quantity: '150' });
    settleNow(simulation);
    runUntil(simulation, '2024-01-04T10:05:00-05:00');
    const { marginCall } = account.balance('USD');
    // 4,870 and 6,030: 29 free 1,165.80 and leave 4,840 and 4,864.20, so it takes 30.
    expect([fills(account).slice(1), marginCall.toString()]).toEqual([['15:02:00 134 x 30'], '0']);
  });

  it('pays the slippage of any market order, and closes more for it', () => {
    const slippage = { kind: 'fixed', ratio: decimal('0.01') } as const;
    const { simulation, account } = market([100, 100, 134, 134], [], { slippage });
    order(account, { side: 'sell', quantity: '150' });
    settleNow(simulation);
    runUntil(simulation, '2024-01-04T10:05:00-05:00');
    const { equity, marginCall } = account.balance('USD');
    // Sold at 99: 4,750 and 6,030. Each share frees 40.20 and costs 1.34 beyond the last price, so it takes 33: 4,705.78 and 4,703.40.
    expect(fills(account).slice(1)).toEqual(['15:02:00 135.34 x 33']);
    expect([equity, marginCall].map(String)).toEqual(['4705.78', '0']);
  });

  it('pays the slippage of a sale and of a purchase', () => {
    const slippage = { kind: 'fixed', ratio: decimal('0.01') } as const;
    const { simulation, account } = market([100, 100, 60, 60], [], { slippage });
    order(account, { quantity: '190' });
    settleNow(simulation);
    runUntil(simulation, '2024-01-04T10:05:00-05:00');
    const { equity, marginCall } = account.balance('USD');
    // Bought at 101: 2,210 and 3,420. Each share frees 18 and costs 0.60 below the last price, so it takes 70: 2,168 and 2,160.
    expect(fills(account).slice(1)).toEqual(['15:02:00 59.4 x 70']);
    expect([equity, marginCall].map(String)).toEqual(['2168', '0']);
  });

  it("sells no more than the tick's capacity, and continues at the next until the call is met", () => {
    const volume = [100_000, 100_000, 240, 240];
    const { simulation, account } = market([100, 100, 134, 134], [], { participation: 0.1, volume });
    order(account, { side: 'sell', quantity: '150' });
    runUntil(simulation, '2024-01-04T10:05:00-05:00');
    // A tenth of a quarter of 240 shares at each tick, although equity is above the forced-liquidation factors after
    // the first.
    expect(fills(account).slice(1)).toEqual([
      '15:02:00 134 x 6',
      '15:02:15 134 x 6',
      '15:02:30 134 x 6',
      '15:02:45 134 x 6',
      '15:03:00 134 x 5',
    ]);
  });

  it('waits in a halt, and closes at the first tick after it', () => {
    const { simulation, account } = market([100, 100, 134, 134, 140]);
    order(account, { side: 'sell', quantity: '150' });
    runUntil(simulation, '2024-01-04T10:01:50-05:00');
    simulation.inject({ kind: 'status', symbol: AAPL, status: 'halted' });
    const resumes = at('2024-01-04T10:03:50-05:00');
    simulation.inject({ kind: 'status', symbol: AAPL, status: 'normal' }, resumes);
    runUntil(simulation, '2024-01-04T10:05:00-05:00');
    // 25,000 - 21,000 are 4,000, and 6,300 are wanted: 55 at 42.
    expect(fills(account).slice(1)).toEqual(['15:04:00 140 x 55']);
  });
});
