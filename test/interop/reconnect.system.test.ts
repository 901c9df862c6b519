import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunningVenue } from '#src/venue/venue-options.ts';
import { call, step } from '../venue/a-client.ts';
import { aLivingVenue, CREDENTIALS } from './a-living-venue.ts';
import { Heard } from './heard.ts';
import { configFor, loadOfficialClient, type OfficialClient, titleOf, wordsOf } from './official-client.ts';

const client = loadOfficialClient();

describe.skipIf(client.kind === 'absent')(titleOf(client, 'a cut line of the official client'), () => {
  const sdk = (client.kind === 'loaded' ? client.sdk : undefined) as OfficialClient;
  const words = wordsOf(sdk);
  let venue: RunningVenue;

  beforeAll(async () => {
    venue = await aLivingVenue({ skewToleranceMs: 0 });
  });
  afterAll(() => venue.close());

  it('is resumed: session, subscriptions and the private topic are restored by the client', async () => {
    const config = configFor(sdk, venue, CREDENTIALS);
    const quotes = await sdk.QuoteContext.new(config);
    const trade = await sdk.TradeContext.new(config);
    const heard = new Heard<string>();
    quotes.setOnQuote((_error, { data }) => heard.add(`quote ${data.lastDone}`));
    trade.setOnOrderChanged((_error, { status }) => heard.add(`order ${status}`));
    await quotes.subscribe(['700.HK'], [words.SubType.Quote], false);
    await trade.subscribe([words.TopicType.Private]);

    const cut = await request(`${venue.admin}/cut`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${venue.adminToken}` },
      body: '{}',
    });
    expect(await cut.body.json()).toEqual({ cut: 2 });

    const online = async () =>
      (await call(venue, 'GET', '/v1/socket/token', { credentials: CREDENTIALS })).data;
    await expect.poll(online, { interval: 50 }).toMatchObject({ online: 2 });
    expect(await quotes.quote(['700.HK'])).toHaveLength(1);
    const submitAndStep = async (): Promise<boolean> => {
      await trade.submitOrder({
        symbol: '700.HK',
        orderType: words.OrderType.LO,
        side: words.OrderSide.Buy,
        submittedQuantity: new sdk.Decimal(100),
        submittedPrice: new sdk.Decimal('300'),
        timeInForce: words.TimeInForceType.Day,
      });
      return (await step(venue)).frames.trade > 0;
    };
    await expect.poll(submitAndStep, { interval: 1_050 }).toBe(true);
    await heard.until((items) => items.includes(`order ${words.OrderStatus.New}`));
    await step(venue);
    await heard.until((items) => items.some((item) => item.startsWith('quote')));
  });
});
