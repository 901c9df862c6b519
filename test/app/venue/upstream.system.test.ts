import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openUpstream, type Upstream } from '#src/app/venue/upstream.ts';
import { type LaunchedVenue, launchVenue } from '#src/app/venue/venue-launch.ts';
import { VirtualClock } from '#src/backtest/virtual-clock.ts';
import { CHARGE_SCHEDULES } from '#src/markets/charge-schedules.ts';
import { decimal } from '#src/model/decimal.ts';
import { type SecuritySymbol, securitySymbol } from '#src/model/symbol.ts';
import { millis } from '#src/model/time.ts';
import { createSimulation } from '#src/simulation/create-simulation.ts';
import { CASH_ACCOUNT, NO_LATENCY, PRINT_FILLS } from '#src/simulation/models.ts';
import { startVenue } from '#src/venue/start-venue.ts';
import type { RunningVenue } from '#src/venue/venue-options.ts';
import { PROFILES } from '#src/wire/profiles.ts';
import { security } from '../../fixtures/market.ts';
import { call } from '../../venue/a-client.ts';
import { CREDENTIALS, countingRandom } from '../../venue/a-venue.ts';
import { MACHINE_START } from '../../venue/fixed-times.ts';
import { risingMinutes } from '../../venue/rising-minutes.ts';

const TENCENT = securitySymbol('700.HK');
const START = MACHINE_START - (MACHINE_START % 60_000);

let project: string;
let clock: VirtualClock;
let elsewhere: RunningVenue;
let upstream: Upstream | undefined;
let venue: LaunchedVenue | undefined;
let warnings: string[];

/** A market in which 700.HK trades four times a minute, on a clock that the test moves. */
async function aMarketElsewhere(port = 0): Promise<RunningVenue> {
  const bars = risingMinutes('700.HK', millis(START - 30 * 60_000), 60, 400);
  const simulation = createSimulation({
    securities: [security(TENCENT, { lotSize: 100 })],
    bars: [bars],
    start: clock.now(),
    accounts: [{ id: 'paper', currency: 'HKD', cash: { HKD: decimal('1000') }, fx: {} }],
    quotes: true,
    models: {
      ...{ fills: { ...PRINT_FILLS, hours: 'bars' }, charges: CHARGE_SCHEDULES.none },
      ...{ latency: NO_LATENCY, margin: CASH_ACCOUNT },
    },
    seed: 1,
  });
  return startVenue({
    ...{ simulation, accountId: 'paper', credentials: CREDENTIALS, history: () => bars, port },
    ...{ profile: PROFILES.longbridge, machine: clock, random: countingRandom(), skewToleranceMs: 300_000 },
    marketClock: { kind: 'wall', from: 'machine' },
  });
}

beforeEach(async () => {
  project = mkdtempSync(join(tmpdir(), 'upstream-'));
  clock = new VirtualClock(millis(START));
  warnings = [];
  elsewhere = await aMarketElsewhere();
});
afterEach(async () => {
  await venue?.close();
  await upstream?.close();
  await elsewhere.close();
  venue = undefined;
  upstream = undefined;
  rmSync(project, { recursive: true });
});

