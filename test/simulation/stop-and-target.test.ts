import { describe, expect, it } from 'vitest';
import { decimal } from '#src/model/decimal.ts';
import { MARGIN_ACCOUNT } from '#src/simulation/models.ts';
import { type BarRow, bars, detail, order, runUntil, settleNow, tickWorld as world } from './world.ts';

/** An account of 10,000 USD that may borrow and sell short, after the first of these minutes in New York. */
function market(...prices: readonly number[]) {
  const rows = prices.map((price, minute): BarRow => {
    const time = `2024-01-04T10:${String(minute).padStart(2, '0')}:00-05:00`;
    return [time, price, price, price, price, 10_000];
  });
  const made = world({
    bars: [bars('AAPL.US', '1m', rows)],
    start: '2024-01-04T10:00:00-05:00',
    accounts: [{ id: 'a', currency: 'USD', cash: { USD: decimal('10000') }, fx: {}, short: true }],
    models: { margin: MARGIN_ACCOUNT },
  });
  runUntil(made.simulation, '2024-01-04T10:00:30-05:00');
  return made;
}

describe('a stop and a target of the same shares', () => {
  const exits = (quantity = '100') => ({
    target: { side: 'sell', quantity, price: '110' } as const,
    stop: { side: 'sell', quantity, type: 'MIT', triggerPrice: '90' } as const,
  });

  it('reserve no margin as if both sold them', () => {
    const { simulation, account } = market(100, 100);
    order(account, { quantity: '100' });
    settleNow(simulation);
    const margin = () => account.balance().initMargin.toString();
    expect(margin()).toBe('3500');
    order(account, exits().stop);
    order(account, exits().target);
    settleNow(simulation);
    expect(margin()).toBe('3500');
  });

  it('reserve no cash twice to buy back what was sold short, whichever came first', () => {
    const reserved = (first: 'stop' | 'target') => {
      const { simulation, account } = market(100, 100);
      order(account, { side: 'sell', quantity: '100' });
      settleNow(simulation);
      const target = { quantity: '100', price: '90' } as const;
      const stop = { quantity: '100', type: 'MIT', triggerPrice: '110' } as const;
      for (const exit of first === 'stop' ? [stop, target] : [target, stop]) order(account, exit);
      settleNow(simulation);
      const { cash, initMargin } = account.balance();
      return [cash[0]?.frozen, initMargin].map(String);
    };
    expect([reserved('stop'), reserved('target')]).toEqual([
      ['9000', '3500'],
      ['9000', '3500'],
    ]);
  });

  it('and a stop for more than is held reserves the part that it would sell short', () => {
    const { simulation, account } = market(100, 100);
    order(account, { quantity: '100' });
    settleNow(simulation);
    order(account, exits('150').stop);
    settleNow(simulation);
    // 3,500 and 50 at 90.90, the trigger and a hundredth, of which 35 % are 1,590.75.
    expect(account.balance().initMargin.toString()).toBe('5090.75');
  });

  it('sell short what the target left to the stop only if the account can cover that', () => {
    const { simulation, account } = market(100, 111, 111, 111, 89);
    order(account, { quantity: '100' });
    settleNow(simulation);
    const stop = order(account, exits().stop);
    order(account, exits().target);
    runUntil(simulation, '2024-01-04T10:01:30-05:00');
    expect(account.positions()).toEqual([]);
    order(account, { quantity: '180' });
    settleNow(simulation);
    order(account, { side: 'sell', quantity: '180', price: '200' });
    runUntil(simulation, '2024-01-04T10:05:00-05:00');
    // 11,100 less 22 on each of 180 shares are 7,140; those need 5,607, and 100 more 3,115.
    expect(detail(account, stop)).toMatchObject({
      status: 'RejectedStatus',
      message: /Insufficient buy power/,
    });
    expect(account.positions()[0]?.quantity.toString()).toBe('180');
  });

  it('buy what the target left to the stop of a short position only if the account can cover that', () => {
    const left = (trigger: string, price: number) => {
      const rows = [
        ['2024-03-05T00:00:00-05:00', 100, 101, 90, 91],
        ['2024-03-06T00:00:00-05:00', 92, price, 91, price],
      ] as const;
      const { simulation, account } = world({
        bars: [bars('AAPL.US', '1d', rows)],
        start: '2024-03-05T09:31:00-05:00',
        accounts: [{ id: 'a', currency: 'USD', cash: { USD: decimal('10000') }, fx: {}, short: true }],
      });
      const gtc = { quantity: '100', timeInForce: 'gtc' } as const;
      order(account, { side: 'sell', quantity: '100', price: '100' });
      settleNow(simulation);
      const stop = order(account, { ...gtc, type: 'MIT', triggerPrice: trigger });
      order(account, { ...gtc, price: '91' });
      runUntil(simulation, '2024-03-07T09:00:00-05:00');
      return [detail(account, stop), ...account.positions().map(({ quantity }) => `${quantity}`)];
    };
    // 10,000 less 9,100 for what brought 10,000 are 10,900: enough for 100 at 105, not at 130.
    expect(left('105', 110)).toMatchObject([{ status: 'FilledStatus' }, '100']);
    expect(left('130', 140)).toMatchObject([{ status: 'RejectedStatus', message: /Insufficient funds/ }]);
  });
});
