import { describe, expect, it } from 'vitest';
import { failure, success } from '#src/wire/envelope.ts';
import { eventually } from '../fixtures/eventually.ts';
import { answerOf } from '../fixtures/tasks.ts';
import { answerJson, CREDENTIALS } from './fake-venue.ts';
import { benchOn, INTENT, ORDER_ROW, TENCENT, TERMS } from './fixtures.ts';
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

describe('an order whose texts repeat a secret', () => {
  const SIGNATURE = 'c0ffee'.repeat(11).slice(0, 64);
  const json = (text: string): string => JSON.stringify(text).slice(1, -1);
  const byNumber = (text: string, which = /\W/g): string =>
    text.replaceAll(which, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`);

  it.each<[string, string]>([
    ['as JSON', json(TOKEN)],
    ['with slashes escaped', json(TOKEN).replaceAll('/', '\\/')],
    ['with signs by their numbers', byNumber(TOKEN)],
    ['with numbers in capitals', byNumber(TOKEN).replaceAll(/(?<=\\u)..../g, (each) => each.toUpperCase())],
    ['with each character by its number', byNumber(TOKEN, /./g)],
    ['as a signature', `Signature=${SIGNATURE}`],
    ['as a signature with an escape', `Signature\\u003d${SIGNATURE}`],
    ['as a signature after a control character', `\\b${SIGNATURE}`],
    ['as the beginning of a signature', `Signature=${SIGNATURE.slice(0, 20)}`],
  ])('is read without it (%s, I-20)', async (_, secret) => {
    const bench = benchOn(on.venue, { credentials: { ...CREDENTIALS, accessToken: TOKEN } });
    const order = JSON.stringify({ ...row('MSG'), ...ORDER_ROW }).replaceAll('MSG', `bad \\n ${secret} end`);
    const body = `{"code":0,"message":"success","data":{"has_more":false,"orders":[${order}]}}`;
    on.venue.on(TODAY, (_request, response) => answerJson(response, 200, body));
    const answer = await answerOf(bench.client.broker.ordersToday());
    await bench.client.close();
    expect(answer).toMatchObject({ kind: 'ok', value: [{ orderId: ORDER_ROW.order_id }] });
    const text = JSON.stringify(answer);
    expect(text).toContain('[redacted]');
    expect(text).toContain(' end');
    expect(text).not.toContain(SIGNATURE.slice(0, PARTS_MIN));
    expect(longestPart(text).length).toBeLessThan(PARTS_MIN);
  });

  it('keeps figures, ids and escapes in other texts', async () => {
    const bench = benchOn(on.venue, { credentials: { ...CREDENTIALS, accessToken: TOKEN } });
    const msg = String.raw`\u817e\u8baf \/ \\u003d \ud83d\ude00 \t signature: 123456789012`;
    const order = JSON.stringify({ ...row('MSG'), ...ORDER_ROW }).replaceAll('MSG', msg);
    const body = `{"code":0,"message":"success","data":{"has_more":false,"orders":[${order}]}}`;
    on.venue.on(TODAY, (_request, response) => answerJson(response, 200, body));
    const answer = await answerOf(bench.client.broker.ordersToday());
    await bench.client.close();
    const kept = JSON.parse(`"${msg}"`) as string;
    expect(answer).toMatchObject({ kind: 'ok', value: [{ orderId: ORDER_ROW.order_id, message: kept }] });
  });

  it('does not change a one-time password of the form of a signature', async () => {
    const bench = benchOn(on.venue);
    const sent: string[] = [];
    on.venue.on('/v1/socket/token', (_request, response) =>
      answerJson(response, 200, success({ otp: SIGNATURE, limit: 10, online: 0 })),
    );
    on.venue.onCommand('quote', 2, (frame, line) => {
      sent.push(Buffer.from(frame.body).toString());
      line.refuse(frame, { status: 5, code: 401003, msg: 'unauthenticated' });
    });
    await expect(bench.client.connect()).rejects.toThrow('refused the login');
    await bench.client.close();
    expect(sent.join()).toContain(SIGNATURE);
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
