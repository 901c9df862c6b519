import { Agent, request } from 'undici';
import { afterEach, describe, expect, it } from 'vitest';
import { ERROR_CODES } from '#src/wire/error-codes.ts';
import { call, send, signed } from './a-client.ts';
import { aVenue } from './a-venue.ts';
import { faultReport, fired, postFaults, setFaults, submit, today } from './fault-kit.ts';

const agents: Agent[] = [];
afterEach(async () => {
  await Promise.all(agents.splice(0).map((agent) => agent.destroy()));
});

/** Signs and sends over a separate connection pool; returns the text. */
async function ask(venue: { readonly http: string }, path: string, agent = new Agent()): Promise<string> {
  agents.push(agent);
  const answer = await request(`${venue.http}${path}`, { headers: signed('GET', path), dispatcher: agent });
  return answer.body.text();
}

describe('faults in the bytes of calls', () => {
  it('F-N04 net.resetAfter: resets the connection halfway through the body, and the order is not read', async () => {
    const { venue } = await aVenue();
    await setFaults(venue, { knob: 'net.resetAfter', endpoint: 'submitOrder', bytes: 20, times: 1 });
    await expect(submit(venue)).rejects.toThrow();
    expect(await today(venue)).toEqual([]);
    expect(await fired(venue)).toEqual([1]);
    expect(await submit(venue)).toMatchObject({ code: 0 });
  });

  it('F-N05 net.resetResponseAfter: accepts the order, and resets halfway through the answer', async () => {
    const { venue } = await aVenue();
    await setFaults(venue, { knob: 'net.resetResponseAfter', endpoint: 'submitOrder', bytes: 30 });
    await expect(submit(venue)).rejects.toThrow();
    expect(await today(venue)).toHaveLength(1);
  });

  it('F-N06 net.halfClose: closes the kept connection just as it is reused, and serves nothing on it', async () => {
    const { venue } = await aVenue();
    const agent = new Agent({ connections: 1, pipelining: 1 });
    await setFaults(venue, { knob: 'net.halfClose', endpoint: 'account', times: 1 });
    expect(await ask(venue, '/v1/asset/account', agent)).toContain('"code":0');
    await expect(ask(venue, '/v1/test', agent)).rejects.toThrow();
    expect(await ask(venue, '/v1/test', agent)).toContain('"code":0');
  });

  it('F-N06 net.halfClose with a time: closes the idle connection after that time', async () => {
    const { venue, advance } = await aVenue();
    await setFaults(venue, { knob: 'net.halfClose', endpoint: 'account', ms: 500 });
    const agent = new Agent({ connections: 1 });
    const gone = new Promise<void>((resolve) => agent.once('disconnect', () => resolve()));
    await ask(venue, '/v1/asset/account', agent);
    await expect.poll(() => advance(500) ?? true).toBe(true);
    await gone;
  });

  it('F-N08 net.slicer: sends the answer slowly, a few bytes at a time by machine time', async () => {
    const { venue, advance } = await aVenue();
    await setFaults(venue, { knob: 'net.slicer', endpoint: 'connectivityTest', bytes: 100, ms: 1_000 });
    const late = ask(venue, '/v1/test');
    let isDone = false;
    void late.then(() => {
      isDone = true;
    });
    await expect.poll(async () => (await fired(venue))[0]).toBe(1);
    expect(isDone).toBe(false);
    advance(20_000);
    expect(JSON.parse(await late)).toMatchObject({ code: 0 });
  });

  it('net.blackhole: neither serves nor answers, and leaves the connection open', async () => {
    const { venue } = await aVenue();
    await setFaults(venue, { knob: 'net.blackhole', endpoint: 'submitOrder', times: 1 });
    const signal = AbortSignal.timeout(200);
    const body = '{}';
    const lost = fetch(`${venue.http}/v1/trade/order`, {
      ...{ method: 'POST', body, signal },
      headers: { ...signed('POST', '/v1/trade/order', { body }), 'content-type': 'application/json' },
    });
    await expect(lost).rejects.toThrow(/timeout/);
    expect(await today(venue)).toEqual([]);
  });

  it('net.duplicate: delivers a request twice; the second copy is answered 403202, the first one is valid', async () => {
    const { venue } = await aVenue();
    await setFaults(venue, { knob: 'net.duplicate', endpoint: 'submitOrder', times: 1 });
    expect(await submit(venue)).toMatchObject({ status: 403, code: 403202 });
    expect(await today(venue)).toHaveLength(1);
  });
});

