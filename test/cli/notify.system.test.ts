import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { aChatServer, type ChatServer, json, text } from '../notifiers/chat-server.ts';
import { anOperator, eventually, type Operator, secretsOf, venueWithBot } from './a-bot-process.ts';
import type { Environment } from './run-sluice.ts';

const TOKEN = '7001002003:AAExampleExampleExampleExampleExample';
const OK = json({ ok: true, result: { message_id: 1 } });

let chat: ChatServer;
let operator: Operator;
let secrets: Environment = {};
beforeEach(async () => {
  chat = await aChatServer(OK);
  secrets = { SLUICE_TG_TOKEN: TOKEN, SLUICE_TG_CHAT: '-1001234567890', SLUICE_TG_URL: chat.origin };
  operator = anOperator(() => secrets);
});
afterEach(async () => {
  await operator.close();
  await chat.close();
});

const variable = (name: string): string => `"$\{${name}}"`;
const TELEGRAM = `{ use: telegram, secrets: { token: ${variable('SLUICE_TG_TOKEN')}, chat: ${variable('SLUICE_TG_CHAT')}, url: ${variable('SLUICE_TG_URL')} } }`;
const CONFIG = `strategy: sma-cross
symbols: [SPX.US]
period: 1d
params: { weight: 10% }
account: { currency: USD, cash: { USD: 100000 } }
data: { from: 2018-01-02, to: 2018-12-31 }
`;
const texts = (): readonly string[] => chat.posted.map(({ body }) => JSON.parse(body).text);

describe('sluice notify', () => {
  it('sends a test notice through each notifier, and names those that fail, without their secrets', async () => {
    mkdirSync(join(operator.project, 'notifiers'));
    writeFileSync(
      join(operator.project, 'notifiers/days.js'),
      `import { defineNotifier } from '@sluice-trading/sluice';\nexport default defineNotifier({ name: 'days', onDay: () => undefined });\n`,
    );
    const hook = `{ use: webhook, secrets: { url: ${variable('SLUICE_HOOK')} } }`;
    const unset = `{ use: slack, secrets: { url: ${variable('SLUICE_UNSET')} } }`;
    operator.write(
      'bot.yaml',
      `${CONFIG}notify: [${TELEGRAM}, ${TELEGRAM}, ${hook}, ${unset}, { use: days }]\n`,
    );
    secrets = { ...secrets, SLUICE_HOOK: `${chat.origin}/hooks/0123456789abcdef` };
    chat.reply = (response, attempt) => {
      if (attempt === 2) json({ ok: false, description: `Unauthorized: ${TOKEN}` }, 401)(response, attempt);
      // As many servers do, this one repeats the path of the request.
      else if (attempt === 3) text('Cannot POST /hooks/0123456789abcdef', 404)(response, attempt);
      else OK(response, attempt);
    };
    const { code, out, err } = await operator.sluice(['notify', 'bot.yaml']);
    expect(code).toBe(1);
    expect(out.split('\n')).toEqual([
      'telegram: arrived',
      'telegram (2): NOT SENT: Notifier "telegram (2)" failed: Telegram answered 401: Unauthorized: [redacted]',
      'webhook: NOT SENT: Notifier "webhook" failed: The webhook answered 404',
      'slack: NOT SENT: Cannot open notifier "slack": its secret "url" must be in SLUICE_UNSET, which is not set in the environment or .env',
      'days: NOT SENT: it has no "onAlarm", which a test notice needs',
      '',
    ]);
    expect(`${out}${err}`).not.toMatch(/AAExample|0123456789abcdef/);
    expect(texts()[0]).toBe(
      'Sluice bot (paper): ALARM test\nThis is a test. A notice of this bot arrives here.',
    );
    const checked = await operator.sluice(['check', 'bot.yaml']);
    expect(checked).toMatchObject({ code: 0 });
    expect(checked.out).toMatch(
      /Warning: SLUICE_UNSET, the secret "url" of notifier "slack", is not set[\s\S]*bot\.yaml:7:\d+ \(notify\[3\]\.secrets\.url\)/,
    );
    expect(checked.out).toContain('1 warning');
  });

  it('without notifiers in the config ends with 1 and points to the page about them', async () => {
    operator.write('bot.yaml', CONFIG);
    const { code, out } = await operator.sluice(['notify', 'bot.yaml', '--json']);
    expect([code, JSON.parse(out)]).toEqual([1, { config: 'bot.yaml', notifiers: [] }]);
  });
});

