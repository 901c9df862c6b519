import { describe, expect, it } from 'vitest';
import { decimal } from '#src/model/decimal.ts';
import { call, send, signed } from './a-client.ts';
import { aVenue, CREDENTIALS, OTHER_CREDENTIALS } from './a-venue.ts';
import { MACHINE_START } from './fixed-times.ts';

const ORDER = {
  symbol: '700.HK',
  order_type: 'LO',
  side: 'Buy',
  submitted_quantity: '100',
  submitted_price: '412.4',
  time_in_force: 'Day',
  remark: 'demo',
};

describe('the HTTP side', () => {
  it('answers the connectivity test with an envelope, a date and a trace id', async () => {
    const { venue } = await aVenue();
    const answer = await call(venue, 'GET', '/v1/test');
    expect(JSON.parse(answer.text)).toEqual({ code: 0, msg: 'success', message: 'success', data: {} });
    expect(answer.status).toBe(200);
    expect(answer.headers['date']).toBe(new Date(MACHINE_START).toUTCString());
    expect(answer.headers['x-trace-id']).toMatch(/^[0-9a-f]{32}$/);
  });

  it('accepts the reference signatures byte for byte', async () => {
    const { venue } = await aVenue();
    const signature = '2fca95c11bd254f64b080cf03608af55d8358feb1e84ca5183c486b490df3ab4';
    const headers = {
      'x-api-key': CREDENTIALS.appKey,
      authorization: CREDENTIALS.accessToken,
      'x-timestamp': '1760000000',
      'x-api-signature': `HMAC-SHA256 SignedHeaders=authorization;x-api-key;x-timestamp, Signature=${signature}`,
    };
    expect((await send(venue, 'GET', '/v1/test', { headers })).code).toBe(0);
    const positions = { ...headers, 'x-timestamp': '1760000000.123' };
    positions['x-api-signature'] = headers['x-api-signature'].replace(
      signature,
      'fc6c4cf66d33ed27ff0599b6a5dc3961b1a70de2ad75dd861d2a6aff85d2de57',
    );
    const answer = await send(venue, 'GET', '/v1/asset/stock?symbol=700.HK&symbol=AAPL.US', {
      headers: positions,
    });
    expect(answer.data).toEqual({ list: [{ account_channel: 'lb_papertrading', stock_info: [] }] });
  });

  it('refuses a bad signature with 403201 and changes no books', async () => {
    const { venue } = await aVenue();
    const body = JSON.stringify(ORDER);
    const headers = signed('POST', '/v1/trade/order', { body: body.replace('100', '200') });
    const answer = await send(venue, 'POST', '/v1/trade/order', { headers, body });
    expect([answer.status, answer.code, answer.message, answer.data]).toEqual([
      403,
      403201,
      'signature invalid',
      null,
    ]);
    expect((await call(venue, 'GET', '/v1/trade/order/today')).data.orders).toEqual([]);
  });

  it.each([
    ['an unknown key', { ...CREDENTIALS, appKey: 'ak_other' }, 403, 403203],
    ['a token of another app', { ...CREDENTIALS, accessToken: OTHER_CREDENTIALS.accessToken }, 401, 401003],
    ['a wrong secret', { ...CREDENTIALS, appSecret: 'wrong' }, 403, 403201],
  ])('refuses %s', async (_what, credentials, status, code) => {
    const { venue } = await aVenue();
    const answer = await call(venue, 'GET', '/v1/test', { credentials });
    expect([answer.status, answer.code]).toEqual([status, code]);
  });

  it('refuses a timestamp outside the tolerance and reports by how much', async () => {
    const { venue } = await aVenue();
    const headers = signed('GET', '/v1/test', { timestamp: String(MACHINE_START / 1_000 - 301) });
    const answer = await send(venue, 'GET', '/v1/test', { headers });
    expect(answer.code).toBe(403201);
    expect(answer.message).toContain('-301 s');
  });

  it('S-16: refuses a repeated submit with 403202 and answers a repeated read', async () => {
    const { venue } = await aVenue();
    const body = JSON.stringify(ORDER);
    const headers = signed('POST', '/v1/trade/order', { body });
    expect((await send(venue, 'POST', '/v1/trade/order', { headers, body })).code).toBe(0);
    const again = await send(venue, 'POST', '/v1/trade/order', { headers, body });
    expect([again.status, again.code]).toEqual([403, 403202]);
    expect((await call(venue, 'GET', '/v1/trade/order/today')).data.orders).toHaveLength(1);
    const read = signed('GET', '/v1/asset/account');
    expect((await send(venue, 'GET', '/v1/asset/account', { headers: read })).code).toBe(0);
    expect((await send(venue, 'GET', '/v1/asset/account', { headers: read })).code).toBe(0);
  });

  it('serves equal orders and cancels with the stamp of one second, as SDKs send them, and refuses their replay later', async () => {
    const { venue, machine, advance } = await aVenue();
    const timestamp = String(Math.floor(machine.now() / 1_000));
    const path = '/v1/trade/order';
    const body = JSON.stringify(ORDER);
    const submit = () =>
      send(venue, 'POST', path, { headers: signed('POST', path, { body, timestamp }), body });
    const first = await submit();
    advance(900);
    const second = await submit();
    expect([first.code, second.code]).toEqual([0, 0]);
    expect(second.data.order_id).not.toBe(first.data.order_id);
    const target = `${path}?order_id=${first.data.order_id}`;
    const cancel = () => send(venue, 'DELETE', target, { headers: signed('DELETE', target, { timestamp }) });
    expect((await cancel()).code).toBe(0);
    expect((await cancel()).code).not.toBe(403202);
    advance(1_100);
    for (const late of [await submit(), await submit()])
      expect([late.status, late.code]).toEqual([403, 403202]);
    advance(901);
    expect((await cancel()).code).toBe(403202);
    expect((await call(venue, 'GET', '/v1/trade/order/today')).data.orders).toHaveLength(2);
  });

  it('refuses a repeat at once if the stamp has a fraction or counts milliseconds', async () => {
    const { venue, machine } = await aVenue();
    const body = JSON.stringify(ORDER);
    for (const timestamp of [(machine.now() / 1_000).toFixed(3), String(machine.now())]) {
      const headers = signed('POST', '/v1/trade/order', { body, timestamp });
      const codes = [0, 1].map(() => send(venue, 'POST', '/v1/trade/order', { headers, body }));
      expect((await Promise.all(codes)).map(({ code }) => code).toSorted((a, b) => a - b)).toEqual([
        0, 403202,
      ]);
    }
  });

  it('distinguishes an unknown path, a wrong method and a malformed request', async () => {
    const { venue } = await aVenue();
    const unknown = await call(venue, 'GET', '/v1/nowhere');
    expect([unknown.status, unknown.code]).toEqual([404, 404000]);
    const method = await call(venue, 'DELETE', '/v1/test');
    expect([method.status, method.code]).toEqual([405, 405000]);
    const missing = await call(venue, 'POST', '/v1/trade/order', {
      body: { ...ORDER, submitted_price: undefined },
    });
    expect([missing.status, missing.code]).toEqual([400, 602001]);
    expect(missing.message).toContain('submitted_price');
    const body = '{"symbol": ';
    const broken = await send(venue, 'POST', '/v1/trade/order', {
      body,
      headers: signed('POST', '/v1/trade/order', { body }),
    });
    expect([broken.status, broken.code]).toEqual([400, 602001]);
    expect(broken.message).toContain('JSON');
  });

  it('S-19: refuses an order of more than 16 KB and any other body of more than 64 KB with 413', async () => {
    const { venue } = await aVenue();
    const order = JSON.stringify({ ...ORDER, remark: 'x'.repeat(16_384) });
    const large = await send(venue, 'POST', '/v1/trade/order', { body: order });
    expect([large.status, large.code]).toEqual([413, 413000]);
    const group = await send(venue, 'POST', '/v1/watchlist/groups', { body: 'x'.repeat(65_537) });
    expect([group.status, group.code]).toEqual([413, 413000]);
    const atLimit = await send(venue, 'POST', '/v1/watchlist/groups', { body: 'x'.repeat(65_536) });
    expect(atLimit.code).toBe(403203);
  });

  it('reads the parameters of a DELETE from the query and from the body', async () => {
    const { venue } = await aVenue();
    for (const where of ['query', 'body'] as const) {
      const { data } = await call(venue, 'POST', '/v1/trade/order', { body: ORDER });
      const cancel =
        where === 'query'
          ? await call(venue, 'DELETE', `/v1/trade/order?order_id=${data.order_id}`)
          : await call(venue, 'DELETE', '/v1/trade/order', { body: { order_id: data.order_id } });
      expect(cancel.code).toBe(0);
    }
  });

  it.each(['TSMPCT', 'TSMAMT'])(
    'refuses the removed order type %s with the reason, to submit and to estimate',
    async (type) => {
      const { venue } = await aVenue();
      const message = new RegExp(`^order_type: order type not support: ${type} was removed on 2024-04-29`);
      const body = { ...ORDER, order_type: type, trailing_percent: '5', limit_offset: '1' };
      const submitted = await call(venue, 'POST', '/v1/trade/order', { body });
      expect(submitted).toMatchObject({ status: 400, code: 602001, message: expect.stringMatching(message) });
      const query = `symbol=700.HK&order_type=${type}&side=Buy&price=300&fractional_shares=false`;
      expect(await call(venue, 'GET', `/v1/trade/estimate/buy_limit?${query}`)).toMatchObject({
        ...{ status: 400, code: 602001, message: expect.stringMatching(message) },
      });
      expect((await call(venue, 'GET', '/v1/trade/order/today')).data.orders).toEqual([]);
    },
  );

  it('echoes the signature self-test and creates nothing', async () => {
    const { venue } = await aVenue();
    const body = { order_id: '900100200300400500' };
    expect((await call(venue, 'POST', '/v1/trade/order/submit', { body })).data).toEqual(body);
    expect((await call(venue, 'GET', '/v1/trade/order/today')).data.orders).toEqual([]);
  });

  it('answers requests about money from the books', async () => {
    const { venue } = await aVenue();
    const { data } = await call(venue, 'GET', '/v1/asset/account');
    expect(data.list[0].net_assets).toBe('1000000.00');
    expect(data.list[0].cash_infos).toMatchObject([{ currency: 'HKD', available_cash: '1000000.00' }]);
    const ratio = await call(venue, 'GET', '/v1/risk/margin-ratio?symbol=700.HK');
    expect(ratio.data).toEqual({ im_factor: '1', mm_factor: '0.3', fm_factor: '0.25' });
    const limit = await call(
      venue,
      'GET',
      '/v1/trade/estimate/buy_limit?symbol=700.HK&order_type=LO&side=Buy&price=400',
    );
    expect(decimal(limit.data.cash_max_qty).mod(100).toNumber()).toBe(0);
    expect(Number(limit.data.cash_max_qty)).toBeGreaterThan(2_000);
    expect((await call(venue, 'GET', '/v1/risk/margin-ratio?symbol=1.HK')).code).toBe(602001);
    expect((await call(venue, 'GET', '/v1/asset/account?currency=SGD')).code).toBe(602001);
  });

  it('gives each account its own books', async () => {
    const { venue } = await aVenue();
    const { data } = await call(venue, 'POST', '/v1/trade/order', { body: ORDER });
    const target = `/v1/trade/order?order_id=${data.order_id}`;
    expect((await call(venue, 'GET', target)).data.order_id).toBe(data.order_id);
    expect((await call(venue, 'GET', target, { credentials: OTHER_CREDENTIALS })).code).toBe(603001);
  });

  it('repeats the first answer for a request key that is repeated within ten minutes', async () => {
    const { venue, advance } = await aVenue({ skewToleranceMs: 0 });
    const body = { ...ORDER, client_request_id: 'intent-1' };
    const first = await call(venue, 'POST', '/v1/trade/order', { body });
    advance(599_999);
    expect((await call(venue, 'POST', '/v1/trade/order', { body })).data).toEqual(first.data);
    expect((await call(venue, 'GET', '/v1/trade/order/today')).data.orders).toHaveLength(1);
    advance(1);
    expect((await call(venue, 'POST', '/v1/trade/order', { body })).data).not.toEqual(first.data);
  });

  it('refreshes the token and invalidates the old one at once', async () => {
    const { venue } = await aVenue();
    const until = encodeURIComponent('2025-10-20T00:00:00.000Z');
    const { data } = await call(venue, 'GET', `/v1/token/refresh?expired_at=${until}`);
    expect(data.expired_at).toBe('2025-10-20T00:00:00.000Z');
    expect((await call(venue, 'GET', '/v1/test')).code).toBe(401003);
    const credentials = { ...CREDENTIALS, accessToken: data.token };
    expect((await call(venue, 'GET', '/v1/test', { credentials })).code).toBe(0);
  });
});
