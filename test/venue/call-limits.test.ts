import { describe, expect, it } from 'vitest';
import { quoteCommands } from '#src/wire/commands.ts';
import { PROFILES } from '#src/wire/profiles.ts';
import { call, SocketClient, step } from './a-client.ts';
import { aVenue } from './a-venue.ts';
import { at } from './rising-minutes.ts';

const QUOTE = quoteCommands(PROFILES.documented);

describe('call limits', () => {
  it('I-17: take 30 calls of one trade endpoint in 30 s of market time, 20 ms apart, and refuse the next', async () => {
    const { venue } = await aVenue({ rateLimits: 'endpoint' });
    const start = at('2025-09-02T09:20:00+08:00');
    const codes: number[] = [];
    for (let count = 0; count < 31; count += 1) {
      codes.push((await call(venue, 'GET', '/v1/asset/account')).code);
      await step(venue, start + (count + 1) * 20);
    }
    expect(codes).toEqual([...Array(30).fill(0), 429002]);
    expect((await call(venue, 'GET', '/v1/asset/stock')).code).toBe(0);
    expect((await call(venue, 'GET', '/v1/asset/stock')).code).toBe(429002);
    await step(venue, start + 30_000);
    expect((await call(venue, 'GET', '/v1/asset/account')).code).toBe(0);
    expect((await call(venue, 'GET', '/v1/test')).code).toBe(0);
  });

  it('count the sum of all endpoints of an account when told so', async () => {
    const { venue } = await aVenue({ rateLimits: 'account' });
    const start = at('2025-09-02T09:20:00+08:00');
    for (let count = 0; count < 30; count += 1) {
      const target = count % 2 === 0 ? '/v1/asset/account' : '/v1/asset/stock';
      expect((await call(venue, 'GET', target)).code).toBe(0);
      await step(venue, start + (count + 1) * 20);
    }
    const refused = await call(venue, 'GET', '/v1/trade/order/today');
    expect([refused.status, refused.code]).toEqual([429, 429002]);
  });

  it('take ten quote questions in a second', async () => {
    const { venue } = await aVenue({ rateLimits: 'endpoint' });
    const socket = await SocketClient.loggedIn(venue, 'quote');
    for (let count = 0; count < 10; count += 1) await socket.ask(QUOTE.staticInfo, { symbol: ['700.HK'] });
    await expect(socket.ask(QUOTE.staticInfo, { symbol: ['700.HK'] })).rejects.toThrow(
      'status 3 code 301606',
    );
    await step(venue, at('2025-09-02T09:20:01+08:00'));
    await socket.ask(QUOTE.staticInfo, { symbol: ['700.HK'] });
  });
});
