import { describe, expect, it } from 'vitest';
import { decimal } from '#src/model/decimal.ts';
import { orderId } from '#src/model/order.ts';
import { failure, success } from '#src/wire/envelope.ts';
import { makeTag } from '#src/wire/tag.ts';
import { eventually } from '../fixtures/eventually.ts';
import { answerOf } from '../fixtures/tasks.ts';
import { answerJson } from './fake-venue.ts';
import { DEPLOYMENT, INTENT, ORDER_ROW, TENCENT } from './fixtures.ts';
import { onSockets } from './on-sockets.ts';

const ID = orderId(ORDER_ROW.order_id);
const TODAY = '/v1/trade/order/today';
const EXECUTIONS = '/v1/trade/execution/today';
const DETAIL = '/v1/trade/order';

const on = onSockets();

const serve = (path: string, data: unknown): void =>
  on.venue.on(path, (_request, response) => answerJson(response, 200, success(data)));

function wireOrder(more: Readonly<Record<string, unknown>> = {}) {
  return {
    ...ORDER_ROW,
    remark: makeTag({ deployment: DEPLOYMENT, intentId: INTENT }),
    ...more,
  };
}

function wireExecution(id: string, more: Readonly<Record<string, unknown>> = {}) {
  return {
    order_id: ID,
    trade_id: id,
    symbol: '700.HK',
    trade_done_at: '1700000001',
    quantity: '50',
    price: '412.2',
    side: 'Sell',
    ...more,
  };
}

describe('a list of the day', () => {
  it('is read with all of 12,000 orders, which take more than 4 MB', async () => {
    const rows = Array.from({ length: 12_000 }, (_, at) =>
      wireOrder({ order_id: String(709043056541253632n + BigInt(at)), stock_name: 'x'.repeat(150) }),
    );
    expect(JSON.stringify(rows).length).toBeGreaterThan(4 * 1_048_576);
    serve(TODAY, { orders: rows });
    const answer = await answerOf(on.bench.client.broker.ordersToday());
    expect(answer.kind === 'ok' ? answer.value.length : answer).toBe(12_000);
  });
});

describe('a request', () => {
  it.each([
    [401, 401003, false],
    [403, 403201, false],
    [429, 429002, true],
    [500, 500000, true],
    [400, 602001, false],
    [400, 603001, false],
  ])(
    'under HTTP %i with code %i fails, and reports whether a retry helps: %s',
    async (status, code, retryable) => {
      on.venue.on(DETAIL, (_request, response) => answerJson(response, status, failure(code, 'no')));
      const answer = await answerOf(on.bench.client.broker.orderDetail(ID));
      expect(answer).toEqual({ kind: 'failed', code, message: 'no', retryable });
    },
  );

  it.each([
    ['an HTML page', '<html>'],
    ['nothing', ''],
  ])('answered with %s fails and may be repeated', async (_what, body) => {
    on.venue.on(DETAIL, (_request, response) => answerJson(response, 502, body));
    expect(await answerOf(on.bench.client.broker.orderDetail(ID))).toMatchObject({
      kind: 'failed',
      code: 0,
      retryable: true,
    });
  });

  it('fails at its deadline of machine time', async () => {
    on.venue.on(DETAIL, () => undefined);
    const answer = answerOf(on.bench.client.broker.orderDetail(ID));
    await eventually(() => on.venue.of(DETAIL).length === 1);
    on.bench.clock.advance(5_000);
    expect(await answer).toMatchObject({ kind: 'failed', retryable: true });
  });
});

