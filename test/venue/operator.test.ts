import { describe, expect, it } from 'vitest';
import type { RunningVenue } from '#src/venue/venue-options.ts';
import { call, SocketClient, step } from './a-client.ts';
import { aVenue, OTHER_CREDENTIALS } from './a-venue.ts';

async function admin(
  venue: RunningVenue,
  path: string,
  body: unknown = {},
): Promise<{ readonly status: number; readonly said: Record<string, unknown> }> {
  const answer = await fetch(`${venue.admin}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${venue.adminToken}` },
    body: JSON.stringify(body),
  });
  return { status: answer.status, said: (await answer.json()) as Record<string, unknown> };
}

async function netAssets(venue: RunningVenue, options: Parameters<typeof call>[3] = {}): Promise<string> {
  return (await call(venue, 'GET', '/v1/asset/account', options)).data.list[0].net_assets;
}

const BUY = {
  symbol: '700.HK',
  order_type: 'MO',
  side: 'Buy',
  submitted_quantity: '100',
  time_in_force: 'Day',
};

describe("the operator's port", () => {
  it('pays cash into the named account, by default the first one', async () => {
    const { venue } = await aVenue();
    expect(await admin(venue, '/deposit', { currency: 'HKD', amount: '500.25' })).toMatchObject({
      status: 200,
    });
    expect(await netAssets(venue)).toBe('1000500.25');
    const other = { account: 'paper-2', currency: 'USD', amount: '-10' };
    expect(await admin(venue, '/deposit', other)).toMatchObject({ status: 200 });
    expect(await netAssets(venue, { credentials: OTHER_CREDENTIALS })).toBe('999922.00');
  });

  it.each([
    [{ currency: 'HKD', amount: 'much' }, 400, /amount/],
    [{ currency: 'hkd', amount: '1' }, 400, /currency/],
    [{ currency: 'JPY', amount: '1' }, 409, /currency/],
    [{ account: 'missing', currency: 'HKD', amount: '1' }, 409, /no account "missing"/],
  ])('refuses the deposit %j', async (deposit, status, reason) => {
    const { venue } = await aVenue();
    const { status: got, said } = await admin(venue, '/deposit', deposit);
    expect(got).toBe(status);
    expect(String(said['message'])).toMatch(reason);
    expect(await netAssets(venue)).toBe('1000000.00');
  });

  it('resets everything to the opening, except the clock', async () => {
    const { venue } = await aVenue();
    for (let each = 0; each < 3; each += 1) await step(venue);
    await call(venue, 'POST', '/v1/trade/order', { body: { ...BUY, client_request_id: 'a' } });
    await call(venue, 'POST', '/v1/watchlist/groups', { body: { name: 'mine', securities: [] } });
    let time: number | undefined;
    for (let each = 0; each < 12; each += 1) ({ time } = await step(venue));
    const positions = async () => {
      const [channel] = (await call(venue, 'GET', '/v1/asset/stock')).data.list;
      return channel.stock_info;
    };
    expect(await positions()).toHaveLength(1);
    const { status, said } = await admin(venue, '/reset');
    expect([status, said['time']]).toEqual([200, time]);
    expect(await positions()).toEqual([]);
    expect((await call(venue, 'GET', '/v1/trade/order/today')).data.orders).toEqual([]);
    expect((await call(venue, 'GET', '/v1/watchlist/groups')).data.groups).toHaveLength(1);
    expect(await netAssets(venue)).toBe('1000000.00');
    const fresh = await call(venue, 'POST', '/v1/trade/order', { body: { ...BUY, client_request_id: 'a' } });
    for (let each = 0; each < 12; each += 1) await step(venue);
    const detail = await call(venue, 'GET', `/v1/trade/order?order_id=${fresh.data.order_id}`);
    expect(detail.data.executed_quantity).toBe('100');
  });

  it('disconnects the sockets of a side', async () => {
    const { venue } = await aVenue();
    const quote = await SocketClient.loggedIn(venue, 'quote');
    const trade = await SocketClient.loggedIn(venue, 'trade');
    expect((await admin(venue, '/cut', { side: 'quote' })).said).toEqual({ cut: 1 });
    expect(await quote.closed).toBe(1006);
    expect((await admin(venue, '/cut')).said).toEqual({ cut: 1 });
    expect(await trade.closed).toBe(1006);
  });
});
