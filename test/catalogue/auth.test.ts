import { describe, expect, it } from 'vitest';
import { digestOf, mintKey } from '../../src/catalogue/key.ts';
import { KEYS_MAX } from '../../src/catalogue/store-keys.ts';
import { ask, errorOf, rawExchange, START, startWorld, type World } from './world.ts';

const OTHER = 'B'.repeat(43);

/** Secrets of one world, one of each kind. */
function secretsOf({ mint, store }: World) {
  mint({ scheme: 'api-key', principal: 'gone' });
  const revoked = mint({ principal: 'gone' });
  store.revokeKeys('gone');
  return {
    token: mint(),
    key: mint({ scheme: 'api-key' }),
    otherToken: mint({ principal: 'other' }),
    otherKey: mint({ scheme: 'api-key', principal: 'other' }),
    readToken: mint({ mayWrite: false }),
    readKey: mint({ scheme: 'api-key', mayWrite: false }),
    expired: mint({ expiresAt: START }),
    expiredKey: mint({ scheme: 'api-key', expiresAt: START }),
    revoked,
  };
}

type Secrets = ReturnType<typeof secretsOf>;
type Lines = readonly (readonly [string, string])[];

/** Credentials of a request, and the expected status; 201 is success. */
const CASES: readonly (readonly [string, number, (secrets: Secrets) => Lines])[] = [
  ['nothing', 401, () => []],
  ['a token', 201, ({ token }) => [['Authorization', `Bearer ${token}`]]],
  ['a key', 201, ({ key }) => [['X-API-Key', key]]],
  ['a wrong token', 401, () => [['Authorization', `Bearer ${OTHER}`]]],
  ['a wrong key', 401, () => [['X-API-Key', OTHER]]],
  ['an expired token', 401, ({ expired }) => [['Authorization', `Bearer ${expired}`]]],
  ['an expired key', 401, ({ expiredKey }) => [['X-API-Key', expiredKey]]],
  ['a revoked token', 401, ({ revoked }) => [['Authorization', `Bearer ${revoked}`]]],
  [
    'both of one owner',
    201,
    ({ token, key }) => [
      ['Authorization', `Bearer ${token}`],
      ['X-API-Key', key],
    ],
  ],
  [
    'both of two owners',
    401,
    ({ token, otherKey }) => [
      ['Authorization', `Bearer ${token}`],
      ['X-API-Key', otherKey],
    ],
  ],
  [
    'a good token, a wrong key',
    401,
    ({ token }) => [
      ['Authorization', `Bearer ${token}`],
      ['X-API-Key', OTHER],
    ],
  ],
  [
    'a wrong token, a good key',
    401,
    ({ key }) => [
      ['Authorization', `Bearer ${OTHER}`],
      ['X-API-Key', key],
    ],
  ],
  [
    'a good token, an expired key',
    401,
    ({ token, expiredKey }) => [
      ['Authorization', `Bearer ${token}`],
      ['X-API-Key', expiredKey],
    ],
  ],
  [
    'one secret in both',
    401,
    ({ token }) => [
      ['Authorization', `Bearer ${token}`],
      ['X-API-Key', token],
    ],
  ],
  [
    'both swapped',
    401,
    ({ token, key }) => [
      ['Authorization', `Bearer ${key}`],
      ['X-API-Key', token],
    ],
  ],
  ['a token as key', 401, ({ token }) => [['X-API-Key', token]]],
  ['a key as token', 401, ({ key }) => [['Authorization', `Bearer ${key}`]]],
  ['the scheme word in small letters', 201, ({ token }) => [['Authorization', `bearer ${token}`]]],
  ['the scheme word in capitals', 201, ({ token }) => [['AUTHORIZATION', `BEARER ${token}`]]],
  ['the key header in capitals', 201, ({ key }) => [['X-API-KEY', key]]],
  ['the token in other case', 401, ({ token }) => [['Authorization', `Bearer ${token.toLowerCase()}x`]]],
  ['spaces around the value', 201, ({ token }) => [['Authorization', `  Bearer ${token}  `]]],
  ['spaces after the scheme word', 201, ({ token }) => [['Authorization', `Bearer   ${token}`]]],
  ['a tab after the scheme word', 401, ({ token }) => [['Authorization', `Bearer\t${token}`]]],
  ['no space after the scheme word', 401, ({ token }) => [['Authorization', `Bearer${token}`]]],
  [
    'a space inside the token',
    401,
    ({ token }) => [['Authorization', `Bearer ${token.slice(0, 9)} ${token.slice(9)}`]],
  ],
  ['two tokens in one header', 401, ({ token }) => [['Authorization', `Bearer ${token}, Bearer ${token}`]]],
  [
    'two headers of a token',
    401,
    ({ token }) => [
      ['Authorization', `Bearer ${token}`],
      ['Authorization', `Bearer ${token}`],
    ],
  ],
  [
    'two headers of a key',
    401,
    ({ key }) => [
      ['X-API-Key', key],
      ['X-API-Key', key],
    ],
  ],
  ['a bare token', 401, ({ token }) => [['Authorization', token]]],
  ['another scheme', 401, ({ token }) => [['Authorization', `Basic ${token}`]]],
  [
    'another scheme next to a good key',
    401,
    ({ token, key }) => [
      ['Authorization', `Basic ${token}`],
      ['X-API-Key', key],
    ],
  ],
  ['an empty token', 401, () => [['Authorization', 'Bearer ']]],
  ['an empty key', 401, () => [['X-API-Key', '']]],
  [
    'an empty key next to a good token',
    401,
    ({ token }) => [
      ['Authorization', `Bearer ${token}`],
      ['X-API-Key', ''],
    ],
  ],
  ['a token that may only read', 403, ({ readToken }) => [['Authorization', `Bearer ${readToken}`]]],
  ['a key that may only read', 403, ({ readKey }) => [['X-API-Key', readKey]]],
  [
    'both of one owner, one may only read',
    403,
    ({ token, readKey }) => [
      ['Authorization', `Bearer ${token}`],
      ['X-API-Key', readKey],
    ],
  ],
  [
    'credentials of interface A',
    401,
    () => [
      ['X-Api-Key', 'app-key'],
      ['Authorization', 'app-access-token'],
      ['X-Api-Signature', 'HMAC-SHA256 x'],
    ],
  ],
];

