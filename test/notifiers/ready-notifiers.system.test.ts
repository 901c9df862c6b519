import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createSystemClock } from '#src/app/clock/system-clock.ts';
import { packageRoot } from '#src/config/plugins/package-root.ts';
import { createNotifierHost } from '#src/hosts/notifier/notifier-thread.ts';
import { Decimal, decimal } from '#src/model/decimal.ts';
import type { FillNotice, Notice, NotifyingBot } from '#src/model/notice.ts';
import { redaction } from '#src/model/redaction.ts';
import { calendarDay, millis } from '#src/model/time.ts';
import { eventually } from '../fixtures/eventually.ts';
import { TENCENT } from '../fixtures/market.ts';
import { aChatServer, json, type Posted, type Reply, text } from './chat-server.ts';

const BOT: NotifyingBot = {
  ...{ name: 'a_b', config: 'config/a_b.yaml', strategy: 'dips', mode: 'paper', currency: 'HKD' },
};
/** Everything that Markdown, HTML, links and mentions are made of. */
const REASON = '<b>*up* & _out_</b> `x` ~~y~~ ||z|| [a](http://b.c) <!here> @everyone #1 \\ "q" 涨停';
const ALARM: Notice = {
  kind: 'alarm',
  notice: { code: 'test', message: REASON, at: millis(0), facts: {} },
};

interface Service {
  readonly name: string;
  readonly accepts: Reply;
  /** Its secrets, by the address of the server. */
  readonly secrets: (origin: string) => Readonly<Record<string, string>>;
  /** The literal text of a message, as the service would show it. */
  readonly shown: (body: Readonly<Record<string, unknown>>) => unknown;
}

