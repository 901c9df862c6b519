import { createHmac, randomUUID } from 'node:crypto';
import { defineNotifier } from '@sluice-trading/sluice';
import { inUnits, type SignedHookContext, textHooks, textWithin } from './shared/notice-text.ts';
import { post } from './shared/post.ts';

const CHARS_MAX = 8_000;
/** Begins a key that is base64. */
const KEY_PREFIX = 'whsec_';

/**
 * Posts each notice as JSON to any address: `type`, `timestamp`, `bot`, `text` and `data`, the notice itself. Decimals
 * are texts, and times are ISO 8601 in UTC. With a key each request is signed by the Standard Webhooks specification;
 * a repeated request has the same `webhook-id`.
 *
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export default defineNotifier({
  name: 'webhook',
  doc: 'Posts JSON to any address',
  secrets: {
    url: 'Address that accepts the requests',
    key: { doc: `Key of the signature: a text, or base64 after "${KEY_PREFIX}"`, optional: true },
  },
  ...textHooks<SignedHookContext>(async (text, { bot, secrets: { url, key }, signal }, { type, data }) => {
    const timestamp = new Date();
    const message = textWithin(text, CHARS_MAX, inUnits);
    const body = JSON.stringify({ type, timestamp, bot, text: message, data }, withTimes);
    const id = `msg_${randomUUID()}`;
    const seconds = String(Math.floor(timestamp.getTime() / 1_000));
    const sign = (secret: string): string =>
      `v1,${createHmac('sha256', keyOf(secret)).update(`${id}.${seconds}.${body}`).digest('base64')}`;
    await post({
      service: 'The webhook',
      url,
      body,
      headers: {
        'webhook-id': id,
        'webhook-timestamp': seconds,
        ...(key === undefined ? {} : { 'webhook-signature': sign(key) }),
      },
      signal,
      refusal: ({ status }) => (status >= 200 && status < 300 ? undefined : { why: '' }),
    });
  }),
});

function keyOf(key: string): Buffer {
  return key.startsWith(KEY_PREFIX) ? Buffer.from(key.slice(KEY_PREFIX.length), 'base64') : Buffer.from(key);
}

/** Writes times, which are epoch milliseconds in notices, as ISO 8601. */
function withTimes(key: string, value: unknown): unknown {
  return key === 'at' && typeof value === 'number' ? new Date(value).toISOString() : value;
}
