import { beforeEach, describe, expect, it, vi } from 'vitest';
import { authenticate, type HeaderValues } from '../../src/catalogue/authenticate.ts';
import { type CatalogueKey, digestOf } from '../../src/catalogue/key.ts';
import { millis } from '../../src/model/time.ts';
import { signRequest } from '../../src/wire/signature.ts';
import { type ReceivedRequest, verifySignature } from '../../src/wire/verify-signature.ts';

/** Operations on secrets in order: each call with its number of bytes. */
const work = vi.hoisted((): string[] => []);

vi.mock('node:crypto', async (load) => {
  const real = await load<typeof import('node:crypto')>();
  return {
    ...real,
    hash: (algorithm: string, data: string | Uint8Array) => {
      work.push(`hash ${algorithm} of ${data.length}`);
      return real.hash(algorithm, data);
    },
    createHmac: (algorithm: string, key: string) => {
      work.push(`hmac ${algorithm} under ${key.length}`);
      return real.createHmac(algorithm, key);
    },
    timingSafeEqual: (one: Uint8Array, other: Uint8Array) => {
      work.push(`compare ${one.length} with ${other.length}`);
      return real.timingSafeEqual(one, other);
    },
  };
});

beforeEach(() => void work.splice(0));

const SECRET = 's'.repeat(64);

/** Operations for a request that is signed correctly except for these changes. */
function doneFor(changes: Partial<ReceivedRequest>): {
  readonly work: readonly string[];
  readonly kind: string;
} {
  const request = { method: 'POST', path: '/v1/trade/order', query: '', body: '{}', timestamp: '1760000000' };
  const headers = signRequest(request, { appKey: 'known', appSecret: SECRET, accessToken: 'at' });
  const received = {
    ...request,
    apiKey: headers['X-Api-Key'],
    authorization: headers.Authorization,
    signature: headers['X-Api-Signature'],
    ...changes,
  };
  work.splice(0);
  const { kind } = verifySignature(received, {
    appOf: (key) =>
      key === 'known' ? { appSecret: SECRET, acceptsToken: (token) => token === 'at' } : undefined,
    now: millis(1_760_000_000_000),
    skewMs: 300_000,
  });
  return { work: [...work], kind };
}

const claim = (digest: string): string =>
  `HMAC-SHA256 SignedHeaders=authorization;x-api-key;x-timestamp, Signature=${digest}`;

describe('the signature check of the venue does the same work (S-17)', () => {
  it.each([
    ['no claim', { signature: '' }, 'signature-invalid'],
    ['a claim in another form', { signature: 'Basic x' }, 'signature-invalid'],
    ['a digest too short', { signature: claim('0'.repeat(63)) }, 'signature-invalid'],
    ['a digest too long', { signature: claim('0'.repeat(65)) }, 'signature-invalid'],
    ['a wrong digest', { signature: claim('f'.repeat(64)) }, 'signature-invalid'],
    ['an unknown key', { apiKey: 'other' }, 'unknown-key'],
    ['a key of objects', { apiKey: '__pr_' }, 'unknown-key'],
    ['an invalid token', { authorization: 'no' }, 'token-refused'],
    ['a timestamp long past', { timestamp: '1000000000' }, 'skewed'],
    ['an invalid timestamp', { timestamp: 'yesterday!' }, 'signature-invalid'],
  ])('for %s as for a valid one', (_what, changes, kind) => {
    const good = doneFor({});
    const bad = doneFor(changes);
    expect([good.kind, bad.kind]).toEqual(['ok', kind]);
    expect(bad.work).toEqual(good.work);
    expect(bad.work.slice(-2)).toEqual(['hmac sha256 under 64', 'compare 64 with 64']);
  });
});

describe('the key check of the catalogue does the same work (S-17)', () => {
  const terms = { scheme: 'bearer', mayWrite: true, expiresAt: undefined, revoked: false } as const;
  const keys: readonly CatalogueKey[] = ['first', 'second', 'third'].map((secret, index) => ({
    ...terms,
    principal: `p${index}`,
    digest: digestOf(secret),
    revoked: secret === 'third',
  }));
  const doneWith = (headers: HeaderValues) => {
    work.splice(0);
    const { kind } = authenticate(headers, keys, millis(0));
    return { kind, work: [...work] };
  };

  it.each([
    ['the first key', 'Bearer first', 'known'],
    ['the second', 'Bearer second', 'known'],
    ['a revoked one', 'Bearer third', 'refused'],
    ['an invalid one', 'Bearer fourth', 'refused'],
    ['a very long one', `Bearer ${'x'.repeat(5_000)}`, 'refused'],
    ['nothing', 'Bearer ', 'refused'],
    ['another scheme', 'Basic first', 'refused'],
  ])('for %s: compared with every key, digest with digest', (_what, authorization, kind) => {
    const done = doneWith({ authorization: [authorization] });
    expect(done).toEqual({ kind, work: keys.map(() => 'compare 32 with 32') });
  });
});
