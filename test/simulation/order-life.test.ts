import { describe, expect, it } from 'vitest';
import { CHARGE_SCHEDULES } from '#src/markets/charge-schedules.ts';
import { decimal } from '#src/model/decimal.ts';
import type { OrderId } from '#src/model/order.ts';
import { MARGIN_ACCOUNT } from '#src/simulation/models.ts';
import { DAYS, statuses } from './over-a-weekend.ts';
import {
  at,
  bars,
  detail,
  fills,
  order,
  refusal,
  runUntil,
  security,
  settleNow,
  terms,
  tickWorld as world,
} from './world.ts';

describe('an order sent while its market is closed', () => {
  it('is queued over the weekend and fills at the next open', () => {
    const { simulation, account } = world({ bars: [DAYS], start: '2024-03-08T16:00:00-05:00' });
    const id = order(account);
    settleNow(simulation);
    expect(detail(account, id).status).toBe('NotReported');
    runUntil(simulation, '2024-03-11T09:29:59-04:00');
    expect(detail(account, id).status).toBe('NotReported');
    runUntil(simulation, '2024-03-11T09:31:00-04:00');
    expect(detail(account, id).status).toBe('FilledStatus');
    expect(fills(account)).toEqual(['13:30:00 103 x 100']);
    expect(statuses(account, id)).toEqual(['FilledStatus', 'NewStatus']);
  });

  it('belongs to the trading day that it waits for and expires at its close', () => {
    const { simulation, account } = world({ bars: [DAYS], start: '2024-03-08T16:00:00-05:00' });
    const id = order(account, { price: '90' });
    runUntil(simulation, '2024-03-11T16:00:00-04:00');
    expect(detail(account, id).status).toBe('NewStatus');
    const [last] = runUntil(simulation, '2024-03-11T16:00:01-04:00');
    expect(last?.time).toBe(at('2024-03-11T16:00:00-04:00'));
    expect(detail(account, id).status).toBe('ExpiredStatus');
    expect(account.history(id)[0]?.quantity.toString()).toBe('100');
  });

  it('waits for the afternoon when it arrives in the lunch break', () => {
    const day = bars('700.HK', '1d', [
      ['2024-03-05T00:00:00+08:00', 300, 302, 296, 298],
      ['2024-03-06T00:00:00+08:00', 300, 302, 296, 298],
    ]);
    const { simulation, account } = world({ bars: [day], start: '2024-03-06T12:30:00+08:00' });
    const id = order(account, { symbol: '700.HK' });
    settleNow(simulation);
    expect(detail(account, id).status).toBe('NotReported');
    runUntil(simulation, '2024-03-06T16:00:00+08:00');
    expect(fills(account)).toEqual(['05:00:00 302 x 100']);
  });

  it('follows half days: an order after noon on Christmas Eve waits for the 27th', () => {
    const days = bars('700.HK', '1d', [
      ['2024-12-24T00:00:00+08:00', 400, 402, 396, 398],
      ['2024-12-27T00:00:00+08:00', 410, 412, 406, 408],
    ]);
    const { simulation, account } = world({ bars: [days], start: '2024-12-24T12:05:00+08:00' });
    order(account, { symbol: '700.HK' });
    runUntil(simulation, '2024-12-28T00:00:00+08:00');
    expect(fills(account)).toEqual(['01:30:00 410 x 100']);
  });
});

describe('an order that works longer than a day', () => {
  it('continues until it fills', () => {
    const { simulation, account } = world({ bars: [DAYS], start: '2024-03-08T10:00:00-05:00' });
    const id = order(account);
    settleNow(simulation);
    const sale = order(account, { side: 'sell', price: '104.50', timeInForce: 'gtc' });
    runUntil(simulation, '2024-03-10T12:00:00-04:00');
    expect(detail(account, sale).status).toBe('NewStatus');
    expect(account.ordersToday().map(({ orderId }) => orderId)).toEqual([sale]);
    expect(account.ordersBefore().map(({ orderId }) => orderId)).toEqual([id]);
    runUntil(simulation, '2024-03-12T00:00:00-04:00');
    expect(fills(account).at(-1)).toBe('16:45:00 104.5 x 100');
  });

  it('expires at the close of its last day, or of the last trading day before', () => {
    const { simulation, account } = world({ bars: [DAYS], start: '2024-03-08T10:00:00-05:00' });
    const expireDate = '2024-03-10' as never;
    const id = order(account, { price: '90', timeInForce: 'gtd', expireDate });
    runUntil(simulation, '2024-03-08T16:00:01-05:00');
    expect(detail(account, id).status).toBe('ExpiredStatus');
  });
});

