import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdtempSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { SECOND_MS } from '#src/model/time.ts';
import { openVenueState } from '#src/venue/market/state-file.ts';
import { call, send, signed, step } from './a-client.ts';
import { aVenue, CREDENTIALS } from './a-venue.ts';
import { advanceMarket, setFaults } from './fault-kit.ts';
import { MACHINE_START } from './fixed-times.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function aFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'venue-state-'));
  folders.push(folder);
  return join(folder, 'state.sqlite');
}

const RECIPE = '{"market":"two mornings"}';
const venueOf = (file: string) => aVenue({ state: openVenueState(file, RECIPE) });
const anOrder = (quantity: string, price: string) => ({
  symbol: '700.HK',
  order_type: 'LO',
  side: 'Buy',
  submitted_quantity: quantity,
  submitted_price: price,
  time_in_force: 'Day',
});

/** All readable data of an account, as text. */
async function accountOf(venue: Parameters<typeof call>[0]): Promise<string> {
  const paths = [
    '/v1/asset/account',
    '/v1/asset/stock',
    '/v1/trade/order/today',
    '/v1/trade/execution/today',
  ];
  const more = ['/v1/watchlist/groups', '/v1/asset/cashflow?start_time=1&end_time=1999999999'];
  const answers: unknown[] = [];
  for (const path of [...paths, ...more]) answers.push((await call(venue, 'GET', path)).data);
  return JSON.stringify(answers);
}

