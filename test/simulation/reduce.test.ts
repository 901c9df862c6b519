import { describe, expect, it } from 'vitest';
import { CHARGE_SCHEDULES, withCommission } from '#src/markets/charge-schedules.ts';
import type { ChargeSchedule } from '#src/markets/charges.ts';
import { decimal } from '#src/model/decimal.ts';
import { MARGIN_ACCOUNT, PRINT_FILLS } from '#src/simulation/models.ts';
import {
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

/** An account of 10,000 USD in two markets, after their first minute; maintenance margin is 30 % of everything. */
function market(
  apple: readonly number[],
  ibm: readonly number[] = [],
  more: {
    readonly charges?: ChargeSchedule;
    readonly participation?: number;
    readonly volume?: readonly number[];
  } = {},
) {
  const { charges = CHARGE_SCHEDULES.none, participation, volume } = more;
  const made = world({
    bars: [closes('AAPL.US', apple, volume), closes('IBM.US', ibm, volume)],
    start: '2024-01-04T10:00:00-05:00',
    accounts: [{ id: 'a', currency: 'USD', cash: { USD: decimal('10000') }, fx: {}, short: true }],
    models: { fills: { ...PRINT_FILLS, participation }, margin: CALLED, charges },
  });
  runUntil(made.simulation, '2024-01-04T10:00:50-05:00');
  return made;
}

const FEE = { kind: 'per-order', amount: decimal('30') } as const;

describe('a margin call that is met by as much as is needed', () => {
  it('takes back the fewest shares that bring maintenance margin within equity', () => {
    const { simulation, account } = market([100, 100, 130, 130]);
    order(account, { side: 'sell', quantity: '150' });
    const waiting = order(account, { quantity: '1', price: '50' });
    settleNow(simulation);
    runUntil(simulation, '2024-01-04T10:05:00-05:00');
    // 25,000 owe 150 at 130: 5,500 are left where 5,850 are wanted. Each share frees 39, so 9 are bought.
    expect(fills(account).slice(1)).toEqual(['15:02:00 130 x 9']);
    const { equity, maintenanceMargin, marginCall } = account.balance('USD');
    expect([equity, maintenanceMargin, marginCall].map(String)).toEqual(['5500', '5499', '0']);
    expect(detail(account, waiting)).toMatchObject({ status: 'CanceledStatus', message: 'Closed out' });
    expect(account.submit(terms({ quantity: '1' }), '').kind).toBe('accepted');
    expect(trialBalance(account)).toEqual({ USD: '0' });
  });

  it('closes the largest loss first, and touches the next only for what is missing', () => {
    const { simulation, account } = market([100, 100, 136], [100, 100, 101]);
    order(account, { symbol: 'IBM.US', side: 'sell', quantity: '90' });
    order(account, { side: 'sell', quantity: '110' });
    settleNow(simulation);
    runUntil(simulation, '2024-01-04T10:05:00-05:00');
    // At 136, 30,000 - 14,960 - 9,000 are 6,040, and 7,188 are wanted: 29 at 40.80. At 101 then, 5,950 and 6,031.8: two more.
    expect(fills(account).slice(2)).toEqual(['15:02:00 136 x 29', '15:02:00 136 x 3']);
  });

  it('closes all of one and then of the other where nothing is left', () => {
    const { simulation, account } = market([100, 100, 250], [100, 100, 100]);
    order(account, { symbol: 'IBM.US', quantity: '40' });
    order(account, { side: 'sell', quantity: '90' });
    settleNow(simulation);
    runUntil(simulation, '2024-01-04T10:05:00-05:00');
    // 19,000 - 4,000 - 22,500 + 4,000 is less than nothing.
    expect(fills(account).slice(2)).toEqual(['15:02:00 250 x 90', '15:02:00 100 x 40']);
    expect(account.balance('USD').equity.toString()).toBe('-3500');
  });

  it('pays for the close out of the same equity: another share goes where the fee eats what it freed', () => {
    const charges = withCommission(CHARGE_SCHEDULES.none, FEE);
    const { simulation, account } = market([100, 100, 130, 130], [], { charges });
    order(account, { side: 'sell', quantity: '150' });
    settleNow(simulation);
    runUntil(simulation, '2024-01-04T10:05:00-05:00');
    const { marginCall } = account.balance('USD');
    // 5,470 and 5,850: 10 free 390 and leave 5,440 and 5,460, so it takes 11.
    expect([fills(account).slice(1), marginCall.toString()]).toEqual([['15:02:00 130 x 11'], '0']);
  });

  it('takes no more than the print has room for, and goes on at the next', () => {
    const volume = [100_000, 100_000, 240, 240];
    const { simulation, account } = market([100, 100, 130, 130], [], { participation: 0.1, volume });
    order(account, { side: 'sell', quantity: '150' });
    runUntil(simulation, '2024-01-04T10:05:00-05:00');
    // A tenth of a quarter of 240 shares; then 116 are missing.
    expect(fills(account).slice(1)).toEqual(['15:02:00 130 x 6', '15:02:15 130 x 3']);
  });
});