describe('orders', () => {
  it('name the intent of their tag', async () => {
    serve(DETAIL, wireOrder());
    const answer = await answerOf(on.bench.client.broker.orderDetail(ID));
    expect(answer).toMatchObject({
      kind: 'ok',
      value: { orderId: ID, intentId: INTENT, status: 'NewStatus' },
    });
    expect(on.venue.of(DETAIL)[0]?.query).toBe(`order_id=${ID}`);
  });

  it.each([
    ['without a tag', 'from a manual purchase'],
    ['of another installation', makeTag({ deployment: 'ELSE', intentId: INTENT })],
    ['with a broken tag', `${makeTag({ deployment: DEPLOYMENT, intentId: INTENT }).slice(0, -1)}7`],
  ])('%s are foreign', async (_what, remark) => {
    serve(TODAY, { orders: [wireOrder({ remark })], has_more: false });
    const answer = await answerOf(on.bench.client.broker.ordersToday());
    expect(answer).toMatchObject({ kind: 'ok', value: [{ intentId: undefined }] });
  });

  it('of open orders request every status that is not final', async () => {
    serve(TODAY, { orders: [wireOrder({})], has_more: false });
    const answer = await answerOf(on.bench.client.broker.ordersToday('poll', 'open'));
    expect(answer).toMatchObject({ kind: 'ok', value: [{ orderId: ID }] });
    const asked = new URLSearchParams(on.venue.of(TODAY)[0]?.query).getAll('status');
    expect(asked).toContain('NewStatus');
    expect(asked).toContain('PendingCancelStatus');
    expect(asked).not.toContain('FilledStatus');
    expect(asked).toHaveLength(12);
  });

  it('about another order than the requested one are no answer', async () => {
    serve(DETAIL, wireOrder({ order_id: '8' }));
    const answer = await answerOf(on.bench.client.broker.orderDetail(ID));
    expect(answer).toMatchObject({ kind: 'failed', code: 0, retryable: false });
  });

  it('F-B11: are read page by page, and emitted once', async () => {
    on.venue.on(TODAY, ({ query }, response) => {
      const page = new URLSearchParams(query).get('page') ?? '1';
      const orders = page === '1' ? [wireOrder({ order_id: '1' }), wireOrder({ order_id: '2' })] : [];
      if (page === '2') orders.push(wireOrder({ order_id: '2' }), wireOrder({ order_id: '3' }));
      answerJson(response, 200, success({ orders, has_more: page === '1' }));
    });
    const answer = await answerOf(on.bench.client.broker.ordersToday());
    expect(answer.kind === 'ok' && answer.value.map((order) => order.orderId)).toEqual(['1', '2', '3']);
  });

  it('F-B11: with a page that fails are no list', async () => {
    on.venue.on(TODAY, ({ query }, response) => {
      if (query !== '') answerJson(response, 500, failure(500000, 'internal error'));
      else answerJson(response, 200, success({ orders: [wireOrder()], has_more: true }));
    });
    expect((await answerOf(on.bench.client.broker.ordersToday())).kind).toBe('failed');
  });

  it('I-23: whose pages never end are a failure after 20 pages', async () => {
    serve(TODAY, { orders: [wireOrder()], has_more: true });
    expect(await answerOf(on.bench.client.broker.ordersToday())).toMatchObject({
      kind: 'failed',
      message: expect.stringContaining('20 pages'),
    });
    expect(on.venue.of(TODAY)).toHaveLength(20);
  });

  it('F-B20: that cannot be read are left out, with an alarm', async () => {
    serve(TODAY, { orders: [wireOrder({ quantity: '-5' }), wireOrder()] });
    const answer = await answerOf(on.bench.client.broker.ordersToday());
    expect(answer.kind === 'ok' && answer.value).toHaveLength(1);
    expect(on.bench.alarms.map((alarm) => alarm.code)).toEqual(['unread-order']);
  });

  it.each([
    ['order_type', 'TSMPCT'],
    ['time_in_force', 'GFD'],
    ['side', 'ShortSell'],
  ])(
    'T-53: of an unknown %s stay known by id and symbol while they are open, with one alarm (F-B27)',
    async (field, word) => {
      const { broker } = on.bench.client;
      const odd = wireOrder({ order_id: '8', symbol: 'AAPL.US', remark: 'by hand', [field]: word });
      serve(TODAY, { orders: [odd, wireOrder()] });
      for (const scope of ['all', 'open', 'all'] as const) {
        const answer = await answerOf(broker.ordersToday('poll', scope));
        expect(answer).toMatchObject({ kind: 'ok', value: [{ orderId: ID }] });
        expect(broker.unread?.()).toMatchObject([
          { orderId: '8', symbol: 'AAPL.US', status: 'NewStatus', why: expect.stringContaining(word) },
        ]);
      }
      expect(on.bench.alarms.map(({ code }) => code)).toEqual(['unread-order']);
      expect(on.bench.alarms[0]?.message).toContain('No order opens a position in AAPL.US');
      serve(TODAY, { orders: [{ ...odd, status: 'FilledStatus' }, wireOrder()] });
      await answerOf(broker.ordersToday());
      expect(broker.unread?.()).toMatchObject([{ orderId: '8', status: 'FilledStatus' }]);
    },
  );

  it('T-53: that cannot be read stay known if a list of open orders leaves them out, as their status may be unknown to it', async () => {
    const { broker } = on.bench.client;
    const odd = wireOrder({ order_id: '8', symbol: 'AAPL.US', side: 'ShortSell', status: 'Dreaming' });
    serve(TODAY, { orders: [odd, wireOrder()] });
    await answerOf(broker.ordersToday('poll', 'all'));
    serve(TODAY, { orders: [wireOrder()] });
    await answerOf(broker.ordersToday('poll', 'open'));
    expect(broker.unread?.()).toMatchObject([{ orderId: '8' }]);
    await answerOf(broker.ordersToday('poll', 'all'));
    expect(broker.unread?.()).toEqual([]);
    expect(on.bench.alarms.map(({ code }) => code)).toEqual(['unread-order']);
  });

  it('T-53: that cannot be read stay known until a list is read to its end', async () => {
    const { broker } = on.bench.client;
    serve(TODAY, { orders: [wireOrder({ symbol: '', side: 'ShortSell' })] });
    await answerOf(broker.ordersToday());
    expect(broker.unread?.()).toMatchObject([{ orderId: ID, symbol: undefined, intentId: INTENT }]);
    expect(on.bench.alarms[0]?.message).toContain('No order opens a position in any symbol');
    serve(TODAY, { orders: [], has_more: true });
    expect((await answerOf(broker.ordersToday())).kind).toBe('failed');
    expect(broker.unread?.()).toHaveLength(1);
  });

  it('F-B27: of an unknown status read as unrecognised', async () => {
    serve(DETAIL, wireOrder({ status: 'Dreaming' }));
    expect(await answerOf(on.bench.client.broker.orderDetail(ID))).toMatchObject({
      value: { status: 'unrecognised', rawStatus: 'Dreaming' },
    });
  });
});

