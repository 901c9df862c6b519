import { describe, expect, it } from 'vitest';
import { CHARGE_SCHEDULES } from '#src/markets/charge-schedules.ts';
import type { AccountBalance, CashBalance } from '#src/model/account.ts';
import { decimal, ZERO } from '#src/model/decimal.ts';
import { CASH_ACCOUNT, MARGIN_ACCOUNT, PRINT_FILLS } from '#src/simulation/models.ts';
import {
  AAPL,
  bars,
  detail,
  order,
  runUntil,
  security,
  settleNow,
  TENCENT,
  terms,
  trialBalance,
  world,
} from './world.ts';

const US = bars('AAPL.US', '1d', [
  ['2024-03-04T00:00:00-05:00', 100, 101, 99, 100, 4_000],
  ['2024-03-05T00:00:00-05:00', 100, 110, 90, 100, 4_000],
  ['2024-03-06T00:00:00-05:00', 120, 121, 119, 120, 4_000],
  ['2024-03-08T00:00:00-05:00', 130, 131, 129, 130, 4_000],
]);
const HK = bars('700.HK', '1d', [
  ['2024-03-04T00:00:00+08:00', 300, 302, 298, 300],
  ['2024-03-05T00:00:00+08:00', 300, 302, 298, 300],
  ['2024-03-06T00:00:00+08:00', 310, 312, 308, 310],
]);
const TUESDAY = '2024-03-05T09:31:00-05:00';

const cashOf = (balance: AccountBalance, currency: string): Record<string, string> => {
  const row = balance.cash.find((each) => each.currency === currency) as CashBalance;
  const { available, frozen, settling, withdrawable } = row;
  return Object.fromEntries(
    Object.entries({ available, frozen, settling, withdrawable }).map(([name, value]) => [
      name,
      String(value),
    ]),
  );
};

/**
 * The relations that hold in the venue's published sample. @see docs/wire-protocol.md, "Calls"; docs/venue.md, "The
 * market"
 */
function expectRelations(balance: AccountBalance, rates: Record<string, string>): void {
  const inTotal = (pick: (row: CashBalance) => typeof ZERO) =>
    balance.cash.reduce((sum, row) => sum.plus(pick(row).times(rates[row.currency] ?? '1')), ZERO);
  expect(balance.totalCash.toString()).toBe(inTotal((row) => row.available.plus(row.frozen)).toString());
  expect(balance.remainingFinance.toString()).toBe(
    balance.maxFinance.plus(inTotal((row) => row.available)).toString(),
  );
  expect(balance.buyPower.toString()).toBe(balance.equity.minus(balance.initMargin).toString());
  for (const row of balance.cash)
    expect(row.withdrawable.lte(row.available), 'no more can be withdrawn than is available').toBe(true);
}

