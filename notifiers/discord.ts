import { defineNotifier } from '@sluice-trading/sluice';
import { type HookContext, inUnits, textHooks, textWithin } from './shared/notice-text.ts';
import { post, secondsOf } from './shared/post.ts';

/** Discord accepts 2000 characters. */
const CHARS_MAX = 2_000;
/** Flag of a message without previews of its links. */
const SUPPRESS_EMBEDS = 4;

/**
 * Posts to a webhook of a Discord channel. The characters of its Markdown are escaped and mentions are off, so that a
 * message arrives literally.
 *
 * @see https://docs.discord.com/developers/resources/webhook#execute-webhook
 * @see https://docs.discord.com/developers/topics/rate-limits for `retry_after`
 */
export default defineNotifier({
  name: 'discord',
  doc: 'Posts messages to a Discord channel by a webhook',
  secrets: { url: 'Address of the webhook, https://discord.com/api/webhooks/...' },
  ...textHooks<HookContext>(async (text, { secrets, signal }) => {
    const shown = textWithin(text, CHARS_MAX, (each) => inUnits(escaped(each)));
    await post({
      service: 'Discord',
      url: secrets.url,
      body: JSON.stringify({
        content: escaped(shown),
        allowed_mentions: { parse: [] },
        flags: SUPPRESS_EMBEDS,
      }),
      signal,
      refusal: ({ status, text: body, fields: { message, retry_after } }) => {
        if (status === 204 || (status === 200 && body.startsWith('{'))) return undefined;
        return {
          why: typeof message === 'string' ? message : 'not an answer of the Discord API',
          retryAfter: status === 429 ? secondsOf(retry_after) : undefined,
        };
      },
    });
  }),
});

/** Escapes everything that Markdown may treat as formatting, also lists such as "- a" and "1. a". */
function escaped(text: string): string {
  return text.replaceAll(/[\\*_~`|<>#@[\]():-]/g, '\\$&').replaceAll(/^(\s*\d+)\./gm, '$1\\.');
}