describe('executions', () => {
  it('are ordered newest last, in whatever order the venue lists them', async () => {
    const newest = wireExecution('c', { trade_done_at: '1700000009' });
    serve(EXECUTIONS, { trades: [newest, wireExecution('b'), wireExecution('a')] });
    const answer = await answerOf(on.bench.client.broker.executionsToday());
    expect(answer.kind === 'ok' && answer.value.map((row) => row.executionId)).toEqual(['a', 'b', 'c']);
  });

  it('without a side have that of their order', async () => {
    serve(DETAIL, wireOrder());
    serve(EXECUTIONS, { trades: [wireExecution('a', { side: '' })] });
    await answerOf(on.bench.client.broker.orderDetail(ID));
    const answer = await answerOf(on.bench.client.broker.executionsToday(ID));
    expect(answer).toMatchObject({ kind: 'ok', value: [{ side: 'sell', quantity: decimal('50') }] });
  });

  it('without a side of an unknown order are left out, with an alarm', async () => {
    serve(EXECUTIONS, { trades: [wireExecution('a', { side: '' })] });
    expect(await answerOf(on.bench.client.broker.executionsToday())).toEqual({ kind: 'ok', value: [] });
    expect(on.bench.alarms.map((alarm) => alarm.code)).toEqual(['unreadable-rows']);
  });
});