/** Buys 10 and sells them again, with a reason full of formatting, then keeps an order working. */
const STRATEGY = `import { defineStrategy } from '@sluice-trading/sluice';
let done = 0;
const decide = ({ symbol }, { orders, position, lastPrice }) => {
  const { quantity, openBuys, openSells } = position(symbol);
  if (openBuys > 0 || openSells > 0) return undefined;
  done += 1;
  if (done === 1) return { ...orders.buy(symbol, 10), reason: '<b>up</b> & *out* [x](http://y.z)' };
  if (quantity > 0) return { ...orders.sell(symbol, 10), reason: 'enough_of_it' };
  return orders.buy(symbol, 10, { type: 'LO', price: Math.floor(lastPrice(symbol) * 0.8) });
};
export default defineStrategy({ name: 'resting', params: {}, onQuote: decide, onFill: decide });
`;

describe('a bot on the embedded venue', () => {
  it('tells a chat of its start, fills with profit, a pause, a resume, a kill and its end, literally', async () => {
    const venue = await venueWithBot(operator, STRATEGY);
    appendFileSync(join(operator.project, 'bot.yaml'), `notify: [${TELEGRAM}]\n`);
    secrets = { ...secrets, ...secretsOf(venue) };
    const bot = operator.run(['bot.yaml', '--log-level', 'debug']);
    const heard = (): string => `${texts().join('\n---\n')}\n${bot.err()}`;
    const arrived = (words: string): Promise<void> =>
      eventually(() => texts().some((each) => each.includes(words)), words, heard);
    await arrived('Sluice bot (paper): started');
    await arrived('enough_of_it');
    const fills = texts()
      .filter((each) => each.includes('fill'))
      .join('\n');
    expect(fills).toMatch(
      /bought \d+ AAPL\.US at [\d.]+ USD, position 10: <b>up<\/b> & \*out\* \[x\]\(http:\/\/y\.z\)/,
    );
    expect(fills).toMatch(
      /sold \d+ AAPL\.US at [\d.]+ USD, position 0, profit before fees [+-]?[\d.]+ USD \([+-]?[\d.]+ %\): enough_of_it/,
    );
    for (const [words, ...command] of [
      ['gate is halted, was active', 'halt', '--reason', 'a <i>look</i>'],
      ['gate is active, was halted', 'resume', '--reason', 'looked_at_it'],
      ['gate is killed, was active', 'kill', '--reason', 'enough *now*'],
    ] as const) {
      await operator.sluice(command);
      await arrived(words);
    }
    bot.signal('SIGINT');
    await bot.ended;
    expect(texts().find((each) => each.includes('killed, was'))).toContain('enough *now*');
    expect(texts().at(-1)).toMatch(
      /^Sluice bot \(paper\): stopped, interrupted\ngate killed, no order open$/,
    );
    // The token is a part of the address of each request.
    expect(chat.posted[0]?.url.pathname).toBe(`/bot${TOKEN}/sendMessage`);
    expect(`${bot.out()}${bot.err()}`).not.toContain('AAExample');
  });

  it('whose chat fails keeps trading, and reports it once without the token', async () => {
    const venue = await venueWithBot(operator, STRATEGY);
    appendFileSync(join(operator.project, 'bot.yaml'), `notify: [${TELEGRAM}]\n`);
    secrets = { ...secrets, ...secretsOf(venue) };
    chat.reply = json({ ok: false, error_code: 401, description: `Unauthorized ${TOKEN}` }, 401);
    const bot = operator.run(['bot.yaml']);
    const heard = (): string => bot.err();
    await eventually(() => chat.posted.length >= 2, 'two refused notices', heard);
    await operator.sluice(['kill', '--reason', 'enough']);
    bot.signal('SIGINT');
    await bot.ended;
    const output = `${bot.out()}${bot.err()}`;
    expect(output.match(/ALARM notifier: Notifier "telegram" failed/g)).toHaveLength(1);
    expect(output).toContain('Unauthorized [redacted]');
    expect(output).not.toContain('AAExample');
  });
});
