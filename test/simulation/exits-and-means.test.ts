import { describe, expect, it } from 'vitest';
import { decimal } from '#src/model/decimal.ts';
import { CASH_ACCOUNT, MARGIN_ACCOUNT } from '#src/simulation/models.ts';
import { bars, detail, order, settleNow, world } from './world.ts';

const US = bars('AAPL.US', '1d', [
  ['2024-03-04T00:00:00-05:00', 100, 101, 99, 100, 4_000],
  ['2024-03-05T00:00:00-05:00', 100, 110, 90, 100, 4_000],
  ['2024-03-06T00:00:00-05:00', 120, 121, 119, 120, 4_000],
]);

const opened = (margin: typeof CASH_ACCOUNT, side: 'buy' | 'sell', quantity: string) => {
  const { simulation, account } = world({
    bars: [US],
    start: '2024-03-05T09:31:00-05:00',
    models: { margin },
    accounts: [{ id: 'a', currency: 'USD', cash: { USD: decimal('10000') }, fx: {}, short: side === 'sell' }],
  });
  order(account, { side, quantity, price: '100' });
  settleNow(simulation);
  const exit = (triggerPrice: string) => {
    const id = order(account, {
      side: side === 'buy' ? 'sell' : 'buy',
      type: 'MIT',
      quantity,
      triggerPrice,
    });
    settleNow(simulation);
    return detail(account, id);
  };
  const means = () => {
    const { buyPower, cash } = account.balance();
    return [buyPower, cash[0]?.frozen].map(String);
  };
  return { exit, means };
};

describe('a stop and a target for the same position', () => {
  it('use no buying power of a cash account: only one of them can close it', () => {
    const { exit, means } = opened(CASH_ACCOUNT, 'buy', '40');
    const before = means();
    expect(before[0]).toBe('6000');
    expect([exit('95'), exit('110')].map(({ status }) => status)).toEqual([
      'VarietiesNotReported',
      'VarietiesNotReported',
    ]);
    expect(means()).toEqual(before);
  });

  it('are both accepted if credit is used up', () => {
    const { exit, means } = opened(MARGIN_ACCOUNT, 'buy', '190');
    const before = means();
    expect([exit('85'), exit('130')].map(({ message }) => message)).toEqual(['', '']);
    expect(means()).toEqual(before);
  });

  it('are both accepted for a short position, and free no cash', () => {
    const { exit, means } = opened(CASH_ACCOUNT, 'sell', '100');
    const before = means();
    expect([exit('115'), exit('85')].map(({ message }) => message)).toEqual(['', '']);
    expect(means()).toEqual(before);
  });

  it('count in full for the part beyond the position', () => {
    const { simulation, account } = world({
      bars: [US],
      start: '2024-03-05T09:31:00-05:00',
      models: { margin: CASH_ACCOUNT },
      accounts: [{ id: 'a', currency: 'USD', cash: { USD: decimal('10000') }, fx: {}, short: true }],
    });
    order(account, { quantity: '40', price: '100' });
    settleNow(simulation);
    order(account, { side: 'sell', type: 'LIT', quantity: '50', price: '95', triggerPrice: '95' });
    settleNow(simulation);
    expect(account.balance().buyPower.toString()).toBe('5050');
  });
});