/** Advances machine time second by second, and lets pending messages arrive in between. */
async function pass(seconds: number): Promise<void> {
  for (let each = 0; each < seconds; each += 1) {
    const until = clock.now() + 1_000;
    while (clock.nextAt() <= until) clock.fireNext();
    clock.moveTo(millis(until));
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Advances time until a condition holds; real sockets take a varying number of its seconds. */
async function passUntil(isSo: () => Promise<boolean> | boolean): Promise<void> {
  for (let seconds = 0; !(await isSo()); seconds += 1) {
    if (seconds > 1_500) throw new Error(`Waited ${seconds} s in vain; warnings: ${warnings.join(' | ')}`);
    await pass(1);
  }
}

function open(symbols: readonly SecuritySymbol[] = [TENCENT], secret = CREDENTIALS.appSecret) {
  return openUpstream({
    environment: {
      LONGPORT_HTTP_URL: elsewhere.http,
      LONGPORT_QUOTE_WS_URL: elsewhere.quoteWs,
      LONGPORT_APP_KEY: CREDENTIALS.appKey,
      LONGPORT_APP_SECRET: secret,
      LONGPORT_ACCESS_TOKEN: CREDENTIALS.accessToken,
    },
    ...{ addresses: {}, symbols, project, machine: clock, warn: (text: string) => warnings.push(text) },
  });
}

async function aVenueOnItsQuotes(): Promise<LaunchedVenue> {
  // Older pages of history are requested at the rate of the published limits, so time must advance.
  const opening = open();
  let isOpen = false;
  opening.finally(() => {
    isOpen = true;
  });
  await passUntil(() => isOpen);
  upstream = await opening;
  venue = await launchVenue({
    market: {
      ...{ kind: 'upstream', upstream, hours: 'always' },
      terms: {
        ...{ currency: 'HKD', cash: { HKD: decimal('1000000') }, fx: {} },
        ...{ charges: CHARGE_SCHEDULES.none, margin: CASH_ACCOUNT },
      },
    },
    ...{ accounts: 1, stateFile: undefined, profile: PROFILES.longbridge, rateLimits: 'off', without: [] },
    ...{ marketClock: { kind: 'wall', from: 'machine' }, tls: undefined, host: '127.0.0.1', port: 0 },
    ...{ adminPort: undefined, machine: clock, random: countingRandom() },
  });
  return venue;
}

async function buy(on: LaunchedVenue, more: object): Promise<string> {
  const body = { symbol: '700.HK', side: 'Buy', submitted_quantity: '100', time_in_force: 'Day', ...more };
  const { data } = await call(on, 'POST', '/v1/trade/order', { body, credentials: on.credentials });
  return data.order_id;
}

async function orderOf(on: LaunchedVenue, id: string): Promise<readonly [string, string]> {
  const { credentials } = on;
  const { data } = await call(on, 'GET', `/v1/trade/order?order_id=${id}`, { credentials });
  return [data.status, data.executed_price];
}

describe('a venue on the quotes of another market', () => {
  it("lists that market's symbols, fills at its prices, and sends it no order", async () => {
    const on = await aVenueOnItsQuotes();
    const facts = { mm_factor: expect.any(String) };
    const { credentials } = on;
    expect(
      (await call(on, 'GET', '/v1/risk/margin-ratio?symbol=700.HK', { credentials })).data,
    ).toMatchObject(facts);
    const early = await buy(on, { order_type: 'MO' });
    expect(await orderOf(on, early)).toEqual(['FilledStatus', '406']);
    const resting = await buy(on, { order_type: 'LO', submitted_price: '405.8' });
    expect((await orderOf(on, resting))[0]).toBe('NewStatus');
    await passUntil(async () => (await orderOf(on, resting))[0] === 'FilledStatus');
    expect(await orderOf(on, resting)).toEqual(['FilledStatus', '405.8']);
    const orders = await call(elsewhere, 'GET', '/v1/trade/order/today');
    expect(orders.data.orders).toEqual([]);
  });

  it('has no price once the connection is lost: quotes become stale, and nothing fills (I-9)', async () => {
    const on = await aVenueOnItsQuotes();
    await pass(20);
    await elsewhere.close();
    await passUntil(() => warnings.length > 0);
    const waiting = await buy(on, { order_type: 'MO' });
    await pass(60);
    expect(await orderOf(on, waiting)).toEqual(['NewStatus', '0']);
    expect(warnings[0]).toContain('Lost the quote socket');
    elsewhere = await aMarketElsewhere();
  });

  it('trades again when the connection is back, at the upstream price of that time', async () => {
    const on = await aVenueOnItsQuotes();
    await pass(20);
    const { port } = new URL(elsewhere.http);
    await elsewhere.close();
    await passUntil(() => warnings.some((text) => text.includes('Lost the quote socket')));
    const waiting = await buy(on, { order_type: 'MO' });
    await pass(120);
    expect(await orderOf(on, waiting)).toEqual(['NewStatus', '0']);
    elsewhere = await aMarketElsewhere(Number(port));
    await passUntil(async () => (await orderOf(on, waiting))[0] === 'FilledStatus');
    const [, price] = await orderOf(on, waiting);
    // Bars rise by a fifth per minute, from 400 half an hour before the start.
    expect(Number(price)).toBeGreaterThan(406);
    expect(Number(price)).toBeLessThanOrEqual(412);
    expect(warnings.at(-1)).toMatch(/The quote socket is back after \d/);
  });

  it('does not open if no server answers or the socket address differs, and reports which', async () => {
    const { http, quoteWs } = elsewhere;
    await elsewhere.close();
    await expect(open()).rejects.toThrow(
      /^Cannot take quotes from upstream at 127.0.0.1:\d+: .*ECONNREFUSED.*\n {2}Check the address/,
    );
    elsewhere = { ...(await aMarketElsewhere()), quoteWs };
    expect(elsewhere.http).not.toBe(http);
    await expect(open()).rejects.toThrow(/Cannot open the quote socket at "ws:\/\/127.0.0.1:\d+"/);
  });

  it('does not open with wrong credentials, nor for a symbol that the market does not list, with an error', async () => {
    await expect(open([TENCENT], 'wrong')).rejects.toThrow(
      /^Cannot take quotes from upstream at 127.0.0.1:\d+: 403201, .*\n {2}Check SLUICE_APP_SECRET/,
    );
    await expect(open([TENCENT, securitySymbol('NOPE.US')])).rejects.toThrow(
      'it lists or quotes no NOPE.US for this account',
    );
  });
});