describe('cash', () => {
  it('is reserved for an open purchase at its limit, and released as it fills', () => {
    const { simulation, account } = world({ bars: [US], start: TUESDAY });
    order(account, { price: '95', quantity: '100' });
    expect(cashOf(account.balance(), 'USD')).toMatchObject({ available: '90500', frozen: '9500' });
    runUntil(simulation, '2024-03-05T20:00:00-05:00');
    expect(cashOf(account.balance(), 'USD')).toMatchObject({ available: '90500', settling: '-9500' });
  });

  it('is reserved for a market order with a margin above the last price', () => {
    const { account } = world({ bars: [US, HK], start: '2024-03-05T05:00:00-05:00' });
    order(account, { quantity: '100' });
    order(account, { symbol: '700.HK', quantity: '100' });
    expect(cashOf(account.balance(), 'USD')['frozen']).toBe('10100');
    expect(cashOf(account.balance(), 'HKD')['frozen']).toBe('31500');
  });

  it('of a purchase is reserved at once and paid on the settlement day', () => {
    const { simulation, account } = world({ bars: [US], start: TUESDAY });
    order(account, { quantity: '100' });
    settleNow(simulation);
    const unsettled = { available: '90000', frozen: '0', settling: '-10000', withdrawable: '90000' };
    expect(cashOf(account.balance(), 'USD')).toEqual(unsettled);
    runUntil(simulation, '2024-03-07T12:00:00-05:00');
    const settled = { available: '90000', frozen: '0', settling: '0', withdrawable: '90000' };
    expect(cashOf(account.balance(), 'USD')).toEqual(settled);
  });

  it('of a sale can be spent at once and withdrawn once it has settled', () => {
    const { simulation, account } = world({ bars: [US], start: TUESDAY });
    order(account, { quantity: '1000', price: '100' });
    settleNow(simulation);
    runUntil(simulation, '2024-03-08T09:31:00-05:00');
    order(account, { side: 'sell', quantity: '1000' });
    settleNow(simulation);
    expect(cashOf(account.balance(), 'USD')).toMatchObject({
      available: '130000',
      settling: '130000',
      withdrawable: '0',
    });
    expect(
      account.buyLimit({ symbol: AAPL, type: 'LO', side: 'buy', price: decimal('130') })?.cash.toString(),
    ).toBe('1000');
    const again = order(account, { quantity: '1000', price: '130' });
    settleNow(simulation);
    expect(detail(account, again).status).toBe('FilledStatus');
  });

  it('of a sale buys nothing before it has settled if only settled cash counts', () => {
    const margin = { ...CASH_ACCOUNT, settledOnly: true };
    const { simulation, account } = world({ bars: [US], start: TUESDAY, models: { margin } });
    order(account, { quantity: '1000', price: '100' });
    settleNow(simulation);
    runUntil(simulation, '2024-03-08T09:31:00-05:00');
    order(account, { side: 'sell', quantity: '1000' });
    settleNow(simulation);
    const most = () =>
      account.buyLimit({ symbol: AAPL, type: 'LO', side: 'buy', price: decimal('130') })?.cash.toString();
    expect(most()).toBe('0');
    const early = order(account, { quantity: '1', price: '130' });
    settleNow(simulation);
    expect(detail(account, early).message).toMatch(/needs 130\.00 USD, available 0\.00 USD/);
    // Sold on a Friday, settled on Tuesday: T+2 until May 2024.
    runUntil(simulation, '2024-03-11T23:59:00-04:00');
    expect(most()).toBe('0');
    runUntil(simulation, '2024-03-12T00:01:00-04:00');
    expect(most()).toBe('1000');
  });

  it('of one currency buys nothing in another', () => {
    const { simulation, account } = world({ bars: [HK, US], start: '2024-03-05T10:00:00+08:00' });
    const id = order(account, { symbol: '700.HK', quantity: '1700', price: '300' });
    settleNow(simulation);
    expect(detail(account, id).message).toMatch(/needs 510000\.00 HKD, available 500000\.00 HKD/);
  });
});