describe('orders that the venue refuses at once', () => {
  const hk = bars('700.HK', '1d', [['2024-03-05T00:00:00+08:00', 300, 302, 296, 298]]);
  const { account } = world({
    bars: [hk],
    securities: [security('700.HK'), security('HSI.HK', { kind: 'index', tradable: false })],
    start: '2024-03-06T10:00:00+08:00',
  });

  it.each([
    ['part of a lot', { symbol: '700.HK', quantity: '150', price: '300' }, /150.*lot of 100/],
    ['a price between ticks', { symbol: '700.HK', price: '300.1' }, /300\.1.*tick of 0\.2/],
    ['a limit order without a price', { symbol: '700.HK', type: 'LO' }, /wants "price"/],
    ['a market order with a price', { symbol: '700.HK', type: 'MO', price: '300' }, /takes no "price"/],
    ['a symbol that it does not know', { symbol: 'NOPE.HK' }, /"NOPE.HK" is not known/],
    ['an index, which is not tradable', { symbol: 'HSI.HK' }, /"HSI.HK" is not tradable/],
    [
      'an expiry in the past',
      { symbol: '700.HK', price: '300', timeInForce: 'gtd', expireDate: '2024-03-05' as never },
      /2024-03-05.*2024-03-06/,
    ],
  ] as const)('%s', (_what, draft, message) => {
    const { code, message: text } = refusal(account.submit(terms(draft), ''));
    expect(code).toBe(602001);
    expect(text).toMatch(message);
    expect(account.ordersToday()).toEqual([]);
  });
});

describe('orders that the venue rejects after accepting them', () => {
  it('include a purchase that cash does not cover, with charges', () => {
    const { simulation, account } = world({
      bars: [DAYS],
      start: '2024-03-08T10:00:00-05:00',
      models: { charges: CHARGE_SCHEDULES.standard },
    });
    const id = order(account, { price: '100', quantity: '1000' });
    expect(detail(account, id).status).toBe('NotReported');
    const [event] = settleNow(simulation);
    expect(event?.kind === 'order' && event.change.detail.status).toBe('RejectedStatus');
    expect(detail(account, id).message).toMatch(/needs 100008\.00 USD, available 100000\.00 USD/);
    expect(refusal(account.cancel(id)).code).toBe(601013);
    expect(statuses(account, id)).toEqual(['RejectedStatus']);
  });

  it('include a purchase by a cent beyond cash and credit, and none that uses up both', () => {
    const asks = (price: string) => {
      const { simulation, account } = world({
        bars: [DAYS],
        start: '2024-03-08T10:00:00-05:00',
        accounts: [{ id: 'a', currency: 'USD', cash: { USD: decimal('10000') }, fx: {} }],
        models: { margin: MARGIN_ACCOUNT },
      });
      const id = order(account, { price, quantity: '1' });
      settleNow(simulation);
      return detail(account, id).message;
    };
    expect(asks('20000')).toBe('');
    expect(asks('20000.01')).toMatch(/needs 20000\.01 USD, available 20000\.00 USD/);
  });

  it('include a sale of more than is held and free', () => {
    const { simulation, account } = world({ bars: [DAYS], start: '2024-03-08T10:00:00-05:00' });
    order(account);
    settleNow(simulation);
    order(account, { side: 'sell', price: '120', quantity: '60' });
    const id = order(account, { side: 'sell', price: '120', quantity: '41' });
    settleNow(simulation);
    expect(detail(account, id).message).toMatch(/wants to sell 41, available 40/);
  });

  it('include a market order before the first price', () => {
    const { simulation, account } = world({ bars: [DAYS], start: '2024-03-06T10:00:00-05:00' });
    const id = order(account);
    settleNow(simulation);
    expect(detail(account, id).message).toMatch(/No price of "AAPL.US" yet/);
  });
});

describe('a cancel', () => {
  it('ends a working order by an event', () => {
    const { simulation, account } = world({ bars: [DAYS], start: '2024-03-08T10:00:00-05:00' });
    const id = order(account, { price: '90' });
    settleNow(simulation);
    expect(account.cancel(id)).toEqual({ kind: 'accepted' });
    expect(account.cancel(id)).toEqual({ kind: 'accepted' });
    expect(detail(account, id).status).toBe('NewStatus');
    expect(settleNow(simulation)).toHaveLength(1);
    expect(detail(account, id).status).toBe('CanceledStatus');
    expect(refusal(account.cancel(id)).code).toBe(601011);
    expect(account.balance().cash[0]?.frozen.toString()).toBe('0');
  });

  it('comes too late for a filled order and fails for an unknown one', () => {
    const { simulation, account } = world({ bars: [DAYS], start: '2024-03-08T10:00:00-05:00' });
    const id = order(account);
    settleNow(simulation);
    expect(refusal(account.cancel(id)).code).toBe(601012);
    expect(refusal(account.cancel('123' as OrderId)).code).toBe(603001);
  });

  it('that is still in transit lets the order fill', () => {
    const { simulation, account } = world({
      bars: [DAYS],
      start: '2024-03-08T11:07:29.900-05:00',
      models: { latency: { kind: 'fixed', ms: 200 } },
    });
    const id = order(account, { price: '99' });
    runUntil(simulation, '2024-03-08T12:44:59.900-05:00');
    expect(account.cancel(id).kind).toBe('accepted');
    runUntil(simulation, '2024-03-08T12:46:00-05:00');
    expect(statuses(account, id)).toEqual(['FilledStatus', 'NewStatus']);
  });

  it('works on orders that wait for the open and on untriggered orders', () => {
    const { simulation, account } = world({ bars: [DAYS], start: '2024-03-08T17:00:00-05:00' });
    const queued = order(account, { price: '90' });
    const armed = order(account, { type: 'MIT', triggerPrice: '90' });
    settleNow(simulation);
    expect(detail(account, armed).status).toBe('VarietiesNotReported');
    account.cancel(queued);
    account.cancel(armed);
    settleNow(simulation);
    expect([queued, armed].map((id) => detail(account, id).status)).toEqual([
      'CanceledStatus',
      'CanceledStatus',
    ]);
    expect(simulation.nextVenueEventAt()).toBe(Number.POSITIVE_INFINITY);
  });
});

