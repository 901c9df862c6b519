import { request } from 'undici';
import { describe, expect, it } from 'vitest';
import { aVenue } from './a-venue.ts';

const ROUTES = [
  ['GET', '/clock'],
  ['POST', '/clock/step'],
  ['POST', '/reset'],
  ['POST', '/deposit'],
  ['GET', '/access'],
  ['POST', '/access'],
  ['GET', '/faults'],
  ['POST', '/faults'],
  ['POST', '/cut'],
  ['GET', '/no-such-route'],
] as const;

const DEPOSIT = JSON.stringify({ currency: 'HKD', amount: '500' });
const JSON_TYPE = { 'content-type': 'application/json' };

/** Sends one request to the admin port; returns its status and code. */
async function ask(
  venue: { readonly admin: string | undefined },
  headers: Readonly<Record<string, string>>,
  [method, path]: readonly ['GET' | 'POST', string] = ['POST', '/deposit'],
  body: string | null = method === 'POST' ? DEPOSIT : null,
): Promise<readonly [number, unknown]> {
  const answer = await request(`${venue.admin}${path}`, { method, headers, body });
  const { code } = (await answer.body.json()) as { readonly code?: unknown };
  return [answer.statusCode, code];
}

describe('the admin port', () => {
  it.each(ROUTES)('refuses %s %s without the token, and with a wrong one', async (method, path) => {
    const { venue } = await aVenue();
    for (const authorization of ['', 'Bearer', 'Bearer wrong', `Basic ${venue.adminToken}`])
      expect(await ask(venue, { ...JSON_TYPE, authorization }, [method, path])).toEqual([
        401,
        'unauthorized',
      ]);
  });

  it('accepts a request with the token, addressed to any loopback name', async () => {
    const { venue } = await aVenue();
    const { port } = new URL(venue.admin ?? '');
    const authorization = `Bearer ${venue.adminToken}`;
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`])
      expect(await ask(venue, { ...JSON_TYPE, authorization, host })).toEqual([200, undefined]);
  });

  it.each([
    'evil.example',
    'evil.example:80',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    '10.0.0.1',
  ])('refuses a request addressed to %s, with or without the token', async (host) => {
    const { venue } = await aVenue();
    const authorization = `Bearer ${venue.adminToken}`;
    expect(await ask(venue, { ...JSON_TYPE, authorization, host })).toEqual([403, 'foreign-host']);
  });

  it('refuses what a web page sends, with or without the token', async () => {
    const { venue } = await aVenue();
    const authorization = `Bearer ${venue.adminToken}`;
    for (const from of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
    ])
      expect(await ask(venue, { ...JSON_TYPE, authorization, ...from })).toEqual([403, 'foreign-origin']);
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])(
    'refuses a body of type %s, which a form can send',
    async (type) => {
      const { venue } = await aVenue();
      const headers = { 'content-type': type, authorization: `Bearer ${venue.adminToken}` };
      expect(await ask(venue, headers)).toEqual([415, 'not-json']);
    },
  );

  it('refuses a body that is not JSON', async () => {
    const { venue } = await aVenue();
    const headers = { ...JSON_TYPE, authorization: `Bearer ${venue.adminToken}` };
    expect(await ask(venue, headers, ['POST', '/deposit'], '{')).toEqual([400, 'bad-request']);
  });

  it('serves a POST without a body', async () => {
    const { venue } = await aVenue();
    const headers = { authorization: `Bearer ${venue.adminToken}` };
    expect(await ask(venue, headers, ['POST', '/cut'], null)).toEqual([200, undefined]);
  });

  it('has a different token in every venue', async () => {
    const tokens = await Promise.all([1, 2].map(async () => (await aVenue()).venue.adminToken));
    for (const token of tokens) expect(token).toMatch(/^[0-9a-f]{48}$/);
  });
});
