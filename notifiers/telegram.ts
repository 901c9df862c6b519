import { defineNotifier, param } from '@sluice-trading/sluice';
import { inUnits, type TextContext, textHooks, textWithin } from './shared/notice-text.ts';
import { post, secondsOf } from './shared/post.ts';

const API = 'https://api.telegram.org';
/** The API accepts 4096 characters. */
const CHARS_MAX = 4_096;

/**
 * Sends plain text with `sendMessage`, without a parse mode, so that special characters arrive literally.
 *
 * @see https://core.telegram.org/bots/api#sendmessage
 * @see https://core.telegram.org/bots/api#responseparameters for `retry_after`
 */
export default defineNotifier({
  name: 'telegram',
  doc: 'Sends messages to a Telegram chat, group or channel by a bot',
  params: {
    topic: param.int({
      min: 0,
      max: 2 ** 31 - 1,
      default: 0,
      doc: 'Topic of a forum (message_thread_id), 0 for none',
    }),
    silent: param.boolean({ default: false, doc: 'Whether messages arrive without a sound' }),
  },
  secrets: {
    token: 'Token of the bot, from @BotFather',
    chat: 'Id of the chat, such as 123456789 or -1001234567890, or @channel',
    url: {
      doc: `Address of another API server, such as a proxy of your own; by default ${API}`,
      optional: true,
    },
  },
  ...textHooks<Context>(async (text, { params, secrets, signal }) => {
    const { token, chat, url = API } = secrets;
    await post({
      service: 'Telegram',
      url: `${url.replace(/\/+$/, '')}/bot${token}/sendMessage`,
      token,
      body: JSON.stringify({
        chat_id: chat,
        text: textWithin(text, CHARS_MAX, inUnits),
        link_preview_options: { is_disabled: true },
        ...(params.topic === 0 ? {} : { message_thread_id: params.topic }),
        ...(params.silent ? { disable_notification: true } : {}),
      }),
      signal,
      refusal: ({ fields: { ok, description, parameters } }) => {
        if (ok === true) return undefined;
        if (typeof description !== 'string') return { why: 'not an answer of the Telegram API' };
        return { why: description, retryAfter: secondsOf(Object(parameters).retry_after) };
      },
    });
  }),
});

interface Context extends TextContext {
  readonly params: { readonly topic: number; readonly silent: boolean };
  readonly secrets: { readonly token: string; readonly chat: string; readonly url: string | undefined };
}
