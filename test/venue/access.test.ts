import { describe, expect, it } from 'vitest';
import type { RunningVenue } from '#src/venue/venue-options.ts';
import { quoteCommands } from '#src/wire/commands.ts';
import { PushDepthSchema, SubType } from '#src/wire/gen/quote_pb.ts';
import { decodeMessage } from '#src/wire/message.ts';
import { PROFILES } from '#src/wire/profiles.ts';
import { call, SocketClient, step } from './a-client.ts';
import { aVenue, OTHER_CREDENTIALS } from './a-venue.ts';
import { submit } from './fault-kit.ts';

const QUOTE = quoteCommands(PROFILES.documented);

async function setAccess(venue: RunningVenue, terms: object): Promise<Response> {
  return fetch(`${venue.admin}/access`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${venue.adminToken}` },
    body: JSON.stringify(terms),
  });
}

describe('services of an account', () => {
  it('are all on by default', async () => {
    const { venue } = await aVenue();
    expect(await submit(venue)).toMatchObject({ code: 0 });
    expect(
      await (
        await fetch(`${venue.admin}/access`, { headers: { authorization: `Bearer ${venue.adminToken}` } })
      ).json(),
    ).toEqual({
      accounts: [{ account: 'paper-1' }, { account: 'paper-2' }],
    });
  });

  it('trading by market: an order elsewhere is refused, a working one can still be cancelled', async () => {
    const { venue } = await aVenue();
    const { data } = await submit(venue);
    await setAccess(venue, { account: 'paper-1', trade: ['US'] });
    const message = 'User authentication failed: trading of "HK" is not enabled';
    expect(await submit(venue)).toMatchObject({ status: 400, code: 602001, message });
    const body = { order_id: data.order_id, quantity: '300', price: '299' };
    expect(await call(venue, 'PUT', '/v1/trade/order', { body })).toMatchObject({ code: 602001, message });
    expect(await call(venue, 'DELETE', `/v1/trade/order?order_id=${data.order_id}`)).toMatchObject({
      code: 0,
    });
    const other = await call(venue, 'GET', '/v1/asset/account', { credentials: OTHER_CREDENTIALS });
    expect(other).toMatchObject({ code: 0 });
  });

  it.each([
    ['assets', '/v1/asset/stock'],
    ['assets', '/v1/asset/cashflow?start_time=1&end_time=2'],
    ['watchlist', '/v1/watchlist/groups'],
  ])('%s: %s is refused if it is disabled', async (area, target) => {
    const { venue } = await aVenue({ access: { [area]: false } });
    expect(await call(venue, 'GET', target)).toMatchObject({
      ...{ status: 400, code: 602001 },
      message: `User authentication failed: "${area}" is not enabled for this account`,
    });
  });

  it('403205: an address that is not on the list is refused', async () => {
    const { venue } = await aVenue({ access: { addresses: ['10.0.0.1'] } });
    expect(await call(venue, 'GET', '/v1/test')).toMatchObject({ status: 403, code: 403205 });
    await setAccess(venue, { addresses: ['127.0.0.1'] });
    expect(await call(venue, 'GET', '/v1/test')).toMatchObject({ code: 0 });
  });

  it('403206: a client that requires a paper account is refused a real one', async () => {
    const { venue } = await aVenue({ access: { live: true } });
    const headers = { 'x-papertrading': 'true' };
    expect(await call(venue, 'GET', '/v1/test', { headers })).toMatchObject({ status: 403, code: 403206 });
    expect(await call(venue, 'GET', '/v1/test')).toMatchObject({ code: 0 });
  });

  it('429001: at most 100 calls a second from one address, for all its clients together', async () => {
    const { venue, advance } = await aVenue({ rateLimits: 'endpoint' });
    const ask = () => call(venue, 'GET', '/v1/test', { credentials: OTHER_CREDENTIALS });
    for (let each = 0; each < 100; each += 1) expect((await ask()).code).toBe(0);
    expect(await call(venue, 'GET', '/v1/test')).toMatchObject({ status: 429, code: 429001 });
    advance(1_000);
    expect(await call(venue, 'GET', '/v1/test')).toMatchObject({ code: 0 });
  });

  it('refuses an unknown account, and invalid names', async () => {
    const { venue } = await aVenue();
    expect((await setAccess(venue, { account: 'missing', assets: false })).status).toBe(409);
    expect((await setAccess(venue, { quotes: { HK: 'lv9' } })).status).toBe(400);
  });
});

describe('quote levels of an account', () => {
  const depth = async (level: string) => {
    const { venue } = await aVenue({ book: 'deep' });
    await setAccess(venue, { quotes: { HK: level } });
    const client = await SocketClient.loggedIn(venue, 'quote');
    return { venue, client };
  };

  it.each([
    ['lv2', 10],
    ['lv1', 1],
  ])('%s: %i levels of depth, pulled and pushed', async (level, levels) => {
    const { venue, client } = await depth(level);
    expect((await client.ask(QUOTE.depth, { symbol: '700.HK' })).ask).toHaveLength(levels);
    await client.ask(QUOTE.subscribe, { symbol: ['700.HK'], subType: [SubType.DEPTH], isFirstPush: true });
    const [first] = await client.pushed(1);
    expect(decodeMessage(PushDepthSchema, first?.body ?? new Uint8Array()).ask).toHaveLength(levels);
    const before = client.pushes.length;
    while ((await step(venue)).frames.quote === 0);
    const push = (await client.pushed(before + 1)).at(-1);
    expect(decodeMessage(PushDepthSchema, push?.body ?? new Uint8Array()).ask).toHaveLength(levels);
  });

  it('lv1 has no brokers; basic has quotes without depth, and in Hong Kong no push; none has nothing', async () => {
    const refusal = 'status 7 code 301604';
    const one = await depth('lv1');
    await expect(one.client.ask(QUOTE.brokers, { symbol: '700.HK' })).rejects.toThrow(refusal);
    const basic = await depth('basic');
    await expect(basic.client.ask(QUOTE.depth, { symbol: '700.HK' })).rejects.toThrow(refusal);
    expect((await basic.client.ask(QUOTE.securityQuote, { symbol: ['700.HK'] })).secuQuote).toHaveLength(1);
    const listen = { symbol: ['700.HK'], subType: [SubType.QUOTE], isFirstPush: false };
    await expect(basic.client.ask(QUOTE.subscribe, listen)).rejects.toThrow(refusal);
    const none = await depth('none');
    for (const ask of [
      () => none.client.ask(QUOTE.securityQuote, { symbol: ['700.HK'] }),
      () => none.client.ask(QUOTE.trades, { symbol: '700.HK', count: 1 }),
      () => none.client.ask(QUOTE.candlesticks, { symbol: '700.HK', period: 1, count: 1 }),
      () => none.client.ask(QUOTE.subscribe, listen),
    ]) {
      await expect(ask()).rejects.toThrow(refusal);
    }
  });

  it('are listed in the opened packages, with a warning for a market without any', async () => {
    const { client } = await depth('none');
    const profile = await client.ask(QUOTE.userQuoteProfile, { language: 'en' });
    const { HK, US } = profile.quoteLevelDetail?.byMarketCode ?? {};
    expect(HK).toMatchObject({ packages: [], warningMsg: 'no access to the HK market' });
    expect(US?.packages).toMatchObject([{ name: 'US Lv2 embedded venue' }]);
    expect(profile.quoteLevel).toBe('Lv2');
  });
});