describe('the balance', () => {
  it('has the relations of the published sample, whatever is open or unsettled', () => {
    const { simulation, account } = world({
      bars: [US, HK],
      start: TUESDAY,
      models: { charges: CHARGE_SCHEDULES.standard, margin: MARGIN_ACCOUNT },
      accounts: [
        {
          id: 'a',
          currency: 'HKD',
          cash: { USD: decimal('100000'), HKD: decimal('500000') },
          fx: { USDHKD: decimal('7.80') },
        },
      ],
    });
    order(account, { quantity: '500' });
    settleNow(simulation);
    order(account, { quantity: '100', price: '95' });
    order(account, { symbol: '700.HK', quantity: '200', price: '300' });
    settleNow(simulation);
    const balance = account.balance();
    expectRelations(balance, { USD: '7.8' });
    expect(balance.currency).toBe('HKD');
    expect(balance.maxFinance.toString()).toBe('1280000');
    expect(balance.frozenFees.map(({ currency }) => currency)).toEqual(['USD', 'HKD']);
    runUntil(simulation, '2024-03-06T12:00:00-05:00');
    expectRelations(account.balance(), { USD: '7.8' });
  });

  it('marks positions at the last price and sums in the requested currency', () => {
    const { simulation, account } = world({ bars: [US, HK], start: TUESDAY });
    order(account, { quantity: '100' });
    runUntil(simulation, '2024-03-06T09:31:00-05:00');
    const equity = 100_000 + 100 * 20 + 500_000 / 7.8;
    expect(account.balance().equity.toNumber()).toBeCloseTo(equity, 6);
    expect(account.balance('HKD').equity.toString()).toBe(String(102_000 * 7.8 + 500_000));
    expect(() => account.balance('SGD')).toThrow('Cannot convert');
  });

  it('uses the margin factors of the security', () => {
    const { simulation, account } = world({ bars: [US], start: TUESDAY, models: { margin: MARGIN_ACCOUNT } });
    order(account, { quantity: '100' });
    settleNow(simulation);
    const balance = account.balance();
    expect([balance.initMargin, balance.maintenanceMargin, balance.marginCall].map(String)).toEqual([
      '3500',
      '3000',
      '0',
    ]);
    expect(balance.riskLevel).toBe(0);
  });

  it('warns step by step as maintenance margin uses up equity', () => {
    const leveraged = (price: number) => {
      const days = bars('AAPL.US', '1d', [
        ['2024-03-04T00:00:00-05:00', 100, 100, 100, 100],
        ['2024-03-05T00:00:00-05:00', 100, 100, 100, 100],
        ['2024-03-06T00:00:00-05:00', price, price, price, price],
      ]);
      const usd = { id: 'a', currency: 'USD', cash: { USD: decimal('10000') }, fx: {} };
      const { simulation, account } = world({
        bars: [days],
        start: TUESDAY,
        accounts: [usd],
        models: { margin: MARGIN_ACCOUNT },
      });
      order(account, { quantity: '190', price: '100' });
      runUntil(simulation, '2024-03-06T09:31:00-05:00');
      return account.balance();
    };
    expect(leveraged(100).riskLevel).toBe(0);
    expect(leveraged(90).riskLevel).toBe(1);
    expect(leveraged(75).riskLevel).toBe(2);
    expect(leveraged(67).riskLevel).toBe(3);
    expect(leveraged(67).marginCall.toString()).toBe('89');
    expect(leveraged(40).riskLevel).toBe(3);
  });
});

describe('positions', () => {
  it('are free to sell while a stop waits for its trigger, and no longer once it works', () => {
    const { simulation, account } = world({ bars: [US], start: TUESDAY });
    order(account, { quantity: '100' });
    settleNow(simulation);
    const stop = order(account, { side: 'sell', type: 'MIT', quantity: '100', triggerPrice: '50' });
    settleNow(simulation);
    expect(account.positions()[0]?.available.toString()).toBe('100');
    const target = order(account, { side: 'sell', quantity: '100', price: '500' });
    settleNow(simulation);
    expect([detail(account, stop).status, detail(account, target).status]).toEqual([
      'VarietiesNotReported',
      'NewStatus',
    ]);
    expect(account.positions()[0]?.available.toString()).toBe('0');
    const third = order(account, { side: 'sell', quantity: '1', price: '500' });
    settleNow(simulation);
    expect(detail(account, third).message).toMatch(/available 0/);
  });

  it('state average cost, free shares, and those from before the day', () => {
    const { simulation, account } = world({ bars: [US], start: TUESDAY });
    order(account, { quantity: '100' });
    runUntil(simulation, '2024-03-06T09:31:00-05:00');
    order(account, { quantity: '100' });
    settleNow(simulation);
    order(account, { side: 'sell', quantity: '30', price: '150' });
    settleNow(simulation);
    const [position] = account.positions();
    expect(position?.quantity.toString()).toBe('200');
    expect(position?.available.toString()).toBe('170');
    expect(position?.averageCost?.toString()).toBe('110');
    expect(position?.initial.toString()).toBe('100');
    expect(account.positions([TENCENT])).toEqual([]);
  });

  it('vanish when they are closed', () => {
    const { simulation, account } = world({ bars: [US], start: TUESDAY });
    order(account);
    settleNow(simulation);
    order(account, { side: 'sell' });
    settleNow(simulation);
    expect(account.positions()).toEqual([]);
  });
});

