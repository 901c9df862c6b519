import { defineNotifier } from '@sluice-trading/sluice';
import { type HookContext, inUnits, textHooks, textWithin } from './shared/notice-text.ts';
import { post } from './shared/post.ts';

/** Slack recommends at most 4000 characters. */
const CHARS_MAX = 4_000;

/**
 * Posts to an incoming webhook of Slack. Formatting is off, and the three characters that stand for links and
 * mentions are escaped, so that a message arrives literally.
 *
 * @see https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks
 * @see https://docs.slack.dev/messaging/formatting-message-text for the escapes
 */
export default defineNotifier({
  name: 'slack',
  doc: 'Posts messages to a Slack channel by an incoming webhook',
  secrets: { url: 'Address of the incoming webhook, https://hooks.slack.com/services/...' },
  ...textHooks<HookContext>(async (text, { secrets, signal }) => {
    const shown = textWithin(text, CHARS_MAX, (each) => inUnits(escaped(each)));
    await post({
      service: 'Slack',
      url: secrets.url,
      body: JSON.stringify({ text: escaped(shown), mrkdwn: false, unfurl_links: false, unfurl_media: false }),
      signal,
      refusal: (answer) =>
        answer.status === 200 && answer.text.trim() === 'ok' ? undefined : { why: answer.text },
    });
  }),
});

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
