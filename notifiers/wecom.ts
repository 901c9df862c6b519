import { defineNotifier } from '@sluice-trading/sluice';
import { type HookContext, inBytes, textHooks, textWithin } from './shared/notice-text.ts';
import { post, refusalByCode } from './shared/post.ts';

/** Code of the answer to more than 20 messages a minute. */
const TOO_MANY = 45_009;
/** The text of a message may have 2048 bytes. */
const BYTES_MAX = 2_048;

/**
 * Posts to a group robot of WeCom as a message of type `text`, which has no formatting. The limit is 20 messages a
 * minute.
 *
 * @see https://developer.work.weixin.qq.com/document/path/91770
 */
export default defineNotifier({
  name: 'wecom',
  doc: 'Posts messages to a WeCom (企业微信) group by a group robot',
  secrets: { url: 'Address of the group robot, https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=...' },
  ...textHooks<HookContext>(async (text, { secrets, signal }) => {
    await post({
      service: 'WeCom',
      url: secrets.url,
      body: JSON.stringify({ msgtype: 'text', text: { content: textWithin(text, BYTES_MAX, inBytes) } }),
      signal,
      refusal: refusalByCode('group robot', { tooMany: TOO_MANY, waitS: 60 }),
    });
  }),
});