describe('the buy limit', () => {
  const ask = (margin = CASH_ACCOUNT, short = false) => {
    const { account } = world({
      bars: [US, HK],
      start: TUESDAY,
      models: { charges: CHARGE_SCHEDULES.standard, margin },
      accounts: [
        {
          id: 'a',
          currency: 'USD',
          cash: { USD: decimal('10000'), HKD: decimal('100000') },
          fx: { USDHKD: decimal('8') },
          short,
        },
      ],
    });
    return account;
  };
  const reported = (limit: ReturnType<ReturnType<typeof ask>['buyLimit']>) =>
    [limit?.cash, limit?.margin].map(String);

  it('is what cash pays for, including charges, to the last share', () => {
    const account = ask();
    const limit = account.buyLimit({ symbol: AAPL, type: 'LO', side: 'buy', price: decimal('100') });
    expect(reported(limit)).toEqual(['99', '99']);
    const cents = account.buyLimit({ symbol: AAPL, type: 'LO', side: 'buy', price: decimal('0.37') });
    const accepted = (quantity: string) => {
      const fresh = ask();
      const id = order(fresh, { price: '0.37', quantity });
      return fresh.balance().cash[0]?.frozen.gt(0) === true && detail(fresh, id).status === 'NotReported';
    };
    const most = cents?.cash ?? ZERO;
    expect(accepted(most.toString())).toBe(true);
    expect(accepted(most.plus(1).toString())).toBe(false);
  });

  it('comes in whole lots in Hong Kong, with a buffer on market orders', () => {
    const account = ask();
    expect(
      reported(account.buyLimit({ symbol: TENCENT, type: 'LO', side: 'buy', price: decimal('300') })),
    ).toEqual(['300', '300']);
    expect(reported(account.buyLimit({ symbol: TENCENT, type: 'MO', side: 'buy' }))).toEqual(['300', '300']);
    expect(
      reported(account.buyLimit({ symbol: TENCENT, type: 'LO', side: 'buy', price: decimal('333') }))[0],
    ).toBe('200');
  });

  it('is higher with credit, but not beyond the credit line', () => {
    const account = ask(MARGIN_ACCOUNT);
    const limit = account.buyLimit({ symbol: AAPL, type: 'LO', side: 'buy', price: decimal('100') });
    expect(limit?.cash.toString()).toBe('99');
    expect(limit?.margin.toNumber()).toBeGreaterThan(440);
    expect(limit?.margin.toNumber()).toBeLessThan(451);
  });

  it('of a sale is the free shares, and those that may be sold short', () => {
    const question = { symbol: AAPL, type: 'LO', side: 'sell', price: decimal('100') } as const;
    expect(reported(ask().buyLimit(question))).toEqual(['0', '0']);
    expect(ask(CASH_ACCOUNT, true).buyLimit(question)?.margin.toNumber()).toBeGreaterThan(220);
  });

  it('is unknown for an unknown symbol, and zero without a price', () => {
    expect(ask().buyLimit({ symbol: 'X.US' as typeof AAPL, type: 'MO', side: 'buy' })).toBeUndefined();
    const { account } = world({ bars: [], securities: [security('AAPL.US')], start: TUESDAY });
    expect(reported(account.buyLimit({ symbol: AAPL, type: 'MO', side: 'buy' }))).toEqual(['0', '0']);
  });
});

describe('selling short', () => {
  const short = (margin = CASH_ACCOUNT, allowed = true) =>
    world({
      bars: [US],
      start: TUESDAY,
      models: { margin },
      accounts: [{ id: 'a', currency: 'USD', cash: { USD: decimal('10000') }, fx: {}, short: allowed }],
    });

  it('needs equity of the same value without credit', () => {
    const { simulation, account } = short();
    const fits = order(account, { side: 'sell', quantity: '60', price: '100' });
    const exceeds = order(account, { side: 'sell', quantity: '41', price: '100' });
    settleNow(simulation);
    expect(detail(account, fits).status).toBe('FilledStatus');
    expect(detail(account, exceeds).message).toMatch(/Insufficient buy power/);
    expect(account.positions()[0]?.quantity.toString()).toBe('-60');
    expect(account.balance().equity.toString()).toBe('10000');
  });

  it('is covered by buying, without new margin', () => {
    const { simulation, account } = short();
    order(account, { side: 'sell', quantity: '100', price: '100' });
    settleNow(simulation);
    const cover = order(account, { quantity: '100', price: '100' });
    settleNow(simulation);
    expect(detail(account, cover).status).toBe('FilledStatus');
    expect(trialBalance(account)).toEqual({ USD: '0' });
  });
});