describe('auction and special orders in Hong Kong', () => {
  const day = bars('700.HK', '1h', [
    ['2024-03-05T15:00:00+08:00', 300, 300, 300, 300],
    ['2024-03-06T09:30:00+08:00', 302, 304, 301, 303],
    ['2024-03-06T10:30:00+08:00', 303, 305, 302, 304],
    ['2024-03-06T15:00:00+08:00', 306, 308, 305, 307],
  ]);
  const run = (when: string, draft: Parameters<typeof order>[1]) => {
    const { simulation, account } = world({ bars: [day], start: '2024-03-05T15:30:00+08:00' });
    runUntil(simulation, when);
    const id = order(account, { symbol: '700.HK', ...draft });
    runUntil(simulation, '2024-03-06T16:30:00+08:00');
    return [...fills(account), detail(account, id).status];
  };

  it.each([
    [
      'AO before the open takes the first print',
      '2024-03-06T09:10:00+08:00',
      { type: 'AO' },
      ['01:30:00 302 x 100', 'FilledStatus'],
    ],
    [
      'AO during the day takes the last print',
      '2024-03-06T11:00:00+08:00',
      { type: 'AO' },
      ['07:45:00 307 x 100', 'FilledStatus'],
    ],
    [
      'ALO takes the first print within its limit',
      '2024-03-06T09:10:00+08:00',
      { type: 'ALO', price: '303' },
      ['01:30:00 302 x 100', 'FilledStatus'],
    ],
    [
      'ALO beyond the opening becomes a limit order',
      '2024-03-06T09:10:00+08:00',
      { type: 'ALO', price: '301.4' },
      ['01:45:00 301.4 x 100', 'FilledStatus'],
    ],
    [
      'ALO beyond the closing expires',
      '2024-03-06T11:00:00+08:00',
      { type: 'ALO', price: '303' },
      ['ExpiredStatus'],
    ],
    [
      'SLO trades at the current price',
      '2024-03-06T09:40:00+08:00',
      { type: 'SLO', price: '303' },
      ['01:40:00 302 x 100', 'FilledStatus'],
    ],
    [
      'SLO that nothing meets is cancelled at once',
      '2024-03-06T09:40:00+08:00',
      { type: 'SLO', price: '300' },
      ['CanceledStatus'],
    ],
    [
      'SLO before the open meets the first print or none',
      '2024-03-06T09:10:00+08:00',
      { type: 'SLO', price: '301.4' },
      ['CanceledStatus'],
    ],
    [
      'ELO works like a limit order',
      '2024-03-06T09:40:00+08:00',
      { type: 'ELO', price: '301.4' },
      ['01:45:00 301.4 x 100', 'FilledStatus'],
    ],
    [
      'ODD takes less than a lot',
      '2024-03-06T09:40:00+08:00',
      { type: 'ODD', price: '303', quantity: '30' },
      ['01:40:00 302 x 30', 'FilledStatus'],
    ],
  ] as const)('%s', (_fact, when, draft, expected) => {
    expect(run(when, draft)).toEqual(expected);
  });
});

describe('ids and times', () => {
  it('are 18 digits, unique, the same in every run, and executions carry the order and nanoseconds', () => {
    const run = () => {
      const { simulation, account } = world({ bars: [DAYS], start: '2024-03-08T10:00:00.750-05:00' });
      const ids = [order(account), order(account, { price: '90' })];
      settleNow(simulation);
      return { ids, executions: account.executionsToday(), first: detail(account, ids[0] as OrderId) };
    };
    const { ids, executions, first } = run();
    expect(ids.every((id) => /^\d{18}$/.test(id))).toBe(true);
    expect(new Set(ids).size).toBe(2);
    expect(run().ids).toEqual(ids);
    expect(executions[0]?.executionId).toBe(`${ids[0]}-${at('2024-03-08T10:00:00.750-05:00')}000000`);
    expect(executions[0]?.time).toBe(at('2024-03-08T10:00:00-05:00'));
    expect([first.submittedAt, first.updatedAt]).toEqual([executions[0]?.time, executions[0]?.time]);
  });
});
