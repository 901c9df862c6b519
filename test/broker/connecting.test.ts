import { describe, expect, it } from 'vitest';
import type { BrokerErrorCode } from '#src/broker/broker-error.ts';
import { failure, success } from '#src/wire/envelope.ts';
import { UserQuoteProfileResponseSchema } from '#src/wire/gen/quote_pb.ts';
import { SubResponseSchema } from '#src/wire/gen/trade_pb.ts';
import { encodeMessage } from '#src/wire/message.ts';
import { eventually } from '../fixtures/eventually.ts';
import { answerJson, CREDENTIALS, type FakeVenue } from './fake-venue.ts';
import { type Bench, benchOn } from './fixtures.ts';
import { onSockets } from './on-sockets.ts';

const on = onSockets();

/** Moves the clock while it has a timer, until a step has ended. */
async function ended(bench: Bench, step: Promise<void>): Promise<void> {
  let isOver = false;
  const over = step.finally(() => (isOver = true));
  over.catch(() => undefined);
  await eventually(() => {
    if (bench.clock.pending() > 0) bench.clock.advance(100);
    return isOver;
  }, 'the end of the step');
  return over;
}

describe('connecting', () => {
  it('makes a test call, spends one password per socket, and subscribes to order changes', async () => {
    await on.bench.client.connect();
    expect(on.venue.of('/v1/test')).toHaveLength(1);
    expect(on.venue.passwordsUsed).toHaveLength(2);
    expect(new Set(on.venue.passwordsUsed).size).toBe(2);
    expect(on.venue.line('trade').requests.map((frame) => frame.command)).toEqual([2, 16]);
    expect(on.venue.line('quote').requests.map((frame) => frame.command)).toEqual([2]);
  });

  it('reports which quote packages are open', async () => {
    const reported: unknown[] = [];
    const curious = benchOn(on.venue, { onQuotePackages: (packages) => reported.push(packages) });
    on.venue.onCommand('quote', 4, (frame, line) => {
      const byMarketCode = {
        US: { packages: [], warningMsg: 'no access to the US market' },
        HK: { packages: [{ key: 'lv2', name: 'HK LV2 Real-time Quotes' }], warningMsg: '' },
      };
      line.answer(
        frame,
        encodeMessage(UserQuoteProfileResponseSchema, { quoteLevelDetail: { byMarketCode } }),
      );
    });
    await curious.client.connect();
    expect(reported).toEqual([
      [
        { market: 'HK', packages: ['HK LV2 Real-time Quotes'], warning: '' },
        { market: 'US', packages: [], warning: 'no access to the US market' },
      ],
    ]);
    await curious.client.close();
  });

  const tooMany = failure(429002, 'api request is limited');
  const PATIENT = { settings: { connectRetryMs: 40_000 } };

  it('waits while the venue refuses calls because of too many, as after an earlier start (F-B05)', async () => {
    const bench = benchOn(on.venue, PATIENT);
    let refused = 0;
    on.venue.on('/v1/test', (_request, response) => {
      refused += 1;
      answerJson(response, refused < 4 ? 429 : 200, refused < 4 ? tooMany : success({}));
    });
    const began = bench.clock.now();
    await ended(bench, bench.client.connect());
    expect(refused).toBe(4);
    expect(bench.clock.now() - began).toBeGreaterThanOrEqual(7_000);
    expect(on.venue.passwordsUsed).toHaveLength(2);
    await bench.client.close();
  });

  it.each(['/v1/test', '/v1/socket/token'])(
    'fails after the time for it, and at once when it is closed or interrupted (%s)',
    async (path) => {
      on.venue.on(path, (_request, response) => answerJson(response, 429, tooMany));
      for (const by of ['close', 'interruption']) {
        const { client, clock, alarms } = benchOn(on.venue, PATIENT);
        const interruption = new AbortController();
        const failed = expect(client.connect(interruption.signal)).rejects.toThrow(
          by === 'close' ? undefined : 'api request is limited',
        );
        await eventually(() => alarms.some(({ code }) => code === 'start-waits'), 'a pause');
        if (by === 'close') await client.close();
        else interruption.abort();
        await failed;
        expect(clock.pending()).toBe(0);
      }
      const bench = benchOn(on.venue, PATIENT);
      await expect(ended(bench, bench.client.connect())).rejects.toMatchObject({ venueCode: 429002 });
      expect(bench.clock.pending()).toBe(0);
    },
  );

  it('has one deadline for all steps, and reports once that it waits', async () => {
    const bench = benchOn(on.venue, PATIENT);
    let refused = 0;
    on.venue.on('/v1/test', (_request, response) => {
      refused += 1;
      answerJson(response, refused < 6 ? 429 : 200, refused < 6 ? tooMany : success({}));
    });
    on.venue.on('/v1/socket/token', (_request, response) => answerJson(response, 429, tooMany));
    const began = bench.clock.now();
    await expect(ended(bench, bench.client.connect())).rejects.toMatchObject({ venueCode: 429002 });
    expect(bench.clock.now() - began).toBeGreaterThan(23_000);
    expect(bench.clock.now() - began).toBeLessThan(45_000);
    const waits = bench.alarms.filter(({ code }) => code === 'start-waits');
    expect(waits.map(({ message }) => message)).toEqual([
      'The start waits: the venue refuses calls, as it received too many in the last half minute; it tries again for up to 40 s',
    ]);
  });

  it.each<[string, BrokerErrorCode, (venue: FakeVenue) => void]>([
    [
      'the token has expired',
      'refused',
      (it) => it.on('/v1/test', (_q, r) => answerJson(r, 401, failure(401003, 'token expired'))),
    ],
    ['a login page answers', 'no-answer', (it) => it.on('/v1/test', (_q, r) => answerJson(r, 200, '<html>'))],
    [
      'no password is issued',
      'refused',
      (it) => it.on('/v1/socket/token', (_q, r) => answerJson(r, 403, failure(403205, 'ip is not allowed'))),
    ],
    [
      'the password is refused',
      'socket-refused',
      (it) => {
        it.acceptsPasswords = false;
      },
    ],
    [
      'the topic is refused',
      'socket-refused',
      (it) =>
        it.onCommand('trade', 16, (frame, line) =>
          line.answer(
            frame,
            encodeMessage(SubResponseSchema, { fail: [{ topic: 'private', reason: 'no' }] }),
          ),
        ),
    ],
  ])('rejects when %s, with code %s and no secret', async (_what, code, spoil) => {
    spoil(on.venue);
    const error: unknown = await on.bench.client.connect().catch((reason: unknown) => reason);
    expect(error).toMatchObject({ name: 'BrokerError', code });
    const said = `${String(error)} ${JSON.stringify(on.bench.alarms)}`;
    for (const secret of Object.values(CREDENTIALS)) expect(said).not.toContain(secret);
    expect(said).not.toContain('canary');
  });

  it('rejects when the socket never answers the password', async () => {
    on.venue.onCommand('trade', 2, () => undefined);
    on.venue.onCommand('quote', 2, () => undefined);
    const failed = on.bench.client.connect().catch((reason: unknown) => reason);
    await eventually(
      () => on.venue.lines.length === 2 && on.venue.lines.every((line) => line.requests.length === 1),
    );
    on.bench.clock.advance(10_000);
    expect(await failed).toMatchObject({ code: 'socket-timeout' });
  });

  it('S-01: sends credentials in plain text to this machine only', () => {
    expect(() => benchOn(on.venue, { httpUrl: 'http://venue.example' })).toThrow(/unencrypted/);
    expect(() => benchOn(on.venue, { quoteWsUrl: 'ws://venue.example' })).toThrow(/unencrypted/);
    expect(() => benchOn(on.venue, { httpUrl: 'https://user:pw@venue.example' })).toThrow(/without user/);
  });
});