describe('charges', () => {
  it('are counted per order and trading day, and each fill is charged the difference', () => {
    const { simulation, account } = world({
      bars: [US],
      start: TUESDAY,
      models: { charges: CHARGE_SCHEDULES.standard, fills: { ...PRINT_FILLS, participation: 0.1 } },
    });
    const id = order(account, { quantity: '150', price: '110', timeInForce: 'gtc' });
    runUntil(simulation, '2024-03-05T11:00:00-05:00');
    expect(detail(account, id).executedQuantity.toString()).toBe('100');
    const charges = () =>
      Object.fromEntries(
        (detail(account, id).charges ?? []).map(({ code, amount }) => [code, amount.toString()]),
      );
    expect(charges()).toEqual({ PLATFORM_FEE: '1', SETTLEMENT_FEE: '0.3' });
    runUntil(simulation, '2024-03-05T16:00:00-05:00');
    expect(detail(account, id).status).toBe('FilledStatus');
    expect(charges()).toEqual({ PLATFORM_FEE: '1', SETTLEMENT_FEE: '0.45' });
    const booked = account.books().find(({ account: name }) => name === 'charges');
    expect(booked?.amount.toString()).toBe('1.45');
    expect(trialBalance(account)).toEqual({ USD: '0', HKD: '0' });
  });

  it('start from zero on another day', () => {
    const { simulation, account } = world({
      bars: [US],
      start: '2024-03-05T15:00:00-05:00',
      models: { charges: CHARGE_SCHEDULES.standard, fills: { ...PRINT_FILLS, participation: 0.1 } },
    });
    const id = order(account, { quantity: '150', price: '125', timeInForce: 'gtc' });
    runUntil(simulation, '2024-03-06T10:00:00-05:00');
    expect(account.executionsBefore()).toHaveLength(1);
    expect(account.executionsToday()).toHaveLength(1);
    const charges = detail(account, id).charges ?? [];
    expect(charges.map(({ code, amount }) => `${code} ${amount}`)).toEqual([
      'PLATFORM_FEE 2',
      'SETTLEMENT_FEE 0.45',
    ]);
  });
});

describe('listings', () => {
  it('filter by symbol, side, status, market and time', () => {
    const { simulation, account } = world({ bars: [US, HK], start: TUESDAY });
    const bought = order(account);
    settleNow(simulation);
    const sale = order(account, { side: 'sell', price: '150' });
    const held = order(account, { symbol: '700.HK', price: '290' });
    settleNow(simulation);
    const ids = (filter: Parameters<typeof account.ordersToday>[0]) =>
      account.ordersToday(filter).map(({ orderId }) => orderId);
    expect(ids({})).toEqual([held, sale, bought]);
    expect(ids({ symbol: AAPL, side: 'sell' })).toEqual([sale]);
    expect(ids({ statuses: ['FilledStatus'] })).toEqual([bought]);
    expect(ids({ market: 'HK' })).toEqual([held]);
    expect(ids({ orderId: sale })).toEqual([sale]);
    expect(ids({ from: simulation.now() })).toHaveLength(3);
    expect(ids({ to: (simulation.now() - 60_000) as never })).toEqual([]);
    expect(account.executionsToday({ side: 'sell' })).toEqual([]);
    expect(account.executionsToday({ orderId: bought })).toHaveLength(1);
  });

  it('include the remark and the terms as they were sent', () => {
    const { account } = world({ bars: [US], start: TUESDAY });
    const sent = terms({ price: '95' });
    const submission = account.submit(sent, 'K1-tag');
    const [listed] = account.ordersToday();
    expect(submission.kind).toBe('accepted');
    expect(listed?.remark).toBe('K1-tag');
    expect(listed?.terms).toBe(sent);
  });
});