const TOKEN = '7001002003:AAExampleExampleExampleExampleExample';
const hook = (path: string) => (origin: string) => ({ url: `${origin}${path}` });
const SERVICES: readonly Service[] = [
  {
    name: 'telegram',
    accepts: json({ ok: true, result: { message_id: 1 } }),
    secrets: (url) => ({ token: TOKEN, chat: '-1001234567890', url }),
    shown: (body) => ('parse_mode' in body ? undefined : body['text']),
  },
  {
    name: 'webhook',
    accepts: text('', 202),
    secrets: hook('/hooks/0123456789abcdef'),
    shown: (body) => body['text'],
  },
  {
    name: 'slack',
    accepts: text('ok'),
    secrets: hook('/services/T00000000/B00000000/aWebhookTokenOf24Letters'),
    shown: ({ text: sent, mrkdwn }) =>
      mrkdwn === false && typeof sent === 'string' && !/[<>]|&(?!amp;|lt;|gt;)/.test(sent)
        ? sent.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
        : undefined,
  },
  {
    name: 'discord',
    accepts: text('', 204),
    secrets: hook('/api/webhooks/223704706495545344/3d89bb7572e0fb30d8128367b3b1b44fecd1726de135cbe2'),
    shown: ({ content, allowed_mentions }) => {
      // A mark that no backslash precedes is formatting.
      const bare = String(content).replaceAll(/\\./g, '');
      const mentions = JSON.stringify(allowed_mentions);
      if (/[\\*_~`|<>#@[\]]/.test(bare) || mentions !== '{"parse":[]}') return undefined;
      return String(content).replaceAll(/\\(.)/g, '$1');
    },
  },
  {
    name: 'feishu',
    accepts: json({ code: 0, data: {}, msg: 'success' }),
    secrets: hook('/open-apis/bot/v2/hook/01234567-89ab-cdef-0123-456789abcdef'),
    shown: ({ msg_type, content }) => {
      const { post } = content as { post: { zh_cn: { content: { tag: string; text: string }[][] } } };
      const lines = post.zh_cn.content;
      const isLiteral = msg_type === 'post' && lines.flat().every(({ tag }) => tag === 'text');
      return isLiteral ? lines.map((line) => line.map((part) => part.text).join('')).join('\n') : undefined;
    },
  },
  {
    name: 'dingtalk',
    accepts: json({ errcode: 0, errmsg: 'ok' }),
    secrets: hook('/robot/send?access_token=0123456789abcdef0123456789abcdef'),
    shown: (body) => (body['msgtype'] === 'text' ? Object(body['text']).content : undefined),
  },
  {
    name: 'wecom',
    accepts: json({ errcode: 0, errmsg: 'ok' }),
    secrets: hook('/cgi-bin/webhook/send?key=693a91f6-7xxx-4bc4-97a0-0ec2sifa5aaa'),
    shown: (body) => (body['msgtype'] === 'text' ? Object(body['text']).content : undefined),
  },
];

const named = (name: string): Service => {
  const service = SERVICES.find((each) => each.name === name);
  if (service === undefined) throw new Error(`No service "${name}"`);
  return service;
};

/** Delivers notices by the shipped notifier, to a server that replies so; returns the messages of the user. */
async function deliver(
  service: Service,
  reply: Reply,
  notices: readonly Notice[],
  given: {
    /** Number of requests to wait for before the host is closed. */
    readonly requests?: number;
    readonly secrets?: Readonly<Record<string, string>>;
  } = {},
): Promise<{ readonly posted: readonly Posted[]; readonly news: readonly string[] }> {
  const chat = await aChatServer(reply);
  const secrets = { ...service.secrets(chat.origin), ...given.secrets };
  const redact = redaction(Object.values(secrets));
  const news: string[] = [];
  const host = createNotifierHost({
    notifier: {
      ...{ name: service.name, file: join(packageRoot(), `notifiers/${service.name}.ts`) },
      ...{ params: { topic: 0, silent: false }, secrets, bot: BOT },
    },
    clock: createSystemClock(),
    redact,
    onStateChange: (message) => news.push(message),
    // A busy machine may take long to start a process.
    limits: { startMsMax: 60_000 },
  });
  for (const notice of notices) host.deliver(notice);
  const { requests = 0 } = given;
  try {
    await eventually(() => chat.posted.length + news.length > 0);
    await eventually(() => chat.posted.length >= requests);
  } finally {
    await host.close();
    await chat.close();
  }
  // No address, no token and no key in the messages of the user, before redaction as well as after it.
  for (const message of news) expect(message).toBe(redact(message));
  return { posted: chat.posted, news };
}

const bodyOf = ({ body }: Posted): Readonly<Record<string, unknown>> => JSON.parse(body);

describe('a shipped notifier', () => {
  it.each(SERVICES)(
    'sends text that $name shows literally, again after a fault of the server, and continues after an answer that is not one of $name',
    async (service) => {
      const answers = [
        text('<html>Internal error</html>', 500),
        service.accepts,
        text('<html>Log in</html>'),
      ];
      const reply: Reply = (response, attempt) =>
        (answers[attempt - 1] ?? service.accepts)(response, attempt);
      const { posted, news } = await deliver(service, reply, [ALARM, ALARM, ALARM], { requests: 4 });
      const shown = `Sluice a_b (paper): ALARM test\n${REASON}`;
      expect(posted.map((each) => service.shown(bodyOf(each)))).toEqual(Array(4).fill(shown));
      expect(posted[1]?.body).toBe(posted[0]?.body);
      const { url } = posted[0] as Posted;
      const { url: address = '', token = '' } = service.secrets(url.origin);
      expect(url.href).toBe(service.name === 'telegram' ? `${address}/bot${token}/sendMessage` : address);
      // A webhook reads no answers.
      const failed = [
        expect.stringMatching(new RegExp(`^Notifier "${service.name}" failed: \\w+ answered 200: `)),
        `Notifier "${service.name}" carries notices again`,
      ];
      expect(news).toEqual(service.name === 'webhook' ? [] : failed);
    },
  );
});

describe('a service that limits messages', () => {
  const telegram = named('telegram');
  const limited = (seconds: number): Reply =>
    json(
      {
        ...{ ok: false, error_code: 429, description: `Too Many Requests: retry after ${seconds}` },
        parameters: { retry_after: seconds },
      },
      429,
    );

  it('receives the message after the wait that it requests', async () => {
    const began = performance.now();
    const reply: Reply = (response, attempt) => {
      (attempt === 1 ? limited(1) : telegram.accepts)(response, attempt);
    };
    const { posted, news } = await deliver(telegram, reply, [ALARM]);
    expect([posted.length, news]).toEqual([2, []]);
    expect(performance.now() - began).toBeGreaterThan(1_000);
  });

  it.each(['1', new Date(Date.now() + 7_200_000).toUTCString()])(
    'by the header Retry-After: %s',
    async (retryAfter) => {
      const slack = named('slack');
      const reply: Reply = (response, attempt) => {
        if (attempt === 1) text('rate_limited', 429, { 'retry-after': retryAfter })(response, attempt);
        else slack.accepts(response, attempt);
      };
      const { posted, news } = await deliver(slack, reply, [ALARM]);
      if (retryAfter === '1') expect([posted.length, news]).toEqual([2, []]);
      else
        expect(news).toEqual([
          expect.stringMatching(/Slack answered 429: rate_limited; it accepts messages again in \d{4} s/),
        ]);
    },
  );

  // These wait for twelve seconds, so they do it at the same time.
  it.concurrent.each(['0', '-5', 'Wed, 21 Oct 2015 07:28:00 GMT'])(
    'and requests a wait that is over (Retry-After: %s) receives a message once a second, three times',
    async (retryAfter) => {
      const began = performance.now();
      const times: number[] = [];
      const reply: Reply = (response, attempt) => {
        times.push(performance.now() - began);
        text('rate_limited', 429, { 'retry-after': retryAfter })(response, attempt);
      };
      const { posted, news } = await deliver(named('slack'), reply, [ALARM], { requests: 3 });
      expect(times[2]).toBeGreaterThan(2_000);
      // The host sends the notice again while the bot ends, at the same pace.
      expect(posted.length).toBeLessThan(20);
      expect(news[0]).toContain('Slack answered 429: rate_limited; it accepts messages again in 1 s');
    },
    60_000,
  );

  it.concurrent('for longer than a notice may take receives it after that time, before later ones', async () => {
    const reply: Reply = (response, attempt) => {
      (attempt === 1 ? limited(12) : telegram.accepts)(response, attempt);
    };
    const later: Notice = { ...ALARM, notice: { ...ALARM.notice, message: 'later' } } as Notice;
    const began = performance.now();
    const { posted, news } = await deliver(telegram, reply, [ALARM, later], { requests: 3 });
    expect(performance.now() - began).toBeGreaterThan(12_000);
    expect(posted.map((each) => String(bodyOf(each)['text']).split('\n')[1])).toEqual([
      REASON,
      REASON,
      'later',
    ]);
    expect(news).toEqual([
      expect.stringContaining('; it accepts messages again in 12 s'),
      'Notifier "telegram" carries notices again',
    ]);
  });

  it.each([
    ['wecom', json({ errcode: 45_009, errmsg: 'api freq out of limit' }), 60],
    ['dingtalk', json({ errcode: 130_101, errmsg: 'send too fast, exceed 20 times per minute' }), 600],
  ])('by a code of %s, with its time', async (name, reply, seconds) => {
    const { posted, news } = await deliver(named(name), reply, [ALARM]);
    expect(posted).toHaveLength(1);
    expect(news).toEqual([expect.stringContaining(`; it accepts messages again in ${seconds} s`)]);
  });

  it('does not delay the end of a bot', async () => {
    const { posted, news } = await deliver(telegram, limited(60), [ALARM]);
    expect(posted).toHaveLength(1);
    expect(news).toEqual([
      expect.stringContaining(
        'failed: Telegram answered 429: Too Many Requests: retry after 60; it accepts messages again in 60 s',
      ),
    ]);
  });
});

describe('a service that fails', () => {
  it('for good is named with its reason, and neither address nor token', async () => {
    const telegram = named('telegram');
    const refused = json({ ok: false, error_code: 400, description: 'Bad Request: chat not found' }, 400);
    const { news } = await deliver(telegram, refused, [ALARM, ALARM]);
    expect(news).toEqual([
      expect.stringMatching(
        /^Notifier "telegram" failed: Telegram answered 400: Bad Request: chat not found/,
      ),
    ]);
  });

  it.each([
    ['slack', '/services/T00000000/B00000000/aWebhookTokenOf24Letters', (page: string) => text(page, 404)],
    ['telegram', TOKEN, (page: string) => json({ ok: false, description: page }, 404)],
    [
      'dingtalk',
      '/robot/send?access_token=0123456789abcdef0123456789abcdef',
      (page: string) => json({ errcode: 404, errmsg: page }),
    ],
  ])(
    'and repeats the secret of %s where the text is cut shows no part of it (I-20)',
    async (name, secret, reply) => {
      const service = named(name);
      const pages = [140, 160, 180].map(
        (before) => `${'Not found. '.repeat(20).slice(0, before)} ${secret}</pre></body></html>`,
      );
      // Each failure is reported, as a notice is accepted after it.
      const answers = pages.flatMap((page) => [reply(page), service.accepts]);
      const { news } = await deliver(
        service,
        (response, attempt) => answers[attempt - 1]?.(response, attempt),
        answers.map(() => ALARM),
        { requests: answers.length },
      );
      const again = `Notifier "${name}" carries notices again`;
      expect(news).toEqual(pages.flatMap(() => [expect.stringContaining('Not found.'), again]));
      const end = secret.slice(-24);
      for (let at = 0; at + 6 <= 24; at += 1) expect(news.join('\n')).not.toContain(end.slice(at, at + 6));
    },
  );

  it('on every attempt receives three, within the time of a notice', async () => {
    const wecom = named('wecom');
    const { posted, news } = await deliver(wecom, text('', 503), [ALARM]);
    expect(posted).toHaveLength(3);
    expect(news).toEqual([expect.stringContaining('WeCom answered 503: not an answer of a group robot')]);
  });

  it('never answers: the notice is given up after its time', async () => {
    const { news } = await deliver(named('slack'), () => undefined, [ALARM]);
    expect(news).toEqual([expect.stringContaining('failed: Slack did not answer in time')]);
  }, 60_000);

  it('sends without end: the beginning is read, and the process lives on', async () => {
    const endless: Reply = (response) => {
      response.writeHead(200);
      const more = (): void => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
      };
      response.on('drain', more);
      more();
    };
    const { news } = await deliver(named('feishu'), endless, [ALARM]);
    expect(news).toEqual([expect.stringContaining('Feishu answered 200: not an answer of a custom bot')]);
  });

  it('redirects: the message is not sent elsewhere', async () => {
    const away = text('', 302, { location: 'http://127.0.0.1:1/elsewhere' });
    const { news } = await deliver(named('webhook'), away, [ALARM]);
    expect(news).toEqual([expect.stringContaining('The webhook answered 302')]);
  });

  it.each([
    [
      'cannot be reached',
      'http://127.0.0.1:CLOSED/hooks/0123456789abcdef',
      'could not be reached (ECONNREFUSED)',
    ],
    [
      'has no address',
      'hooks.example.com/hooks/0123456789abcdef',
      'has no address that begins with https:// or http://',
    ],
    [
      'has a broken address',
      'https://[hooks/0123456789abcdef',
      'has no address that begins with https:// or http://',
    ],
    [
      'has an address with a password',
      'https://user:pw123456@hooks.example.com/hooks/0123456789abcdef',
      'has an address with a user name or password, which is not supported: remove them',
    ],
  ])('%s', async (_case, url, words) => {
    const closed = await aChatServer(text(''));
    await closed.close();
    const secrets = { url: url.replace('CLOSED', new URL(closed.origin).port) };
    const { news } = await deliver(named('webhook'), text(''), [ALARM], { secrets });
    expect(news).toEqual([expect.stringContaining(`failed: The webhook ${words}`)]);
  });
});

/** HMAC-SHA256 of another implementation than the one under test. */
async function hmac(key: string | Uint8Array<ArrayBuffer>, signed: string): Promise<string> {
  const bytes = typeof key === 'string' ? new TextEncoder().encode(key) : key;
  const usage = { name: 'HMAC', hash: 'SHA-256' };
  const imported = await crypto.subtle.importKey('raw', bytes, usage, false, ['sign']);
  const signature = await crypto.subtle.sign('HMAC', imported, new TextEncoder().encode(signed));
  return Buffer.from(signature).toString('base64');
}

describe('a signed message', () => {
  it('for DingTalk has time and signature in its address', async () => {
    const dingtalk = named('dingtalk');
    const secrets = { key: 'SEC0123456789abcdef' };
    const { posted, news } = await deliver(dingtalk, dingtalk.accepts, [ALARM], { secrets });
    const { searchParams } = (posted[0] as Posted).url;
    const timestamp = searchParams.get('timestamp') ?? '';
    expect(Math.abs(Number(timestamp) - Date.now())).toBeLessThan(60_000);
    expect(searchParams.get('sign')).toBe(await hmac(secrets.key, `${timestamp}\n${secrets.key}`));
    expect(searchParams.get('access_token')).toBe('0123456789abcdef0123456789abcdef');
    expect(news).toEqual([]);
  });

  it('for Feishu has time and signature in its body', async () => {
    const feishu = named('feishu');
    const { posted } = await deliver(feishu, feishu.accepts, [ALARM], { secrets: { key: 'Zg0123456789' } });
    const { timestamp, sign } = bodyOf(posted[0] as Posted);
    expect(Math.abs(Number(timestamp) * 1_000 - Date.now())).toBeLessThan(60_000);
    expect(sign).toBe(await hmac(`${timestamp}\nZg0123456789`, ''));
  });

  it.each([
    ['a text', 'plain key 1'],
    ['base64', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
  ])('of the webhook is verified by Standard Webhooks, with %s as its key', async (_kind, key) => {
    const webhook = named('webhook');
    const { posted } = await deliver(webhook, webhook.accepts, [ALARM], { secrets: { key } });
    const { headers, body } = posted[0] as Posted;
    const bytes = key.startsWith('whsec_') ? new Uint8Array(Buffer.from(key.slice(6), 'base64')) : key;
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
    expect(headers['webhook-signature']).toBe(`v1,${await hmac(bytes, signed)}`);
  });
});

const fill = (number: number): FillNotice => ({
  ...{ at: millis(0), symbol: TENCENT, side: 'sell', currency: 'HKD', reason: `number ${number}` },
  ...{ orderId: `${number}` as FillNotice['orderId'], intentId: `I${number}` as FillNotice['intentId'] },
  ...{ quantity: decimal('100') as FillNotice['quantity'], price: decimal('412.4') as FillNotice['price'] },
  ...{ position: decimal('0') as FillNotice['position'], closed: decimal('100') as FillNotice['closed'] },
  ...{ profit: new Decimal('980'), profitShare: 0.0243 },
});

describe('the text of a notice', () => {
  it('of many fills has as many as the service accepts, and counts the others', async () => {
    const fills = Array.from({ length: 100 }, (_each, at) => fill(at));
    const wecom = named('wecom');
    const { posted, news } = await deliver(wecom, wecom.accepts, [
      { kind: 'fills', notice: { fills, more: 7 } },
    ]);
    expect(news).toEqual([]);
    const shown = String(wecom.shown(bodyOf(posted[0] as Posted)));
    const lines = shown.split('\n');
    expect(lines[0]).toBe('Sluice a_b (paper): 107 fills');
    expect(lines[1]).toBe(
      'sold 100 700.HK at 412.4 HKD, position 0, profit before fees +980.00 HKD (+2.4 %): number 0',
    );
    expect(lines.at(-1)).toBe(`and ${107 - (lines.length - 2)} more`);
    expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(2_048);
    expect(Buffer.byteLength(shown)).toBeGreaterThan(1_900);
  });

  it('that is too long for the service is cut between characters', async () => {
    const long: Notice = { ...ALARM, notice: { ...ALARM.notice, message: '💥涨'.repeat(2_000) } } as Notice;
    for (const [name, most] of [
      ['wecom', 2_048],
      ['discord', 2_000],
      ['telegram', 4_096],
    ] as const) {
      const service = named(name);
      const { posted } = await deliver(service, service.accepts, [long]);
      const shown = String(service.shown(bodyOf(posted[0] as Posted)));
      expect(shown).toMatch(/(?:💥|涨)\.\.\.$/u);
      expect(name === 'wecom' ? Buffer.byteLength(shown) : shown.length).toBeLessThanOrEqual(most);
    }
  });

  it('of every kind reaches a chat', async () => {
    const wecom = named('wecom');
    const at = millis(0);
    const { posted, news } = await deliver(wecom, wecom.accepts, [
      { kind: 'start', notice: { at, symbols: [TENCENT], equity: decimal('1000000'), gate: 'active' } },
      { kind: 'fills', notice: { fills: [fill(1)], more: 0 } },
      {
        kind: 'denials',
        notice: {
          denials: [{ at, rule: 'max-order', symbol: TENCENT, reason: 'worth too much', count: 3 }],
          more: 0,
        },
      },
      {
        kind: 'gate',
        notice: { at, before: 'active', state: 'killed', by: 'operator', rule: 'kill', reason: 'enough' },
      },
      {
        kind: 'day',
        notice: {
          ...{ day: calendarDay('2024-03-08'), from: calendarDay('2024-03-05'), at, strategy: 'dips' },
          ...{ currency: 'HKD', equity: decimal('1000000'), fills: 7, orders: 9, denied: 0, gate: 'active' },
        },
      },
      { kind: 'stop', notice: { at, reason: 'failed', message: 'No disk', openOrders: 2, gate: 'killed' } },
    ]);
    expect(news).toEqual([]);
    expect(
      posted.map((each) => String(wecom.shown(bodyOf(each))).replace('Sluice a_b (paper): ', '')),
    ).toEqual([
      'started\nequity 1000000.00, gate active, trades 700.HK',
      '1 fill\nsold 100 700.HK at 412.4 HKD, position 0, profit before fees +980.00 HKD (+2.4 %): number 1',
      '3 orders denied\n700.HK by max-order, 3 times: worth too much',
      'gate is killed, was active\nkill by operator: enough',
      'days 2024-03-05 to 2024-03-08\nequity 1000000.00 HKD, 7 fills, 9 orders, 0 denied, gate active',
      'stopped, failed\nNo disk\ngate killed, 2 orders open',
    ]);
  });
});