describe('wrong answers', () => {
  it.each([...ERROR_CODES.values()])(
    'venue.fail: any code of the table, $code with status $status',
    async ({ code, status }) => {
      const { venue } = await aVenue();
      await setFaults(venue, { knob: 'venue.fail', endpoint: 'account', code });
      expect(await call(venue, 'GET', '/v1/asset/account')).toMatchObject({ code, status });
    },
  );

  it('F-B03 venue.limit: either limit of the table', async () => {
    const { venue } = await aVenue();
    await setFaults(venue, { knob: 'venue.limit', code: 429001 });
    expect(await call(venue, 'GET', '/v1/test')).toMatchObject({ status: 429, code: 429001 });
  });

  it.each([
    ['no-data', '{"code":0,"msg":"success","message":"success"}'],
    ['null-data', '{"code":0,"msg":"success","message":"success","data":null}'],
    ['list-data', '{"code":0,"msg":"success","message":"success","data":[]}'],
    ['no-id', '{"code":0,"msg":"success","message":"success","data":{}}'],
  ])('F-B08 venue.shape %s: the order is accepted, the answer does not state which', async (form, text) => {
    const { venue } = await aVenue();
    await setFaults(venue, { knob: 'venue.shape', form, endpoint: 'submitOrder' });
    expect((await submit(venue)).text).toBe(text);
    expect(await today(venue)).toHaveLength(1);
  });

  it('F-B08 venue.shape: one text field of two, and unknown fields', async () => {
    const { venue } = await aVenue();
    const textOf = async (form: string): Promise<string> => {
      await setFaults(venue, { knob: 'venue.shape', form });
      return (await call(venue, 'GET', '/v1/test')).text;
    };
    expect(await textOf('msg-only')).toBe('{"code":0,"msg":"success","data":{}}');
    expect(await textOf('message-only')).toBe('{"code":0,"message":"success","data":{}}');
    expect(await textOf('more-fields')).toContain('"brand_new"');
  });

  it('F-B11 venue.pages: rows repeat, and only the first pages state that there are more', async () => {
    const { venue } = await aVenue();
    for (let each = 0; each < 3; each += 1) await submit(venue);
    await setFaults(venue, { knob: 'venue.pages', rows: 2 });
    const { data } = await call(venue, 'GET', '/v1/trade/order/today');
    const ids = data.orders.map((order: { order_id: string }) => order.order_id);
    expect(ids).toHaveLength(4);
    expect(new Set(ids).size).toBe(2);
    expect(data.has_more).toBe(true);
  });

  it.each(['-5', '0', 'NaN', '', null])(
    'F-B20 venue.garbage: any field of any answer reads %j',
    async (value) => {
      const { venue } = await aVenue();
      await submit(venue);
      await setFaults(venue, {
        knob: 'venue.garbage',
        endpoint: 'todayOrders',
        field: 'executed_quantity',
        value,
      });
      expect((await today(venue))[0]?.executed_quantity).toBe(value);
    },
  );

  it('F-B27 venue.enum: an unknown status', async () => {
    const { venue } = await aVenue();
    await submit(venue);
    await setFaults(venue, { knob: 'venue.enum' });
    expect((await today(venue))[0]?.status).toBe('QuantumStatus');
  });

  it('F-B23 venue.estimate and F-B25 venue.marginStep: figures that risk rules request', async () => {
    const { venue } = await aVenue();
    const limit = '/v1/trade/estimate/buy_limit?symbol=700.HK&order_type=LO&side=Buy&price=400';
    await setFaults(venue, { knob: 'venue.estimate', value: '' }, { knob: 'venue.marginStep', factor: '2' });
    expect((await call(venue, 'GET', limit)).data).toEqual({ cash_max_qty: '', margin_max_qty: '' });
    expect((await call(venue, 'GET', '/v1/risk/margin-ratio?symbol=700.HK')).data).toEqual({
      ...{ im_factor: '2', mm_factor: '0.6', fm_factor: '0.5' },
    });
  });

  it('venue.date: the date header is off, absurd or missing', async () => {
    const { venue } = await aVenue();
    const dateOf = async (knob: object) => {
      await setFaults(venue, { knob: 'venue.date', ...knob });
      return (await send(venue, 'GET', '/v1/test', { headers: signed('GET', '/v1/test') })).headers['date'];
    };
    await setFaults(venue);
    const right = (await call(venue, 'GET', '/v1/test')).headers['date'];
    expect(Date.parse(String(await dateOf({ ms: 7_000 }))) - Date.parse(String(right))).toBe(7_000);
    expect(Date.parse(String(await dateOf({ form: 'absurd' })))).toBeNaN();
    expect(await dateOf({ form: 'missing' })).toBeUndefined();
  });

  it('F-D12 venue.fx: no account in another currency than its own', async () => {
    const { venue } = await aVenue();
    await setFaults(venue, { knob: 'venue.fx' });
    expect(await call(venue, 'GET', '/v1/asset/account')).toMatchObject({ code: 0 });
    expect(await call(venue, 'GET', '/v1/asset/account?currency=USD')).toMatchObject({ code: 602001 });
  });

  it('F-B36 venue.rules: refuses an order for its lot or tick', async () => {
    const { venue } = await aVenue();
    await setFaults(venue, { knob: 'venue.rules', message: 'price: off the ladder', times: 1 });
    expect(await submit(venue)).toMatchObject({ code: 602001, message: 'price: off the ladder' });
    expect(await submit(venue)).toMatchObject({ code: 0 });
  });
});

