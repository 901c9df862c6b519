import { connect, type Socket } from 'node:net';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { quoteCommands } from '#src/wire/commands.ts';
import { Period } from '#src/wire/gen/quote_pb.ts';
import { PROFILES } from '#src/wire/profiles.ts';
import { call, SocketClient, send, signed } from './a-client.ts';
import { aVenue } from './a-venue.ts';

const QUOTE = quoteCommands(PROFILES.documented);
const opened: Socket[] = [];

afterEach(() => {
  for (const socket of opened.splice(0)) socket.destroy();
});

function connected(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  opened.push(socket);
  socket.on('error', () => {});
  return new Promise((resolve) => socket.once('connect', () => resolve(socket)));
}

/** Values close to an order, so that some reach deep into the reader. */
const anOrderBody = fc.record(
  {
    symbol: fc.oneof(fc.constant('700.HK'), fc.string(), fc.integer()),
    order_type: fc.oneof(fc.constantFrom('LO', 'MO', 'TSMPCT', 'LIT', 'ODD'), fc.string()),
    side: fc.oneof(fc.constantFrom('Buy', 'Sell'), fc.constant(null)),
    submitted_quantity: fc.oneof(
      fc.constantFrom('150', '0', '-100', '1e3', 'NaN', ''),
      fc.double(),
      fc.string(),
    ),
    submitted_price: fc.oneof(fc.constantFrom('412.41', '0', '-1', '9'.repeat(40)), fc.anything()),
    time_in_force: fc.oneof(fc.constantFrom('Day', 'GTC', 'GTD'), fc.string()),
    expire_date: fc.oneof(fc.constantFrom('2025-02-30', '1999-01-01', '9999-12-31'), fc.string()),
  },
  { requiredKeys: [] },
);

describe('a hostile client', () => {
  it('S-20: has at most 64 connections from one address: the oldest without valid credentials is closed for a new one', async () => {
    const { venue } = await aVenue();
    const port = Number(new URL(venue.http).port);
    for (let count = 0; count < 64; count += 1) await connected(port);
    const [oldest] = opened;
    const cut = new Promise((resolve) => oldest?.once('close', resolve));
    await connected(port);
    await cut;
    expect(opened.filter((socket) => socket.destroyed)).toEqual([oldest]);
  });

  it('S-02: may send any bytes on a socket, and all other clients are still served', async () => {
    const { venue } = await aVenue();
    const honest = await SocketClient.loggedIn(venue, 'quote');
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
        const hostile = await SocketClient.open(venue.quoteWs);
        hostile.raw(bytes);
        const { secuStaticInfo } = await honest.ask(QUOTE.staticInfo, { symbol: ['700.HK'] });
        hostile.close();
        await hostile.closed;
        expect(secuStaticInfo).toHaveLength(1);
      }),
      { numRuns: 40 },
    );
  });

  it('sends any body as an order, gets a 4xx envelope with the reason, and nothing reaches the books', async () => {
    const { venue } = await aVenue();
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          anOrderBody.map((body) => JSON.stringify(body)),
          fc.string(),
          fc.json(),
        ),
        async (body) => {
          const headers = signed('POST', '/v1/trade/order', { body });
          const answer = await send(venue, 'POST', '/v1/trade/order', { body, headers });
          expect(answer.status).toBe(400);
          expect(answer.code).toBe(602001);
          expect(answer.message.length).toBeGreaterThan(5);
        },
      ),
      { numRuns: 150 },
    );
    expect((await call(venue, 'GET', '/v1/trade/order/today')).data.orders).toEqual([]);
  });

  it('is notified when the fault is ours, and so is the operator', async () => {
    const faults: unknown[] = [];
    const broken = new Error('no bars today');
    const { venue } = await aVenue({
      onFault: (fault) => faults.push(fault),
      history: () => {
        throw broken;
      },
    });
    const socket = await SocketClient.loggedIn(venue, 'quote');
    const question = { symbol: '700.HK', period: Period.DAY, count: 1 };
    await expect(socket.ask(QUOTE.candlesticks, question)).rejects.toThrow(
      'status 7 code 301602: server error',
    );
    expect(faults).toEqual([broken]);
  });

  it('may request a paper account, since every account here is one', async () => {
    const { venue } = await aVenue();
    expect((await call(venue, 'GET', '/v1/test', { headers: { 'x-papertrading': 'true' } })).code).toBe(0);
  });
});
