import { request as tlsRequest } from 'node:https';
import { describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { mintKey } from '#src/catalogue/key.ts';
import { openCatalogueStore } from '#src/catalogue/store.ts';
import type { RunningVenue } from '#src/venue/venue-options.ts';
import { call, signed, step } from './a-client.ts';
import { aVenue, countingRandom } from './a-venue.ts';
import { at } from './rising-minutes.ts';
import { SELF_SIGNED } from './self-signed.ts';

const BUY = {
  symbol: '700.HK',
  order_type: 'MO',
  side: 'Buy',
  submitted_quantity: '100',
  time_in_force: 'Day',
};
const SELL = { ...BUY, side: 'Sell' };

async function stepUntil(venue: RunningVenue, time: string): Promise<void> {
  const timer = at(time);
  for (;;) {
    const { phase, time: now } = await step(venue, timer, 'batched');
    if (phase === 'timer' || now >= timer) return;
  }
}

/** An account that bought and sold on 2 September, read on 3 September. */
async function theDayAfter() {
  const { venue } = await aVenue();
  await call(venue, 'POST', '/v1/trade/order', { body: BUY });
  await stepUntil(venue, '2025-09-02T09:40:00+08:00');
  await call(venue, 'POST', '/v1/trade/order', { body: SELL });
  await stepUntil(venue, '2025-09-03T09:00:00+08:00');
  return venue;
}

describe('listings', () => {
  it('show finished orders and executions of an earlier day in history only', async () => {
    const venue = await theDayAfter();
    const listed = async (path: string, rows: 'orders' | 'trades') =>
      (await call(venue, 'GET', path)).data[rows];
    expect(await listed('/v1/trade/order/today', 'orders')).toEqual([]);
    expect(await listed('/v1/trade/execution/today', 'trades')).toEqual([]);
    const orders = await listed('/v1/trade/order/history', 'orders');
    expect(orders.map((order: { side: string }) => order.side)).toEqual(['Sell', 'Buy']);
    expect(orders[0]).toMatchObject({ status: 'FilledStatus', tag: 'Normal', expire_date: '2025-09-02' });
    expect(await listed('/v1/trade/execution/history', 'trades')).toHaveLength(2);
    expect(await listed('/v3/trade/execution/all', 'trades')).toHaveLength(2);
  });

  it('filter by symbol, side, status and time, and are paged', async () => {
    const venue = await theDayAfter();
    const count = async (query: string) =>
      (await call(venue, 'GET', `/v1/trade/order/history?${query}`)).data.orders.length;
    expect(await count('symbol=5.HK')).toBe(0);
    expect(await count('side=Buy')).toBe(1);
    expect(await count('status=FilledStatus&status=NewStatus')).toBe(2);
    expect(await count('status=NewStatus')).toBe(0);
    const noon = at('2025-09-02T09:39:00+08:00') / 1_000;
    expect(await count(`start_at=${noon}`)).toBe(1);
    expect(await count(`end_at=${noon}`)).toBe(1);
    const page = await call(venue, 'GET', '/v1/trade/order/history?page=1&size=1');
    expect([page.data.orders.length, page.data.has_more]).toEqual([1, true]);
    const last = await call(venue, 'GET', '/v1/trade/order/history?page=2&size=1');
    expect([last.data.orders.length, last.data.has_more]).toEqual([1, false]);
  });

  it('include a cash flow that adds up to the change of cash', async () => {
    const venue = await theDayAfter();
    const window = `start_time=${at('2025-09-01T00:00:00Z') / 1_000}&end_time=${at('2025-09-04T00:00:00Z') / 1_000}`;
    const { data } = await call(venue, 'GET', `/v1/asset/cashflow?${window}`);
    const sum = data.list.reduce((total: number, row: { balance: string }) => total + Number(row.balance), 0);
    const account = await call(venue, 'GET', '/v1/asset/account');
    expect(1_000_000 + sum).toBeCloseTo(Number(account.data.list[0].net_assets), 6);
    expect(data.list[0]).toMatchObject({
      transaction_flow_name: 'BuyContract-Stocks',
      direction: 1,
      symbol: '700.HK',
    });
    expect((await call(venue, 'GET', `/v1/asset/cashflow?${window}&business_type=1`)).data.list).toEqual([]);
    expect((await call(venue, 'GET', '/v1/asset/cashflow')).code).toBe(602001);
  });

  it('have no funds', async () => {
    const { venue } = await aVenue();
    expect((await call(venue, 'GET', '/v1/asset/fund?symbol=HK0000676327')).data).toEqual({ list: [] });
  });
});

describe('replacing and cancelling', () => {
  it('changes a working order, and reports why it does not change a finished one', async () => {
    const { venue } = await aVenue();
    const limit = { ...BUY, order_type: 'LO', submitted_price: '400' };
    const { data } = await call(venue, 'POST', '/v1/trade/order', { body: limit });
    await stepUntil(venue, '2025-09-02T09:31:00+08:00');
    const detail = async () => (await call(venue, 'GET', `/v1/trade/order?order_id=${data.order_id}`)).data;
    const change = { order_id: data.order_id, quantity: '200', price: '401' };
    expect((await call(venue, 'PUT', '/v1/trade/order', { body: change })).code).toBe(0);
    await step(venue);
    expect(await detail()).toMatchObject({ quantity: '200', price: '401', status: 'NewStatus' });
    const level = await call(venue, 'PUT', '/v1/trade/order', { body: { ...change, monitor_price: '300' } });
    expect([level.code, level.message]).toEqual([602001, expect.stringContaining('monitor_price')]);
    expect((await call(venue, 'DELETE', '/v1/trade/order', { body: { order_id: data.order_id } })).code).toBe(
      0,
    );
    await step(venue);
    expect((await detail()).status).toBe('CanceledStatus');
    expect((await call(venue, 'PUT', '/v1/trade/order', { body: change })).code).toBe(601011);
    expect((await call(venue, 'DELETE', '/v1/trade/order', { body: { order_id: '1' } })).code).toBe(603001);
  });
});

describe('the same base URL', () => {
  it('serves the catalogue if there is one, and nothing of it otherwise', async () => {
    const store = openCatalogueStore(':memory:');
    const terms = { scheme: 'bearer', principal: 'test', mayWrite: true, expiresAt: undefined } as const;
    const { secret, key } = mintKey(terms, countingRandom());
    const { venue } = await aVenue({ catalogue: { store, keys: { keys: () => [key] } } });
    const post = (at: RunningVenue) =>
      fetch(`${at.http}/api/v1/artists`, {
        method: 'POST',
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
        body: '{"name": "Nina"}',
      });
    expect((await post(venue)).status).toBe(201);
    expect((await call(venue, 'GET', '/v1/test')).code).toBe(0);
    const without = await aVenue();
    expect((await post(without.venue)).status).toBe(404);
    await venue.close();
    store.close();
  });

  it('uses TLS if it has a certificate', async () => {
    const { venue } = await aVenue({ tls: SELF_SIGNED });
    expect(venue.http).toMatch(/^https:/);
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const headers = signed('GET', '/v1/test');
      const sent = tlsRequest(
        `${venue.http}/v1/test`,
        { headers, rejectUnauthorized: false, agent: false },
        (answer) => {
          answer.resume();
          resolve(answer.statusCode);
        },
      );
      sent.on('error', reject);
      sent.end();
    });
    expect(status).toBe(200);
    const socket = new WebSocket(`${venue.quoteWs}?version=1&codec=1&platform=9`, {
      rejectUnauthorized: false,
    });
    await new Promise<void>((resolve, reject) => {
      socket.once('open', () => resolve());
      socket.once('error', reject);
    });
    socket.close();
  });
});