describe('the list of faults', () => {
  it('logs every firing with both times and its target', async () => {
    const { venue } = await aVenue();
    await setFaults(venue, { knob: 'venue.fail', endpoint: 'connectivityTest', times: 2 });
    for (let each = 0; each < 3; each += 1) await call(venue, 'GET', '/v1/test');
    const { knobs, firings } = await faultReport(venue);
    expect(knobs).toMatchObject([{ seen: 3, fired: 2 }]);
    expect(firings).toMatchObject([
      { knob: 'venue.fail', on: 'connectivityTest', place: 0 },
      { knob: 'venue.fail', on: 'connectivityTest', place: 0 },
    ]);
  });

  it('grows with "keep", and is replaced without', async () => {
    const { venue } = await aVenue();
    await setFaults(venue, { knob: 'venue.emptyList' });
    await postFaults(venue, { keep: true, knobs: [{ knob: 'venue.dup' }] });
    expect((await faultReport(venue)).knobs).toHaveLength(2);
    await setFaults(venue);
    expect((await faultReport(venue)).knobs).toEqual([]);
  });
});

describe('a venue without a capability', () => {
  it.each([
    ['orders.today', 'GET', '/v1/trade/order/today'],
    ['orders.history', 'GET', '/v1/trade/order/history'],
    ['executions.today', 'GET', '/v1/trade/execution/today'],
    ['order.cancel', 'DELETE', '/v1/trade/order?order_id=1'],
    ['order.replace', 'PUT', '/v1/trade/order'],
  ])('%s: has no such endpoint', async (capability, method, target) => {
    const { venue } = await aVenue();
    await setFaults(venue, { knob: 'venue.without', capability });
    expect(await call(venue, method, target)).toMatchObject({ status: 404, code: 404000 });
  });

  it('submit.requestKey: two orders under one key, from its start on', async () => {
    const { venue } = await aVenue({ without: ['submit.requestKey'] });
    await submit(venue, { client_request_id: 'one' });
    await submit(venue, { client_request_id: 'one' });
    expect(await today(venue)).toHaveLength(2);
  });
});