describe('the state of a venue', () => {
  it('keeps settings of the admin port, in addition to the option, through a restart and a reset', async () => {
    const file = aFile();
    const open = (access: object) => aVenue({ state: openVenueState(file, RECIPE), access });
    const { venue } = await open({ watchlist: false });
    const post = (path: string, body: object, of = venue) =>
      fetch(`${of.admin}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${of.adminToken}` },
        body: JSON.stringify(body),
      });
    const enabled = async (of = venue) =>
      (await fetch(`${of.admin}/access`, { headers: { authorization: `Bearer ${of.adminToken}` } })).json();
    expect((await call(venue, 'POST', '/v1/trade/order', { body: anOrder('200', '299') })).code).toBe(0);
    await post('/access', { quotes: { HK: 'basic' } });
    await post('/access', { account: 'paper-1', trade: ['US'], assets: false });
    const before = await enabled();
    await venue.close();
    const { venue: again } = await open({ watchlist: false });
    expect(await enabled(again)).toEqual(before);
    expect((await call(again, 'GET', '/v1/trade/order/today')).data.orders).toHaveLength(1);
    expect((await call(again, 'GET', '/v1/asset/account')).code).toBe(602001);
    expect((await call(again, 'POST', '/v1/trade/order', { body: anOrder('200', '298') })).code).toBe(602001);
    await post('/reset', {}, again);
    await again.close();
    const { venue: third } = await open({ watchlist: true });
    expect(await enabled(third)).toEqual({
      accounts: [
        { account: 'paper-1', quotes: { HK: 'basic' }, trade: ['US'], assets: false, watchlist: true },
        { account: 'paper-2', quotes: { HK: 'basic' }, watchlist: true },
      ],
    });
  });

  it('survives a restart with all effects of faults on orders and books', async () => {
    const file = aFile();
    const { venue } = await venueOf(file);
    for (let each = 0; each < 20; each += 1) await step(venue);
    await setFaults(
      venue,
      { knob: 'venue.lateFill', ms: 1_000, times: 1 },
      { knob: 'venue.adjust', symbol: '5.HK', quantity: '400', currency: 'HKD', amount: '-12.34' },
      { knob: 'venue.foreign', symbol: '700.HK', side: 'buy', quantity: '100', price: '300' },
      { knob: 'venue.overfill', extra: '100' },
    );
    const { data } = await call(venue, 'POST', '/v1/trade/order', { body: anOrder('200', '299') });
    await advanceMarket(venue, 1_000);
    await call(venue, 'DELETE', '/v1/trade/order', { body: { order_id: data.order_id } });
    await advanceMarket(venue, 30_000);
    const before = await accountOf(venue);
    expect(before).toContain('"executed_quantity":"200"');
    await venue.close();
    const again = await venueOf(file);
    expect(await accountOf(again.venue)).toBe(before);
  });

  it('survives a restart: orders, fills, cash, watchlists, deposits, all to the digit', async () => {
    const file = aFile();
    const { venue } = await venueOf(file);
    const first = await call(venue, 'POST', '/v1/trade/order', { body: anOrder('300', '420') });
    for (let each = 0; each < 30; each += 1) await step(venue);
    const second = await call(venue, 'POST', '/v1/trade/order', { body: anOrder('200', '300') });
    await step(venue);
    const replaced = { order_id: second.data.order_id, quantity: '100', price: '301' };
    expect(await call(venue, 'PUT', '/v1/trade/order', { body: replaced })).toMatchObject({ code: 0 });
    await step(venue);
    await call(venue, 'POST', '/v1/watchlist/groups', { body: { name: 'mine', securities: ['5.HK'] } });
    await send(venue, 'GET', '/v1/test');
    const totalCash = async () => Number(JSON.parse(await accountOf(venue))[0].list[0].total_cash);
    const cashBefore = await totalCash();
    const deposit = { currency: 'HKD', amount: '777.77' };
    const paid = await fetch(`${venue.admin}/deposit`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${venue.adminToken}` },
      body: JSON.stringify(deposit),
    });
    expect(paid.status).toBe(200);
    const before = await accountOf(venue);
    expect(before).toContain('FilledStatus');
    expect((await totalCash()) - cashBefore).toBeCloseTo(777.77, 6);
    await venue.close();

    const again = await venueOf(file);
    expect(await accountOf(again.venue)).toBe(before);
    const detail = await call(again.venue, 'GET', `/v1/trade/order?order_id=${first.data.order_id}`);
    expect(detail.data).toMatchObject({ status: 'FilledStatus', executed_quantity: '300' });
    const cancelled = { order_id: second.data.order_id };
    expect(await call(again.venue, 'DELETE', '/v1/trade/order', { body: cancelled })).toMatchObject({
      code: 0,
    });
    await step(again.venue);
    const after = await accountOf(again.venue);
    await again.venue.close();
    expect(await accountOf((await venueOf(file)).venue)).toBe(after);
  });

  it.each(['stepped', 'scaled'] as const)(
    'survives a kill with every execution that it reported, on a %s clock',
    async (kind) => {
      const file = aFile();
      const marketClock = kind === 'stepped' ? ({ kind } as const) : ({ kind, speed: 60 } as const);
      const open = (state: string) => aVenue({ state: openVenueState(state, RECIPE), marketClock });
      const { venue, advance } = await open(file);
      const pass = async (): Promise<void> => {
        if (kind === 'stepped') await step(venue);
        else advance(SECOND_MS);
      };
      await call(venue, 'POST', '/v1/trade/order', { body: anOrder('300', '420') });
      for (let each = 0; each < 90 && !(await accountOf(venue)).includes('FilledStatus'); each += 1)
        await pass();
      const before = await accountOf(venue);
      expect(before).toContain('FilledStatus');

      // What is on disk at a kill: nothing is closed, and no call came after the execution.
      const left = join(dirname(file), 'left.sqlite');
      for (const part of ['', '-wal']) copyFileSync(`${file}${part}`, `${left}${part}`);
      expect(await accountOf((await open(left)).venue)).toBe(before);
    },
  );

  it('keeps a renewed token: the new one opens the account, the old one stays invalid', async () => {
    const file = aFile();
    const { venue } = await venueOf(file);
    const until = new Date(MACHINE_START + 86_400_000).toISOString();
    const { data } = await call(venue, 'GET', `/v1/token/refresh?expired_at=${encodeURIComponent(until)}`);
    await venue.close();
    const { venue: again } = await venueOf(file);
    const credentials = { ...CREDENTIALS, accessToken: data.token };
    expect(await call(again, 'GET', '/v1/test', { credentials })).toMatchObject({ code: 0 });
    expect(await call(again, 'GET', '/v1/test')).toMatchObject({ code: 401003 });
  });

  it('S-16: refuses a signed order that was served before the restart', async () => {
    const file = aFile();
    const { venue } = await venueOf(file);
    const body = JSON.stringify(anOrder('100', '300'));
    const headers = signed('POST', '/v1/trade/order', { body });
    expect(await send(venue, 'POST', '/v1/trade/order', { body, headers })).toMatchObject({ code: 0 });
    await venue.close();
    const { venue: again } = await venueOf(file);
    expect(await send(again, 'POST', '/v1/trade/order', { body, headers })).toMatchObject({ code: 403202 });
  });

  it('answers a repeated client_request_id with the first order, also after the restart', async () => {
    const file = aFile();
    const { venue } = await venueOf(file);
    const body = { ...anOrder('100', '300'), client_request_id: 'once' };
    const first = await call(venue, 'POST', '/v1/trade/order', { body });
    await venue.close();
    const { venue: again } = await venueOf(file);
    expect((await call(again, 'POST', '/v1/trade/order', { body })).data).toEqual(first.data);
    expect((await call(again, 'GET', '/v1/trade/order/today')).data.orders).toHaveLength(1);
  });

  it.each(['before', 'after'])(
    'keeps which keys counted: those of a venue that lacks submit.requestKey %s the restart make two orders',
    async (when) => {
      const file = aFile();
      const without = ['submit.requestKey'] as const;
      const open = (lacks: boolean) =>
        aVenue({ state: openVenueState(file, RECIPE), ...(lacks ? { without } : {}) });
      const { venue } = await open(when === 'after');
      if (when === 'before') await setFaults(venue, { knob: 'venue.without', capability: without[0] });
      const body = { ...anOrder('100', '300'), client_request_id: 'once' };
      const submit = (of = venue) => call(of, 'POST', '/v1/trade/order', { body });
      const [first, second] = [await submit(), await submit()];
      expect(second.data).not.toEqual(first.data);
      const { order_id } = second.data;
      expect((await call(venue, 'DELETE', `/v1/trade/order?order_id=${order_id}`)).code).toBe(0);
      const orders = async (of = venue): Promise<readonly string[]> =>
        (await call(of, 'GET', '/v1/trade/order/today')).data.orders.map(
          (order: { readonly order_id: string }) => order.order_id,
        );
      const before = await orders();
      await venue.close();
      const { venue: again } = await open(false);
      expect(await orders(again)).toEqual(before);
      await submit(again);
      const once = await orders(again);
      await submit(again);
      expect(await orders(again)).toEqual(once);
      await again.close();
      const { venue: third } = await open(true);
      expect(await orders(third)).toEqual(once);
    },
  );

  it('belongs to one market: another recipe is refused, and so is a second venue at the same time', async () => {
    const file = aFile();
    const state = openVenueState(file, RECIPE);
    expect(() => openVenueState(file, RECIPE)).toThrow(/no other venue has open/);
    state.close();
    expect(() => openVenueState(file, '{"market":"another"}')).toThrow(/it was created with .*two mornings/);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('is accessible to its owner only, as it holds credentials, also if it was not before; no link, no pipe (S-12, S-15)', () => {
    const file = aFile();
    openVenueState(file, RECIPE).close();
    chmodSync(file, 0o664);
    openVenueState(file, RECIPE).close();
    expect(statSync(file).mode & 0o777).toBe(0o600);
    symlinkSync(file, `${file}.link`);
    expect(() => openVenueState(`${file}.link`, RECIPE)).toThrow(/ELOOP/);
    execFileSync('mkfifo', [`${file}.pipe`]);
    expect(() => openVenueState(`${file}.pipe`, RECIPE)).toThrow(/it is a pipe or a device/);
  });

  it('reports when the market differs from the saved one', async () => {
    const file = aFile();
    const { venue } = await venueOf(file);
    for (let each = 0; each < 5; each += 1) await step(venue);
    await call(venue, 'POST', '/v1/trade/order', { body: anOrder('100', '300') });
    await venue.close();
    const state = openVenueState(file, RECIPE);
    await expect(aVenue({ state, bars: [] })).rejects.toThrow(/Cannot restore the venue's state/);
  });
});