describe('the account', () => {
  const balance = (currency: string) => ({
    total_cash: '1000',
    currency,
    net_assets: '1500.5',
    buy_power: '1000',
    risk_level: '0',
    cash_infos: [],
  });

  it('is reported in the requested currency', async () => {
    serve('/v1/asset/account', { list: [balance('HKD'), balance('USD')] });
    const answer = await answerOf(on.bench.client.broker.balance('USD'));
    expect(answer).toMatchObject({ kind: 'ok', value: { currency: 'USD', equity: decimal('1500.5') } });
    expect(on.venue.of('/v1/asset/account')[0]?.query).toBe('currency=USD');
  });

  it('without the requested currency is no answer', async () => {
    serve('/v1/asset/account', { list: [balance('HKD')] });
    expect((await answerOf(on.bench.client.broker.balance('USD'))).kind).toBe('failed');
  });

  it('with a position that cannot be read has no positions', async () => {
    const row = {
      symbol: '700.HK',
      currency: 'HKD',
      quantity: '100',
      available_quantity: '100',
      init_quantity: '0',
    };
    serve('/v1/asset/stock', {
      list: [{ account_channel: 'lb', stock_info: [row, { ...row, quantity: '' }] }],
    });
    expect((await answerOf(on.bench.client.broker.positions())).kind).toBe('failed');
    serve('/v1/asset/stock', { list: [{ account_channel: 'lb', stock_info: [row] }] });
    expect(await answerOf(on.bench.client.broker.positions())).toMatchObject({
      kind: 'ok',
      value: [{ symbol: TENCENT, quantity: decimal('100') }],
    });
  });

  it('answers buy limit and margin for exactly the requested parameters', async () => {
    serve('/v1/trade/estimate/buy_limit', { cash_max_qty: '300', margin_max_qty: '600' });
    serve('/v1/risk/margin-ratio', { im_factor: '0.4', mm_factor: '0.35', fm_factor: '0.3' });
    const { broker } = on.bench.client;
    const question = { symbol: TENCENT, side: 'buy', type: 'LO', price: decimal('412.4') } as const;
    expect(await answerOf(broker.buyLimit(question))).toMatchObject({
      value: { cash: decimal('300') },
    });
    expect(on.venue.of('/v1/trade/estimate/buy_limit')[0]?.query).toBe(
      'symbol=700.HK&order_type=LO&side=Buy&price=412.4',
    );
    expect(await answerOf(broker.marginFactors(TENCENT))).toMatchObject({
      value: { initial: decimal('0.4') },
    });
  });
});

describe('a cancel', () => {
  it.each([
    ['accepted', 200, JSON.stringify(success({}))],
    ['accepted', 200, '{"code":0,"msg":"ok"}'],
    ['refused', 400, JSON.stringify(failure(601012, 'Order has been filled'))],
    ['unknown', 403, JSON.stringify(failure(403202, 'duplicate request'))],
    ['unknown', 500, JSON.stringify(failure(500000, 'internal error'))],
    ['unknown', 504, 'gateway timeout'],
  ])('is %s after HTTP %i %s', async (kind, status, body) => {
    on.venue.on(DETAIL, (_request, response) => answerJson(response, status, body));
    expect((await answerOf(on.bench.client.broker.cancel(ID))).kind).toBe(kind);
    expect(on.venue.of(DETAIL)).toHaveLength(1);
    expect(on.venue.of(DETAIL)[0]).toMatchObject({ method: 'DELETE', body: `{"order_id":"${ID}"}` });
  });
});

describe('the clock of the machine', () => {
  it('I-18: raises an alarm when the venue reports another time', async () => {
    on.venue.on(DETAIL, (_request, response) => {
      response.setHeader('date', new Date(on.bench.clock.now() + 4_000).toUTCString());
      answerJson(response, 200, success(wireOrder()));
    });
    await answerOf(on.bench.client.broker.orderDetail(ID));
    await answerOf(on.bench.client.broker.orderDetail(ID));
    expect(on.bench.alarms.map((alarm) => alarm.code)).toEqual(['clock-skew']);
  });
});
