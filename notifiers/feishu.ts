import { createHmac } from 'node:crypto';
import { defineNotifier } from '@sluice-trading/sluice';
import { inBytes, type SignedHookContext, textHooks, textWithin } from './shared/notice-text.ts';
import { post } from './shared/post.ts';

/** A request may have 20 KB; the text may double in length as JSON. */
const BYTES_MAX = 8_000;
/** Code of the answer to too many messages: the limits are 5 a second and 100 a minute. */
const TOO_MANY = 11_232;

/**
 * Posts to a custom bot of Feishu or Lark, as rich text (`post`): its text elements are literal, while a message of
 * type `text` treats tags and links as formatting.
 *
 * @see https://open.feishu.cn/document/client-docs/bot-v3/add-custom-bot
 */
export default defineNotifier({
  name: 'feishu',
  doc: 'Posts messages to a Feishu (飞书) or Lark group by a custom bot',
  secrets: {
    url: 'Address of the custom bot, https://open.feishu.cn/open-apis/bot/v2/hook/...',
    key: { doc: 'Key of the signature (签名校验), if the bot requires one', optional: true },
  },
  ...textHooks<SignedHookContext>(async (text, { secrets: { url, key }, signal }) => {
    const lines = textWithin(text, BYTES_MAX, inBytes).split('\n');
    const content = lines.map((line) => [{ tag: 'text', text: line }]);
    await post({
      service: 'Feishu',
      url,
      body: JSON.stringify({
        ...(key === undefined ? {} : signatureOf(key)),
        msg_type: 'post',
        content: { post: { zh_cn: { content } } },
      }),
      signal,
      refusal: ({ fields: { code, StatusCode, msg } }) => {
        if (code === 0 || (code === undefined && StatusCode === 0)) return undefined;
        return {
          why: typeof msg === 'string' ? `code ${String(code)}, ${msg}` : 'not an answer of a custom bot',
          retryAfter: code === TOO_MANY ? 1 : undefined,
        };
      },
    });
  }),
});

/** The signature of an empty text under the time and the key, as the service requires it. */
function signatureOf(key: string): { readonly timestamp: string; readonly sign: string } {
  const timestamp = String(Math.floor(Date.now() / 1_000));
  return { timestamp, sign: createHmac('sha256', `${timestamp}\n${key}`).digest('base64') };
}
