import { afterEach, describe, expect, it } from 'vitest';
import type { RunningVenue, VenueOptions } from '#src/venue/venue-options.ts';
import { aLivingVenue, CREDENTIALS, clockAhead } from './a-living-venue.ts';
import { configFor, loadOfficialClient, type OfficialClient, titleOf } from './official-client.ts';

const client = loadOfficialClient();

describe.skipIf(client.kind === 'absent')(titleOf(client, 'logging in with the official client'), () => {
  const sdk = (client.kind === 'loaded' ? client.sdk : undefined) as OfficialClient;
  const running: RunningVenue[] = [];
  const aVenue = async (options: Partial<VenueOptions> = {}): Promise<RunningVenue> => {
    const venue = await aLivingVenue(options);
    running.push(venue);
    return venue;
  };
  afterEach(async () => {
    await Promise.all(running.splice(0).map((venue) => venue.close()));
  });

  it('is refused with a wrong secret, an unknown key and an unknown token', async () => {
    const venue = await aVenue();
    const open = (wrong: object) => sdk.TradeContext.new(configFor(sdk, venue, { ...CREDENTIALS, ...wrong }));
    await expect(open({ appSecret: 'another' })).rejects.toThrow(/code=403201: signature invalid/);
    await expect(open({ appKey: 'another' })).rejects.toThrow(/code=403203/);
    await expect(open({ accessToken: 'another' })).rejects.toThrow(/code=401003/);
  });

  it('receives an error about its clock', async () => {
    const venue = await aVenue({ machine: clockAhead(3_600_000) });
    await expect(sdk.TradeContext.new(configFor(sdk, venue, CREDENTIALS))).rejects.toThrow(/code=403201/);
  });

  it('renews its token: the new one opens the account, the old one is invalid', async () => {
    const venue = await aVenue();
    const token = await configFor(sdk, venue, CREDENTIALS).refreshAccessToken(
      new Date(Date.now() + 30 * 86_400_000),
    );
    expect(token).not.toBe(CREDENTIALS.accessToken);
    const renewed = configFor(sdk, venue, { ...CREDENTIALS, accessToken: token });
    const trade = await sdk.TradeContext.new(renewed);
    expect(await trade.accountBalance()).toHaveLength(1);
    await expect(sdk.TradeContext.new(configFor(sdk, venue, CREDENTIALS))).rejects.toThrow(/code=401003/);
  });

  it('passes the connectivity test and the signature self-test with a client of plain requests', async () => {
    const venue = await aVenue();
    const { appKey, appSecret, accessToken } = CREDENTIALS;
    const http = new sdk.HttpClient(venue.http, appKey, appSecret, accessToken);
    expect(await http.request('GET', '/v1/test')).toEqual({});
    const body = { order_id: '683615454870679552' };
    expect(await http.request('POST', '/v1/trade/order/submit', null, body)).toEqual(body);
    await expect(http.request('GET', '/v1/nowhere')).rejects.toThrow(/code=404000/);
  });

  it('is limited as published, with an envelope, which it does not retry', async () => {
    const venue = await aVenue({ rateLimits: 'endpoint' });
    const trade = await sdk.TradeContext.new(configFor(sdk, venue, CREDENTIALS));
    const calls = await Promise.allSettled(Array.from({ length: 3 }, () => trade.accountBalance()));
    const refusals = calls.flatMap((call) => (call.status === 'rejected' ? [String(call.reason)] : []));
    expect(refusals).toHaveLength(2);
    expect(refusals[0]).toContain('code=429002');
  });
});
