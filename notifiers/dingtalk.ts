import { createHmac } from 'node:crypto';
import { defineNotifier } from '@sluice-trading/sluice';
import { inBytes, type SignedHookContext, textHooks, textWithin } from './shared/notice-text.ts';
import { post, refusalByCode } from './shared/post.ts';

/** Code of the answer to more than 20 messages a minute, and the seconds for which messages are refused then. */
const TOO_MANY = 130_101;
const REFUSED_S = 600;
/** A request may have 20,000 bytes; the text may double in length as JSON. */
const BYTES_MAX = 8_000;

/**
 * Posts to a custom robot of DingTalk as a message of type `text`, which has no formatting. After more than 20 messages
 * in a minute the robot refuses messages for 10 minutes.
 *
 * @see https://open.dingtalk.com/document/robots/custom-robot-access
 * @see https://open.dingtalk.com/document/robots/customize-robot-security-settings for the signature
 */
export default defineNotifier({
  name: 'dingtalk',
  doc: 'Posts messages to a DingTalk (钉钉) group by a custom robot',
  secrets: {
    url: 'Address of the custom robot, https://oapi.dingtalk.com/robot/send?access_token=...',
    key: { doc: 'Key of the signature (加签), SEC..., if the robot requires one', optional: true },
  },
  ...textHooks<SignedHookContext>(async (text, { secrets: { url, key }, signal }) => {
    await post({
      service: 'DingTalk',
      url: key === undefined ? url : signed(url, key),
      body: JSON.stringify({ msgtype: 'text', text: { content: textWithin(text, BYTES_MAX, inBytes) } }),
      signal,
      refusal: refusalByCode('custom robot', { tooMany: TOO_MANY, waitS: REFUSED_S }),
    });
  }),
});

/** Adds the time in milliseconds and its signature to the address. */
function signed(url: string, key: string): string {
  if (!URL.canParse(url)) return url;
  const address = new URL(url);
  const timestamp = String(Date.now());
  address.searchParams.set('timestamp', timestamp);
  address.searchParams.set('sign', createHmac('sha256', key).update(`${timestamp}\n${key}`).digest('base64'));
  return address.href;
}
