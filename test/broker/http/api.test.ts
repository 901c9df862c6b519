import { firstValueFrom, forkJoin } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Api, createApi } from '#src/broker/http/api.ts';
import { millis } from '#src/model/time.ts';
import { quoteCommands } from '#src/wire/commands.ts';
import { ENDPOINTS } from '#src/wire/endpoints.ts';
import { failure, success } from '#src/wire/envelope.ts';
import { CapitalDistributionResponseSchema } from '#src/wire/gen/quote_pb.ts';
import { encodeMessage } from '#src/wire/message.ts';
import { PROFILES } from '#src/wire/profiles.ts';
import { answerJson, type FakeVenue, startFakeVenue } from '../fake-venue.ts';
import { type Bench, benchOn } from '../fixtures.ts';

const REFRESH = '/v1/token/refresh';
const RENEWED = 'at-canary-renewed';
const expiresAt = millis(Date.UTC(2026, 1, 1));

let venue: FakeVenue;
let bench: Bench;
let api: Api;
let saved: string[];
let tokensSeenAtSave: number;

beforeEach(async () => {
  venue = await startFakeVenue();
  bench = benchOn(venue);
  saved = [];
  api = createApi(bench.client, {
    saveToken: async (token) => {
      tokensSeenAtSave = venue.arrived.filter((each) => each.headers.authorization === token).length;
      saved.push(token);
    },
  });
});

afterEach(async () => {
  await bench.client.close();
  await venue.close();
});

describe('the whole API', () => {
  it('has a method for every endpoint of the wire', () => {
    expect(Object.keys(api.http).toSorted()).toEqual(Object.keys(ENDPOINTS).toSorted());
  });

  it('has a method for every request of the quote socket', () => {
    const questions = Object.entries(quoteCommands(PROFILES.documented)).filter(
      ([, each]) => each.kind === 'request',
    );
    expect(Object.keys(api.quotes).toSorted()).toEqual(questions.map(([name]) => name).toSorted());
  });

  it.each([
    ['documented', 24],
    ['longbridge', 25],
  ] as const)(
    'asks for the capital distribution under the number of the profile: %s %i',
    async (name, number) => {
      const other = benchOn(venue, { profile: PROFILES[name] });
      venue.onCommand('quote', number, (frame, line) =>
        line.answer(frame, encodeMessage(CapitalDistributionResponseSchema, { symbol: '700.HK' })),
      );
      await other.client.connect();
      const { quotes } = createApi(other.client, { saveToken: async () => undefined });
      expect(await firstValueFrom(quotes.capitalDistribution({ symbol: '700.HK' }))).toMatchObject({
        symbol: '700.HK',
      });
      await other.client.close();
    },
  );

  it('creates no second group when the first answer is "duplicate request"', async () => {
    venue.on('/v1/watchlist/groups', (_request, response) =>
      answerJson(response, 403, failure(403202, 'duplicate request')),
    );
    const answer = await firstValueFrom(api.http.createGroup({ name: 'tech', symbols: [] }));
    expect(answer).toMatchObject({ kind: 'failed', code: 403202 });
    expect(venue.of('/v1/watchlist/groups')).toHaveLength(1);
  });
});

describe('renewing the token', () => {
  beforeEach(() => {
    venue.on(REFRESH, (_request, response) =>
      answerJson(response, 200, success({ token: RENEWED, expired_at: '2026-02-01T00:00:00Z' })),
    );
  });

  it('I-19: saves the new one before it is used, and uses it from then on', async () => {
    const answer = await firstValueFrom(api.http.refreshToken({ expiresAt }));
    expect(answer).toEqual({ kind: 'ok', value: { expiresAt: '2026-02-01T00:00:00Z' } });
    expect(saved).toEqual([RENEWED]);
    expect(tokensSeenAtSave).toBe(0);
    await firstValueFrom(api.http.connectivityTest({}));
    expect(venue.arrived.at(-1)?.headers.authorization).toBe(RENEWED);
    expect(venue.signaturesRefused()).toBe(0);
  });

  it('I-19: is requested once for any number of callers', async () => {
    await firstValueFrom(forkJoin([1, 2, 3].map(() => api.http.refreshToken({ expiresAt }))));
    expect(venue.of(REFRESH)).toHaveLength(1);
    expect(saved).toHaveLength(1);
  });

  it('I-19: uses the new one although it cannot be saved, because the venue has ended the old one', async () => {
    const saveError = new Error('disk full');
    const failing = createApi(bench.client, { saveToken: () => Promise.reject(saveError) });
    expect(await firstValueFrom(failing.http.refreshToken({ expiresAt }))).toEqual({
      kind: 'ok',
      value: { expiresAt: '2026-02-01T00:00:00Z', saveError },
    });
    await firstValueFrom(api.http.connectivityTest({}));
    expect(venue.arrived.at(-1)?.headers.authorization).toBe(RENEWED);
  });

  it('is not repeated when it fails, and can be requested again', async () => {
    venue.on(REFRESH, (_request, response) =>
      answerJson(response, 403, failure(403202, 'duplicate request')),
    );
    expect((await firstValueFrom(api.http.refreshToken({ expiresAt }))).kind).toBe('failed');
    expect((await firstValueFrom(api.http.refreshToken({ expiresAt }))).kind).toBe('failed');
    expect(venue.of(REFRESH)).toHaveLength(2);
    expect(saved).toEqual([]);
  });
});