const ROUTES = [
  ['POST', '/api/v1/artists', 201],
  ['PUT', '/api/v1/artists/1', 200],
  ['POST', '/api/v1/artists/1/albums', 201],
] as const;

const BODY = '{"name":"x"}';

function requestText(method: string, path: string, lines: Lines): string {
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return `${method} ${path} HTTP/1.1\r\nHost: c.test\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${BODY.length}\r\n${head}\r\n${BODY}`;
}

describe.each(ROUTES)('%s %s (S-23)', (method, path, success) => {
  it.each(CASES)('with %s is answered with %i', async (_name, status, linesOf) => {
    const world = await startWorld();
    await world.send('POST', '/api/v1/artists', BODY);
    const answer = await rawExchange(world.port, requestText(method, path, linesOf(secretsOf(world))));
    expect(answer.slice(0, 12)).toBe(`HTTP/1.1 ${status === 201 ? success : status}`);
    expect(/\r\nwww-authenticate: Bearer realm="catalogue"\r\n/i.test(answer)).toBe(status === 401);
  });

  it('tells a client without the right to write nothing about paths, bodies and types', async () => {
    const world = await startWorld();
    const headers = { authorization: `Bearer ${world.mint({ mayWrite: false })}` };
    const answers = await Promise.all(
      ['{"name":"x"}', '{"nam', '{"id":1,"extra":2}', 'x'.repeat(70_000)].map((body) =>
        ask(world.baseUrl + path, method, body, headers),
      ),
    );
    expect(new Set(answers.map((answer) => `${answer.status} ${answer.text}`)).size).toBe(1);
    const strange = await ask(world.baseUrl + path, method, 'x', {
      ...headers,
      'content-type': 'text/plain',
    });
    expect(strange.status).toBe(403);
  });
});

it('answers every failed login in the same way', async () => {
  const world = await startWorld();
  const secrets = secretsOf(world);
  const answers = await Promise.all(
    [OTHER, secrets.expired, secrets.revoked, secrets.key].map((token) =>
      ask(`${world.baseUrl}/api/v1/artists`, 'POST', BODY, { authorization: `Bearer ${token}` }),
    ),
  );
  expect(new Set(answers.map((answer) => answer.text)).size).toBe(1);
});

it('refuses a token from its last instant on, and a revoked one at once', async () => {
  const { clock, store, mint, client } = await startWorld();
  const token = mint({ principal: 'short', expiresAt: (START + 1_000) as typeof START });
  const { createArtist } = client({ kind: 'bearer', token });
  clock.advance(999);
  await createArtist({ name: 'in time' });
  clock.advance(1);
  await expect(createArtist({ name: 'late' })).rejects.toMatchObject({ status: 401, code: 'unauthorized' });
  const next = mint({ principal: 'short' });
  await client({ kind: 'bearer', token: next }).createArtist({ name: 'renewed' });
  expect(store.revokeKeys('short')).toBe(2);
  expect(store.revokeKeys('short')).toBe(0);
  await expect(client({ kind: 'bearer', token: next }).createArtist({ name: 'late' })).rejects.toMatchObject({
    status: 401,
  });
});

it('keeps digests, never secrets (S-23)', async () => {
  const { store, mint } = await startWorld();
  const secret = mint();
  expect(secret).toMatch(/^[A-Za-z0-9_-]{43}$/);
  const kept = store.keys().find((key) => Buffer.from(key.digest).equals(digestOf(secret)));
  expect(kept).toMatchObject({ scheme: 'bearer', principal: 'team', mayWrite: true, revoked: false });
  expect(JSON.stringify(store.keys())).not.toContain(secret);
});

it('stores 256 keys and refuses one more, or one twice', async () => {
  const { store, mint } = await startWorld();
  const terms = { scheme: 'bearer', principal: 'team', mayWrite: true, expiresAt: undefined } as const;
  const { key } = mintKey(terms, { bytes: () => new Uint8Array([9, 9]) });
  store.addKey(key);
  expect(() => store.addKey(key)).toThrow(/not there yet/);
  expect(() => store.addKey({ ...key, digest: new Uint8Array(31) })).toThrow(/32 bytes/);
  while (store.keys().length < KEYS_MAX) mint();
  expect(() => mint()).toThrow(/256, its most/);
});

it('names the right that is missing', async () => {
  const world = await startWorld();
  const headers = { authorization: `Bearer ${world.mint({ mayWrite: false })}` };
  const answer = await ask(`${world.baseUrl}/api/v1/artists`, 'POST', BODY, headers);
  expect(errorOf(answer)).toMatchObject({ code: 'forbidden', fields: [] });
});
