import { request } from 'undici';
import { describe, expect, it } from 'vitest';
import type { RunningVenue } from '#src/venue/venue-options.ts';
import { ENDPOINTS } from '#src/wire/endpoints.ts';
import { PROFILES } from '#src/wire/profiles.ts';
import { call, send, signed, step } from './a-client.ts';
import { aVenue } from './a-venue.ts';
import { MACHINE_START } from './fixed-times.ts';

/**
 * What the official clients of all languages require, field by field: S any text, D a decimal, Z a decimal or '', N a
 * decimal that is never '', T seconds, O text or '', L a list, I an integer of JSON, B true or false, O* an object.
 * @see docs/wire-protocol.md, "Calls", "The envelope"
 */
type Demand = Readonly<Record<string, string>>;

const DECIMAL = /^-?\d+(\.\d+)?$/;
const FITS: Readonly<Record<string, (value: unknown) => boolean>> = {
  S: (value) => typeof value === 'string',
  D: (value) => typeof value === 'string' && DECIMAL.test(value),
  Z: (value) => typeof value === 'string' && (value === '' || DECIMAL.test(value)),
  N: (value) => typeof value === 'string' && DECIMAL.test(value),
  T: (value) => typeof value === 'string' && /^\d{9,11}$/.test(value),
  O: (value) => typeof value === 'string',
  L: Array.isArray,
  I: Number.isInteger,
  B: (value) => typeof value === 'boolean',
  'O*': (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
};

function unmet(record: Readonly<Record<string, unknown>>, demand: Demand): readonly string[] {
  return Object.entries(demand)
    .filter(([name, kind]) => FITS[kind]?.(record[name]) !== true)
    .map(([name, kind]) => `${name}: want ${kind}, saw ${JSON.stringify(record[name])}`);
}

const ORDER: Demand = {
  ...{ order_id: 'S', status: 'S', stock_name: 'S', quantity: 'D', executed_quantity: 'D', price: 'Z' },
  ...{ executed_price: 'N', submitted_at: 'T', side: 'S', symbol: 'S', order_type: 'S', last_done: 'Z' },
  ...{ trigger_price: 'Z', msg: 'S', tag: 'S', time_in_force: 'S', expire_date: 'S', updated_at: 'O' },
  ...{ trigger_at: 'O', trailing_amount: 'Z', trailing_percent: 'Z', limit_offset: 'Z', trigger_status: 'S' },
  ...{ currency: 'S', outside_rth: 'S', remark: 'S', limit_depth_level: 'I', trigger_count: 'I' },
  monitor_price: 'Z',
};
const DETAIL: Demand = {
  ...ORDER,
  ...{ free_status: 'S', free_amount: 'Z', free_currency: 'O', deductions_status: 'S' },
  ...{ deductions_amount: 'Z', deductions_currency: 'O', platform_deducted_status: 'S' },
  ...{ platform_deducted_amount: 'Z', platform_deducted_currency: 'O', history: 'L', charge_detail: 'O*' },
};
const HISTORY: Demand = { price: 'Z', quantity: 'Z', status: 'S', msg: 'S', time: 'T' };
const CHARGES: Demand = { total_amount: 'D', currency: 'S', items: 'L' };
const CHARGE_ITEM: Demand = { code: 'S', name: 'S', fees: 'L' };
const FEE: Demand = { code: 'S', name: 'S', amount: 'Z', currency: 'S' };
const EXECUTION: Demand = {
  ...{ order_id: 'S', trade_id: 'S', symbol: 'S', trade_done_at: 'T', quantity: 'D', price: 'D', side: 'S' },
};
const ACCOUNT: Demand = {
  ...{ total_cash: 'D', max_finance_amount: 'D', remaining_finance_amount: 'D', risk_level: 'S' },
  ...{ margin_call: 'D', currency: 'S', net_assets: 'Z', init_margin: 'Z', maintenance_margin: 'Z' },
  ...{ buy_power: 'Z', cash_infos: 'L', frozen_transaction_fees: 'L' },
};
const CASH: Demand = {
  ...{ withdraw_cash: 'D', available_cash: 'D', frozen_cash: 'D', settling_cash: 'D', currency: 'S' },
};
const POSITION: Demand = {
  ...{ symbol: 'S', symbol_name: 'S', quantity: 'D', available_quantity: 'D', currency: 'S' },
  ...{ cost_price: 'Z', market: 'S', init_quantity: 'Z' },
};
const FLOW: Demand = {
  ...{ transaction_flow_name: 'S', direction: 'I', business_type: 'I', balance: 'D', currency: 'S' },
  ...{ business_time: 'T', symbol: 'S', description: 'S' },
};
const GROUP: Demand = { id: 'S', name: 'S', securities: 'L' };
const MEMBER: Demand = {
  ...{ symbol: 'S', market: 'S', name: 'S', watched_price: 'Z', watched_at: 'T', is_pinned: 'B' },
};

/** An account with a filled order, a working one and one that waits for its trigger. */
async function aBusyVenue(): Promise<{ readonly venue: RunningVenue; readonly ids: readonly string[] }> {
  const { venue } = await aVenue({ profile: PROFILES.longbridge });
  for (let each = 0; each < 2; each += 1) await step(venue);
  const order = { symbol: '700.HK', side: 'Buy', submitted_quantity: '100', time_in_force: 'Day' };
  const ids: string[] = [];
  for (const more of [
    { order_type: 'MO', expire_date: null },
    { order_type: 'LO', submitted_price: '300' },
    { order_type: 'MIT', trigger_price: '300' },
    { order_type: 'TSLPPCT', trailing_percent: '3', limit_offset: '0.2', side: 'Sell' },
  ]) {
    const { data } = await call(venue, 'POST', '/v1/trade/order', { body: { ...order, ...more } });
    ids.push(data.order_id);
  }
  for (let each = 0; each < 12; each += 1) await step(venue);
  await call(venue, 'POST', '/v1/watchlist/groups', {
    body: { name: 'mine', securities: ['700.HK', 'AAPL.US'] },
  });
  return { venue, ids };
}

describe('the fields that official clients require', () => {
  it('are in orders, their detail, history and charges, whatever their type and state', async () => {
    const { venue, ids } = await aBusyVenue();
    const { orders } = (await call(venue, 'GET', '/v1/trade/order/today')).data;
    expect(orders).toHaveLength(4);
    for (const order of orders) expect(unmet(order, ORDER)).toEqual([]);
    for (const id of ids) {
      const { data } = await call(venue, 'GET', `/v1/trade/order?order_id=${id}`);
      expect(unmet(data, DETAIL)).toEqual([]);
      expect(unmet(data.charge_detail, CHARGES)).toEqual([]);
      for (const entry of data.history) expect(unmet(entry, HISTORY)).toEqual([]);
      for (const item of data.charge_detail.items) {
        expect(unmet(item, CHARGE_ITEM)).toEqual([]);
        for (const fee of item.fees) expect(unmet(fee, FEE)).toEqual([]);
      }
    }
  });

  it('are in executions, account, positions, cash flow and watchlist', async () => {
    const { venue } = await aBusyVenue();
    const data = async (path: string) => (await call(venue, 'GET', path)).data;
    const { trades } = await data('/v1/trade/execution/today');
    expect(trades).toHaveLength(1);
    expect(unmet(trades[0], EXECUTION)).toEqual([]);
    const [account] = (await data('/v1/asset/account')).list;
    expect(unmet(account, ACCOUNT)).toEqual([]);
    for (const cash of account.cash_infos) expect(unmet(cash, CASH)).toEqual([]);
    const [channel] = (await data('/v1/asset/stock')).list;
    expect(channel.account_channel).toBe('lb_papertrading');
    for (const position of channel.stock_info) expect(unmet(position, POSITION)).toEqual([]);
    const { list } = await data('/v1/asset/cashflow?start_time=1&end_time=1999999999');
    expect(list.length).toBeGreaterThan(1);
    for (const row of list) expect(unmet(row, FLOW)).toEqual([]);
    const { groups } = await data('/v1/watchlist/groups');
    for (const group of groups) {
      expect(unmet(group, GROUP)).toEqual([]);
      for (const member of group.securities) expect(unmet(member, MEMBER)).toEqual([]);
    }
  });

  it('are in margin ratio, estimate, password, token and security list', async () => {
    const { venue } = await aBusyVenue();
    const data = async (path: string) => (await call(venue, 'GET', path)).data;
    const factors = { im_factor: 'D', mm_factor: 'D', fm_factor: 'D' };
    expect(unmet(await data('/v1/risk/margin-ratio?symbol=700.HK'), factors)).toEqual([]);
    const question = 'symbol=700.HK&order_type=LO&price=400&side=Buy&fractional_shares=false';
    const estimate = await data(`/v1/trade/estimate/buy_limit?${question}`);
    expect(unmet(estimate, { cash_max_qty: 'Z', margin_max_qty: 'Z' })).toEqual([]);
    const password = { otp: 'S', limit: 'I', online: 'I' };
    for (const version of ['v1', 'v2']) {
      expect(unmet(await data(`/${version}/socket/token`), password)).toEqual([]);
    }
    const [security] = (await data('/v1/quote/get_security_list?market=US&category=Overnight')).list;
    expect(unmet(security, { symbol: 'S', name_cn: 'S', name_hk: 'S', name_en: 'S' })).toEqual([]);
    const until = encodeURIComponent(new Date(MACHINE_START + 86_400_000).toISOString());
    expect(unmet(await data(`/v1/token/refresh?expired_at=${until}`), { token: 'S' })).toEqual([]);
  });

  it('include an envelope with code, message, msg and data, also without content', async () => {
    const { venue } = await aVenue();
    const { text } = await call(venue, 'GET', '/v1/test');
    expect(JSON.parse(text)).toEqual({ code: 0, message: 'success', msg: 'success', data: {} });
    const refusal = JSON.parse((await call(venue, 'GET', '/v1/trade/order?order_id=1')).text);
    expect(refusal).toMatchObject({ code: 603001, message: refusal.msg });
  });

  it('are understood in every form that clients send: a bare "?", milliseconds, DELETE by query or by body, ids as numbers', async () => {
    const { venue, ids } = await aBusyVenue();
    expect(await call(venue, 'GET', '/v1/asset/account?')).toMatchObject({ code: 0 });
    const headers = signed('GET', '/v1/test', { timestamp: String(MACHINE_START) });
    expect(await send(venue, 'GET', '/v1/test', { headers })).toMatchObject({ code: 0 });
    const [, second, third] = ids;
    expect(await call(venue, 'DELETE', `/v1/trade/order?order_id=${second}`)).toMatchObject({ code: 0 });
    expect(await call(venue, 'DELETE', '/v1/trade/order', { body: { order_id: third } })).toMatchObject({
      code: 0,
    });
    const group = { id: 5001, name: 'yours' };
    expect(await call(venue, 'PUT', '/v1/watchlist/groups', { body: group })).toMatchObject({ code: 0 });
    expect(await call(venue, 'DELETE', '/v1/watchlist/groups?id=5001&purge=false')).toMatchObject({
      code: 0,
    });
  });

  it('include the cash flow under the names of the client for Go, with 0 for every kind', async () => {
    const { venue } = await aBusyVenue();
    const rows = async (query: string) => (await call(venue, 'GET', `/v1/asset/cashflow?${query}`)).data.list;
    const named = await rows('start_time=1&end_time=1999999999');
    expect(named.length).toBeGreaterThan(1);
    expect(await rows('business_type=0&end_at=1999999999&start_at=1&symbol=')).toEqual(named);
    expect(await rows('business_type=0&end_at=2&start_at=1')).toEqual([]);
    expect(await call(venue, 'GET', '/v1/asset/cashflow?end_at=5')).toMatchObject({
      status: 400,
      message: 'start_time: is missing',
    });
  });

  it('work over a connection for every request, which the client for Go closes afterwards', async () => {
    const { venue } = await aVenue();
    const headers = { connection: 'close' };
    for (let each = 0; each < 3; each += 1) {
      const answer = await call(venue, 'GET', '/v1/test', { headers });
      expect(answer).toMatchObject({ code: 0 });
      expect(answer.headers['connection']).toBe('close');
    }
  });

  it('include a content type on requests without a body, and any custom header', async () => {
    const { venue } = await aVenue();
    const headers = {
      ...signed('GET', '/v1/test'),
      'content-type': 'application/json; charset=utf-8',
      'x-dc-region': 'ap',
      'user-agent': 'openapi-sdk',
    };
    expect(await send(venue, 'GET', '/v1/test', { headers })).toMatchObject({ code: 0 });
  });
});

describe('the routes of the venue', () => {
  it.each(Object.values(ENDPOINTS).map(({ name, method, path }) => [name, method, path] as const))(
    '%s: %s %s is served, and only to known clients',
    async (_name, method, path) => {
      const { venue } = await aVenue();
      const answer = await request(`${venue.http}${path}`, { method });
      expect(answer.statusCode).toBe(403);
      expect(await answer.body.json()).toMatchObject({ code: 403203 });
    },
  );
});
