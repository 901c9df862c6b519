import { describe, expect, it } from 'vitest';
import { failure, success } from '#src/wire/envelope.ts';
import { eventually } from '../fixtures/eventually.ts';
import { answerOf } from '../fixtures/tasks.ts';
import { answerJson, CREDENTIALS } from './fake-venue.ts';
import { benchOn, INTENT, TENCENT, TERMS } from './fixtures.ts';
import { onSockets } from './on-sockets.ts';

const ORDER = '/v1/trade/order';
const TODAY = '/v1/trade/order/today';

/** As long as tokens in earnest, which are longer than what texts are cut to. */
const TOKEN = `at-canary-${Array.from({ length: 40 }, (_, at) => `T${at}k-n${at * 7}`).join('/')}+=="`;
const PARTS_MIN = 12;

const on = onSockets();

/** The longest part of the token, as it is or encoded, that a text has. */
function longestPart(text: string): string {
  const forms = [TOKEN, JSON.stringify(TOKEN).slice(1, -1), encodeURIComponent(TOKEN)];
  forms.push(Buffer.from(TOKEN).toString('base64'));
  let longest = '';
  for (const form of forms)
    for (let from = 0; from < form.length; from += 1)
      while (
        text.includes(form.slice(from, from + longest.length + 1)) &&
        from + longest.length < form.length
      )
        longest = form.slice(from, from + longest.length + 1);
  return longest;
}

describe('a venue that repeats the access token', () => {
  const signature = (): string => String(on.venue.arrived.at(-1)?.headers['x-api-signature']);

  /** Reads the orders of the day and submits an order, both answered by a body; returns all that was found out. */
  async function found(body: (token: string) => unknown, status = 200): Promise<string> {
    const bench = benchOn(on.venue, { credentials: { ...CREDENTIALS, accessToken: TOKEN } });
    const forms = [TOKEN, encodeURIComponent(TOKEN), Buffer.from(TOKEN).toString('base64'), signature];
    let texts = '';
    for (const form of forms)
      for (const path of [ORDER, TODAY]) {
        const answer = () => body(typeof form === 'string' ? form : form());
        on.venue.on(path, (_request, response) => answerJson(response, status, answer()));
        const { broker } = bench.client;
        texts += JSON.stringify(
          path === ORDER
            ? await answerOf(broker.submit({ intentId: INTENT, terms: TERMS }))
            : await answerOf(broker.ordersToday()),
        );
        const sent = signature().split('Signature=')[1] ?? '';
        expect(sent.length).toBeGreaterThan(20);
        expect(texts).not.toContain(sent.slice(0, PARTS_MIN));
      }
    texts += JSON.stringify(bench.alarms);
    await bench.client.close();
    return texts;
  }

  it.each<[string, (token: string) => unknown, number]>([
    ['in a refusal', (token) => failure(602001, `bad ${token}`), 400],
    ['in a refusal, where its text is cut', (token) => failure(602001, `${'x'.repeat(170)}${token}`), 400],
    ['in a text that is no JSON', (token) => `bad ${token}`, 502],
    ['in a text that is no JSON, where it is cut', (token) => `${'x'.repeat(20)}${token}`, 502],
    ['as a key', (token) => `{"code":0,"data":{"${token}":1,"${token}":2}}`, 200],
    ['as the whole data', (token) => success(token as never), 200],
    ['in the place of orders', (token) => success({ has_more: false, orders: token }), 200],
    ['in the figures of an order', (token) => success({ has_more: false, orders: [row(token)] }), 200],
  ])('does not bring it into an answer or an alarm (%s, I-20)', async (_, body, status) => {
    expect(longestPart(await found(body, status)).length).toBeLessThan(PARTS_MIN);
  });
});

describe('a venue that repeats the access token on its sockets', () => {
  it.each([0, 170])(
    'does not bring it into an error or an alarm, wherever its text is cut (%i, I-20)',
    async (before) => {
      const bench = benchOn(on.venue, { credentials: { ...CREDENTIALS, accessToken: TOKEN } });
      on.venue.onCommand('quote', 6, (frame, line) =>
        line.refuse(frame, { status: 7, code: 301606, msg: `${'x'.repeat(before)}${TOKEN}` }),
      );
      await bench.client.connect();
      const errors: string[] = [];
      const heard = bench.client.feed
        .quotes([TENCENT])
        .subscribe({ error: (error) => errors.push(String(error)) });
      await eventually(() => bench.alarms.length > 0, 'the alarm');
      expect(JSON.stringify(bench.alarms)).toContain('xxx'.slice(0, before));
      heard.unsubscribe();
      await bench.client.close();
      expect(longestPart(JSON.stringify([errors, bench.alarms])).length).toBeLessThan(PARTS_MIN);
    },
  );
});

/** An order whose fields all have one text. */
function row(text: string): Readonly<Record<string, string>> {
  const names = [
    'order_id',
    'status',
    'stock_name',
    'symbol',
    'side',
    'quantity',
    'executed_quantity',
    'price',
  ];
  names.push('msg', 'remark', 'order_type', 'currency', 'time_in_force', 'submitted_at', 'tag');
  return Object.fromEntries(names.map((name) => [name, text]));
}
