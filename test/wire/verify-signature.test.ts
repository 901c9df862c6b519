import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { millis } from '../../src/model/time.ts';
import { signRequest } from '../../src/wire/signature.ts';
import {
  type ReceivedRequest,
  readTimestamp,
  type VerifyOptions,
  verifySignature,
} from '../../src/wire/verify-signature.ts';

const credentials = { appKey: 'ak_1', appSecret: 'secret_1', accessToken: 'at_1' };
const now = millis(1_760_000_000_000);

const options: VerifyOptions = {
  appOf: (key) =>
    key === 'ak_1' ? { appSecret: 'secret_1', acceptsToken: (token) => token === 'at_1' } : undefined,
  now,
  skewMs: 300_000,
};

function received(changes: Partial<ReceivedRequest> = {}, timestamp = '1760000000.5'): ReceivedRequest {
  const request = { method: 'POST', path: '/v1/trade/order', query: 'a=1&a=2', body: '{"x":1}', timestamp };
  const headers = signRequest(request, credentials);
  return {
    ...request,
    apiKey: headers['X-Api-Key'],
    authorization: headers.Authorization,
    signature: headers['X-Api-Signature'],
    ...changes,
  };
}

describe('verification of a signed request', () => {
  it('accepts the result of signRequest, and returns the instant', () => {
    expect(verifySignature(received(), options)).toMatchObject({ kind: 'ok', timestamp: 1_760_000_000_500 });
  });

  it.each([
    ['another method', { method: 'PUT' }],
    ['another path', { path: '/v1/trade/order/' }],
    ['a re-sorted query', { query: 'a=2&a=1' }],
    ['a re-encoded query', { query: 'a=1&a=%32' }],
    ['one byte more in the body', { body: '{"x":1} ' }],
    ['another timestamp of the same instant', { timestamp: '1760000000.50' }],
    ['no signature', { signature: '' }],
    ['another algorithm', { signature: received().signature.replace('SHA256', 'SHA1') }],
    ['fewer signed headers', { signature: received().signature.replace('authorization;', '') }],
    ['a digest with capitals', { signature: received().signature.toUpperCase() }],
    ['a shortened digest', { signature: received().signature.slice(0, -2) }],
  ])('answers 403201 to %s', (_, changes) => {
    expect(verifySignature(received(changes), options)).toEqual({ kind: 'signature-invalid', code: 403201 });
  });

  it('tolerates a missing blank behind the comma', () => {
    const signature = received().signature.replace(', ', ',');
    expect(verifySignature(received({ signature }), options).kind).toBe('ok');
  });

  it('answers 403203 to an absent or unknown key, before anything else', () => {
    for (const apiKey of ['', 'ak_2']) {
      const verdict = verifySignature(received({ apiKey, authorization: '', signature: '' }), options);
      expect(verdict).toEqual({ kind: 'unknown-key', code: 403203 });
    }
  });

  it('answers 401003 to a token that the app does not accept', () => {
    const verdict = verifySignature(received({ authorization: 'at_old' }), options);
    expect(verdict).toEqual({ kind: 'token-refused', code: 401003 });
  });

  it('answers 403201 beyond the allowed skew, either way, and not at it', () => {
    const at = (ms: number) => verifySignature(received({}, `${(now + ms) / 1000}`), options).kind;
    expect(at(300_000)).toBe('ok');
    expect(at(-300_000)).toBe('ok');
    expect(at(300_001)).toBe('skewed');
    expect(at(-300_001)).toBe('skewed');
  });

  it('reads no clock when the skew is 0', () => {
    expect(verifySignature(received({}, '5'), { ...options, skewMs: 0 }).kind).toBe('ok');
  });

  it('answers 403202 to a request that was served before', () => {
    const served = new Set<string>();
    const verify = (request: ReceivedRequest) => {
      const verdict = verifySignature(request, { ...options, seen: (key) => served.has(key) });
      if (verdict.kind === 'ok') served.add(verdict.replayKey);
      return verdict.kind;
    };
    expect(verify(received())).toBe('ok');
    expect(verify(received())).toBe('duplicate');
    expect(verify(received({}, '1760000000.6'))).toBe('ok');
  });

  it('never accepts a request that was changed anywhere', () => {
    const aPart = fc.constantFrom('method', 'path', 'query', 'body', 'timestamp', 'signature' as const);
    fc.assert(
      fc.property(aPart, fc.string({ minLength: 1, maxLength: 8 }), (part, more) => {
        const good = received();
        const original = String(good[part as keyof ReceivedRequest]);
        const changed = part === 'method' ? more : original + more;
        fc.pre(changed.trim() !== original && changed.toUpperCase() !== original);
        expect(verifySignature({ ...good, [part]: changed }, options).kind).not.toBe('ok');
      }),
    );
  });
});

describe('X-Timestamp', () => {
  it('is seconds, seconds with a fraction, or milliseconds from 13 digits on', () => {
    expect(readTimestamp('1760000000')).toBe(1_760_000_000_000);
    expect(readTimestamp('1760000000.123')).toBe(1_760_000_000_123);
    expect(readTimestamp('1760000000123')).toBe(1_760_000_000_123);
  });

  it('is nothing else', () => {
    for (const text of ['', '-1', '1e9', '1.', ' 1', '0x1', 'now', '1'.repeat(17)]) {
      expect(readTimestamp(text)).toBeUndefined();
    }
  });
});
