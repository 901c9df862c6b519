import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalText, signRequest, timestampText, type UnsignedRequest } from '../../src/wire/signature.ts';
import { WireError } from '../../src/wire/wire-error.ts';

const credentials = {
  appKey: 'ak_paper_0001',
  appSecret: 'as_paper_secret_0001',
  accessToken: 'at_paper_token_0001',
};

const submitBody =
  '{"symbol":"700.HK","order_type":"LO","side":"Buy","submitted_quantity":"100",' +
  '"submitted_price":"412.4","time_in_force":"Day","remark":"demo"}';
const idBody = '{"order_id":"900100200300400500"}';
const nameBody = '{"id":"5001","name":"科技股"}';

/** Published with the protocol: request line, timestamp, body, digest of the canonical text, signature. */
const vectors: readonly (readonly [string, string, string, string, string])[] = [
  [
    'GET /v1/test',
    '1760000000',
    '',
    '13b853c247bede9103d54dfaac3b5a68af6691a0',
    '2fca95c11bd254f64b080cf03608af55d8358feb1e84ca5183c486b490df3ab4',
  ],
  [
    'GET /v1/asset/stock?symbol=700.HK&symbol=AAPL.US',
    '1760000000.123',
    '',
    '088b45917e73a5be9111ba08cc155ce16e164fd7',
    'fc6c4cf66d33ed27ff0599b6a5dc3961b1a70de2ad75dd861d2a6aff85d2de57',
  ],
  [
    'POST /v1/trade/order',
    '1760000001',
    submitBody,
    'f3380a24d4885de38ee73135b48a8faf384a4a8c',
    '39623276ef290f645007cc29343c562afc8d2c9d0f96f1378d8dce33c96e3a0c',
  ],
  [
    'DELETE /v1/trade/order?order_id=900100200300400500',
    '1760000002',
    '',
    '0da6799eb574de72238ce0cdf67d89342d8a25e8',
    '4c231abeda020bc95281121a33dc0520ee5da3dbfffa2df351c3a115c391a87f',
  ],
  [
    'DELETE /v1/trade/order',
    '1760000002',
    idBody,
    '51164e7ee6f42338aa45411245af5b793e48a20c',
    'fc0affbcbbedb24a0ea503ca840aad439f6f2ff3fc7287bd35d6dfa2cfb2c92d',
  ],
  [
    'POST /v1/trade/order/submit',
    '1760000003',
    idBody,
    'ff01c362a141b7353c582dccf6c53a8172ae4f43',
    '6eb3c7e04b7e88651f0bbb66eafbe64be12321c216a4131f5bcf535c21d11c1e',
  ],
  [
    'PUT /v1/watchlist/groups',
    '1760000004',
    nameBody,
    'b6451e104df3aad4779ac30010fbe722502242f6',
    '6ff4187c869e0148de793b54b065efd97809b0115c5aa8c7efb86cd543cb04f1',
  ],
  [
    'GET /v1/token/refresh?expired_at=2026-02-01T00%3A00%3A00Z',
    '1760000005',
    '',
    '72c0cd832142cd97233e2f82da9a74912386d48b',
    '1c88b0cc0974285164c5e964a143b8e8c8045810384b36fe0aa9b1763c8ebe24',
  ],
];

function requestOf(line: string, timestamp: string, body: string | Uint8Array): UnsignedRequest {
  const [method = '', target = ''] = line.split(' ');
  const [path = '', query = ''] = target.split('?');
  return { method, path, query, body, timestamp };
}

describe('signature of a request', () => {
  it.each(vectors)('%s at %s matches the published vector', (line, timestamp, body, digest, signature) => {
    const request = requestOf(line, timestamp, body);
    const text = canonicalText({ ...request, ...credentials });
    expect(createHash('sha1').update(text).digest('hex')).toBe(digest);
    expect(signRequest(request, credentials)).toEqual({
      'X-Api-Key': 'ak_paper_0001',
      Authorization: 'at_paper_token_0001',
      'X-Timestamp': timestamp,
      'X-Api-Signature': `HMAC-SHA256 SignedHeaders=authorization;x-api-key;x-timestamp, Signature=${signature}`,
    });
  });

  it('is the same for a body given as bytes', () => {
    const bytes = new TextEncoder().encode(nameBody);
    const asBytes = signRequest(requestOf('PUT /v1/watchlist/groups', '1760000004', bytes), credentials);
    const asText = signRequest(requestOf('PUT /v1/watchlist/groups', '1760000004', nameBody), credentials);
    expect(asBytes).toEqual(asText);
  });

  it('adds nothing for an empty body, in any form', () => {
    const none = canonicalText({ ...requestOf('GET /v1/test', '1', ''), ...credentials });
    const empty = canonicalText({ ...requestOf('GET /v1/test', '1', new Uint8Array()), ...credentials });
    expect(none).toBe(
      'GET|/v1/test||authorization:at_paper_token_0001\nx-api-key:ak_paper_0001\nx-timestamp:1\n|authorization;x-api-key;x-timestamp|',
    );
    expect(empty).toBe(none);
  });

  it('S-18: refuses a line break in any value that becomes a header', () => {
    const request = requestOf('GET /v1/test', '1760000000', '');
    for (const broken of ['a\nb', 'a\r\nx-api-key:z', '', 'with blank', 'ümlaut']) {
      expect(() => signRequest(request, { ...credentials, accessToken: broken })).toThrow(WireError);
      expect(() => signRequest(request, { ...credentials, appKey: broken })).toThrow(WireError);
      expect(() => signRequest({ ...request, timestamp: broken }, credentials)).toThrow(WireError);
    }
  });

  it('S-18: refuses a path that would read as another field of the canonical text', () => {
    for (const path of ['v1/test', '/v1/test?a=1', '/v1|x', '/v1 test', '']) {
      expect(() => signRequest({ ...requestOf('GET /', '1', ''), path }, credentials)).toThrow(WireError);
    }
  });

  it('never shows a secret in its errors', () => {
    try {
      signRequest(requestOf('GET /v1/test', '1', ''), { ...credentials, accessToken: 'canary\nvalue' });
      expect.unreachable();
    } catch (error) {
      expect(String(error)).not.toContain('canary');
    }
  });
});

describe('timestamp text', () => {
  it('has seconds and six decimals', () => {
    expect(timestampText(1_760_000_000_123_456)).toBe('1760000000.123456');
    expect(timestampText(1_760_000_000_000_007)).toBe('1760000000.000007');
  });

  it('I-18: rises whenever the instant rises', () => {
    const anInstant = fc.integer({ min: 0, max: 4_102_444_800_000_000 });
    fc.assert(
      fc.property(anInstant, fc.integer({ min: 1, max: 10 ** 9 }), (micros, step) => {
        const [before, after] = [timestampText(micros), timestampText(micros + step)];
        expect(before).not.toBe(after);
        expect(BigInt(after.replace('.', '')) - BigInt(before.replace('.', ''))).toBe(BigInt(step));
      }),
    );
  });

  it('refuses a value that is no whole number of microseconds', () => {
    for (const bad of [1.5, -1, Number.NaN, 2 ** 53]) expect(() => timestampText(bad)).toThrow(RangeError);
  });
});
