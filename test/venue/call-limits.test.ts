import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { millis } from '#src/model/time.ts';
import { CallLimiter } from '#src/venue/calls/call-limiter.ts';
import { MESSAGES_PER_SECOND } from '#src/venue/server/limits.ts';
import { quoteCommands } from '#src/wire/commands.ts';
import { PROFILES } from '#src/wire/profiles.ts';
import { call, SocketClient, step } from './a-client.ts';
import { aVenue } from './a-venue.ts';
import { at } from './rising-minutes.ts';

const QUOTE = quoteCommands(PROFILES.documented);

describe('call limits', () => {
  it('I-17: permit 30 calls of one trade endpoint in 30 s of market time, 20 ms apart, and refuse the next', async () => {
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

  it('count the sum of all endpoints of an account if configured', async () => {
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

  it.each(['endpoint', 'account'] as const)(
    'are announced for every command of the quote socket (%s)',
    async (rateLimits) => {
      const { venue } = await aVenue({ rateLimits });
      const socket = await SocketClient.loggedIn(venue, 'quote');
      const { rateLimit } = await socket.ask(QUOTE.userQuoteProfile, { language: 'en' });
      const asked = Object.values(QUOTE).flatMap((command) => (command.code < 100 ? [command.code] : []));
      expect(new Set(rateLimit.map(({ command }) => command))).toEqual(new Set(asked));
      // A client that keeps all of them is never disconnected (S-21).
      const atOnce = rateLimit.reduce((sum, { limit, burst }) => sum + limit + burst, 0);
      expect(atOnce).toBeLessThan(MESSAGES_PER_SECOND);
      for (const { command, limit, burst } of rateLimit)
        expect([limit, burst]).toEqual(command === QUOTE.historyCandlesticks.code ? [2, 60] : [10, 10]);
    },
  );

  it('admit every client that keeps the announced buckets of all commands, whenever it refills them', async () => {
    const counter = new CallLimiter('endpoint', true);
    const announced = counter.announcedLimits([11, 19, 27]);
    fc.assert(
      fc.property(
        fc.nat({ max: 999 }),
        fc.array(fc.tuple(fc.nat({ max: 400 }), fc.constantFrom(...announced)), { maxLength: 400 }),
        (phase, calls) => {
          const fresh = new CallLimiter('endpoint', true);
          let now = 0;
          const own = new Map(announced.map(({ command, burst }) => [command, { tokens: burst, second: 0 }]));
          for (const [waited, { command, limit, burst }] of calls) {
            now += waited;
            const bucket = own.get(command);
            if (bucket === undefined) throw new Error('no bucket');
            const second = Math.floor((now + phase) / 1_000);
            bucket.tokens = Math.min(burst, bucket.tokens + (second - bucket.second) * limit);
            bucket.second = second;
            if (bucket.tokens < 1) continue;
            bucket.tokens -= 1;
            expect(fresh.admitsQuote('paper', command, millis(now))).toBe(true);
          }
        },
      ),
    );
  });

  it('refuse calls beyond the bucket of a command, and no other command with it', async () => {
    const { venue } = await aVenue({ rateLimits: 'endpoint' });
    const socket = await SocketClient.loggedIn(venue, 'quote');
    const ask = () => socket.ask(QUOTE.staticInfo, { symbol: ['700.HK'] });
    for (let count = 0; count < 20; count += 1) await ask();
    await expect(ask()).rejects.toThrow('status 3 code 301606');
    await socket.ask(QUOTE.securityQuote, { symbol: ['700.HK'] });
    await step(venue, at('2025-09-02T09:20:01+08:00'));
    for (let count = 0; count < 10; count += 1) await ask();
    await expect(ask()).rejects.toThrow('status 3 code 301606');
  });

  it('never disconnect a socket that keeps the announced limits of all commands at once', () => {
    const announced = new CallLimiter('endpoint', true).announcedLimits(
      Object.values(QUOTE).flatMap(({ code }) => (code < 100 ? [code] : [])),
    );
    const most = announced.reduce((sum, { limit, burst }) => sum + limit + burst, 0);
    expect(most).toBeLessThanOrEqual(MESSAGES_PER_SECOND);
  });

  it('can be switched off: nothing is announced, counted or disconnected', async () => {
    const { venue } = await aVenue({ rateLimits: 'off', marketClock: { kind: 'wall' } });
    const socket = await SocketClient.loggedIn(venue, 'quote');
    expect((await socket.ask(QUOTE.userQuoteProfile, { language: 'en' })).rateLimit).toEqual([]);
    const answers = Array.from({ length: 2_000 }, () => socket.ask(QUOTE.staticInfo, { symbol: ['700.HK'] }));
    expect(await Promise.all(answers)).toHaveLength(2_000);
  });
});
