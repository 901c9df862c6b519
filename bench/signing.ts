import { createHmac, hash } from 'node:crypto';
import { type Credentials, signRequest, type UnsignedRequest } from '../src/wire/signature.ts';
import { atMost, type Benchmark } from './benchmark.ts';
import { compare } from './compare.ts';

const SIGNATURES = { full: 50_000, smoke: 2_000 } as const;

const CREDENTIALS: Credentials = {
  appKey: 'k1234567890',
  appSecret: 'a'.repeat(64),
  accessToken: `m_${'b'.repeat(300)}`,
};

const BODY = JSON.stringify({
  symbol: '700.HK',
  order_type: 'LO',
  submitted_price: '388.2',
  submitted_quantity: '100',
  side: 'Buy',
  time_in_force: 'Day',
  remark: '',
});

const requestAt = (seconds: number): UnsignedRequest => ({
  method: 'POST',
  path: '/v1/trade/order',
  query: '',
  body: BODY,
  timestamp: String(seconds),
});

/** The two digests and the HMAC of one order, without anything else. */
function bareSignature(seconds: number): string {
  const { appKey, appSecret, accessToken } = CREDENTIALS;
  const headers = `authorization:${accessToken}\nx-api-key:${appKey}\nx-timestamp:${seconds}\n`;
  const signed = 'authorization;x-api-key;x-timestamp';
  const text = `POST|/v1/trade/order||${headers}|${signed}|${hash('sha1', BODY)}`;
  const signature = createHmac('sha256', appSecret)
    .update(`HMAC-SHA256|${hash('sha1', text)}`)
    .digest('hex');
  return `HMAC-SHA256 SignedHeaders=${signed}, Signature=${signature}`;
}

const FIRST_SECOND = 1_700_000_000;

/** Signing one order: `signRequest` compared with its three digests alone. */
export const signing: Benchmark = {
  name: 'signing',
  run(scale) {
    const count = SIGNATURES[scale];
    const repeat = (sign: (seconds: number) => unknown) => (): void => {
      for (let at = 0; at < count; at += 1) sign(FIRST_SECOND + at);
    };
    const { oursMs, yardstickMs, timeRatio } = compare(
      repeat((seconds) => signRequest(requestAt(seconds), CREDENTIALS)),
      repeat(bareSignature),
    );
    const ours = signRequest(requestAt(FIRST_SECOND), CREDENTIALS)['X-Api-Signature'];
    const bare = bareSignature(FIRST_SECOND);
    return [
      {
        id: 'signing',
        work: 'Signing one order request, in time of crypto.hash and createHmac alone',
        ours: (oursMs * 1e3) / count,
        yardstick: (yardstickMs * 1e3) / count,
        unit: 'us each',
        ratio: timeRatio,
        goal: atMost(1.1),
        gates: [{ what: 'equal signatures', holds: ours === bare, saw: ours.slice(-8) }],
        notes: ['One order body, a token of 302 characters, a new timestamp each time'],
      },
    ];
  },
};
