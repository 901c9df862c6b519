import { firstValueFrom, type Subscription } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { BrokerErrorCode } from '#src/broker/broker-error.ts';
import { decimal } from '#src/model/decimal.ts';
import { orderId } from '#src/model/order.ts';
import type { Quote } from '#src/model/quote.ts';
import { millis } from '#src/model/time.ts';
import type { OrderHint } from '#src/ports/broker.ts';
import type { FeedState } from '#src/ports/quote-feed.ts';
import { failure, success } from '#src/wire/envelope.ts';
import { Close_Code } from '#src/wire/gen/control_pb.ts';
import {
  PushQuoteSchema,
  SubscribeRequestSchema,
  UserQuoteProfileResponseSchema,
} from '#src/wire/gen/quote_pb.ts';
import { NotificationSchema, SubResponseSchema } from '#src/wire/gen/trade_pb.ts';
import { notificationOf, writeOrderEvent } from '#src/wire/mapper/order-event.ts';
import { writePushQuote } from '#src/wire/mapper/quote.ts';
import { decodeMessage, encodeMessage } from '#src/wire/message.ts';
import { DEFAULT_PROFILE } from '#src/wire/profiles.ts';
import { makeTag } from '#src/wire/tag.ts';
import { answerJson, CREDENTIALS, type FakeVenue, startFakeVenue } from './fake-venue.ts';
import { APPLE, type Bench, benchOn, DEPLOYMENT, INTENT, TENCENT, TERMS } from './fixtures.ts';
import { until } from './hand-clock.ts';

let venue: FakeVenue;
let bench: Bench;
const open: Subscription[] = [];

beforeEach(async () => {
  venue = await startFakeVenue();
  bench = benchOn(venue);
});

afterEach(async () => {
  for (const each of open.splice(0)) each.unsubscribe();
  await bench.client.close();
  expect(bench.clock.pending()).toBe(0);
  await venue.close();
});

const AT = millis(1_700_000_000_000);

function quoteOf(more: Partial<Quote> = {}): Quote {
  return {
    symbol: TENCENT,
    time: AT,
    last: decimal('412.4'),
    dayOpen: decimal('410'),
    dayHigh: decimal('413'),
    dayLow: decimal('409'),
    dayVolume: decimal('1000'),
    volume: decimal('100'),
    status: 'normal',
    session: 'regular',
    ...more,
  };
}

function pushOf(quote: Quote, sequence = 0): Uint8Array {
  const facts = { sequence: BigInt(sequence), turnover: decimal('1'), currentTurnover: decimal('1') };
  return encodeMessage(PushQuoteSchema, writePushQuote(quote, facts));
}

function hearQuotes(symbols = [TENCENT]): { readonly heard: Quote[]; readonly errors: unknown[] } {
  const heard: Quote[] = [];
  const errors: unknown[] = [];
  open.push(
    bench.client.feed
      .quotes(symbols)
      .subscribe({ next: (quote) => heard.push(quote), error: (e) => errors.push(e) }),
  );
  return { heard, errors };
}

function hearStates(): FeedState[] {
  const states: FeedState[] = [];
  open.push(bench.client.feed.state$.subscribe((state) => states.push(state)));
  return states;
}

const subscribesSeen = () =>
  venue.lines.flatMap((line) =>
    line.requests
      .filter((frame) => line.name === 'quote' && frame.command === 6)
      .map((frame) => decodeMessage(SubscribeRequestSchema, frame.body).symbol),
  );

describe('connecting', () => {
  it('makes a test call, spends one password a socket, and subscribes order changes', async () => {
    await bench.client.connect();
    expect(venue.of('/v1/test')).toHaveLength(1);
    expect(venue.passwordsUsed).toHaveLength(2);
    expect(new Set(venue.passwordsUsed).size).toBe(2);
    expect(venue.line('trade').requests.map((frame) => frame.command)).toEqual([2, 16]);
    expect(venue.line('quote').requests.map((frame) => frame.command)).toEqual([2]);
  });

  it('tells which quote packages are opened', async () => {
    const told: unknown[] = [];
    const curious = benchOn(venue, { onQuotePackages: (packages) => told.push(packages) });
    venue.onCommand('quote', 4, (frame, line) => {
      const byMarketCode = {
        US: { packages: [], warningMsg: 'no access to the US market' },
        HK: { packages: [{ key: 'lv2', name: 'HK LV2 Real-time Quotes' }], warningMsg: '' },
      };
      line.answer(
        frame,
        encodeMessage(UserQuoteProfileResponseSchema, { quoteLevelDetail: { byMarketCode } }),
      );
    });
    await curious.client.connect();
    expect(told).toEqual([
      [
        { market: 'HK', packages: ['HK LV2 Real-time Quotes'], warning: '' },
        { market: 'US', packages: [], warning: 'no access to the US market' },
      ],
    ]);
    await curious.client.close();
  });

  it.each<[string, BrokerErrorCode, (venue: FakeVenue) => void]>([
    [
      'the token has expired',
      'refused',
      (it) => it.on('/v1/test', (_q, r) => answerJson(r, 401, failure(401003, 'token expired'))),
    ],
    ['a login page answers', 'no-answer', (it) => it.on('/v1/test', (_q, r) => answerJson(r, 200, '<html>'))],
    [
      'no password is given out',
      'refused',
      (it) => it.on('/v1/socket/token', (_q, r) => answerJson(r, 403, failure(403205, 'ip is not allowed'))),
    ],
    [
      'the password is refused',
      'socket-refused',
      (it) => {
        it.acceptsPasswords = false;
      },
    ],
    [
      'the topic is refused',
      'socket-refused',
      (it) =>
        it.onCommand('trade', 16, (frame, line) =>
          line.answer(
            frame,
            encodeMessage(SubResponseSchema, { fail: [{ topic: 'private', reason: 'no' }] }),
          ),
        ),
    ],
  ])('rejects when %s, with code %s and no secret', async (_what, code, spoil) => {
    spoil(venue);
    const error: unknown = await bench.client.connect().catch((reason: unknown) => reason);
    expect(error).toMatchObject({ name: 'BrokerError', code });
    const said = `${String(error)} ${JSON.stringify(bench.alarms)}`;
    for (const secret of Object.values(CREDENTIALS)) expect(said).not.toContain(secret);
    expect(said).not.toContain('canary');
  });

  it('rejects when the socket never answers the password', async () => {
    venue.onCommand('trade', 2, () => undefined);
    venue.onCommand('quote', 2, () => undefined);
    const failed = bench.client.connect().catch((reason: unknown) => reason);
    await until(() => venue.lines.length === 2 && venue.lines.every((line) => line.requests.length === 1));
    bench.clock.advance(10_000);
    expect(await failed).toMatchObject({ code: 'socket-timeout' });
  });

  it('S-01: sends credentials in plain text to this machine only', () => {
    expect(() => benchOn(venue, { httpUrl: 'http://venue.example' })).toThrow(/unencrypted/);
    expect(() => benchOn(venue, { quoteWsUrl: 'ws://venue.example' })).toThrow(/unencrypted/);
    expect(() => benchOn(venue, { httpUrl: 'https://user:pw@venue.example' })).toThrow(/without user/);
  });
});

describe('quotes', () => {
  it('come one for one frame, split, merged, packed or plain', async () => {
    await bench.client.connect();
    const { heard } = hearQuotes();
    const states = hearStates();
    await until(() => states.at(-1) === 'live');
    for (let i = 1; i <= 5; i += 1)
      venue.line('quote').push(101, pushOf(quoteOf(), i), i === 3 ? 1 : undefined);
    await until(() => heard.length === 5);
    expect(heard[0]).toEqual(quoteOf());
  });

  it('F-N19: are independent of how TCP cuts the bytes', async () => {
    await bench.client.connect();
    const { heard } = hearQuotes();
    await until(() => subscribesSeen().length === 1);
    const { socket } = venue.line('quote');
    const raw = (socket as unknown as { _socket: import('node:net').Socket })._socket;
    const body = pushOf(quoteOf());
    const frame = Buffer.concat([Buffer.from([0x03, 101, 0, 0, body.length]), body]);
    const message = Buffer.concat([Buffer.from([0x82, frame.length]), frame]);
    const ping = Buffer.from([0x89, 0x00]);
    raw.setNoDelay(true);
    for (const byte of Buffer.concat([message, ping, message, message])) {
      await new Promise((resolve) => raw.write(Buffer.from([byte]), resolve));
    }
    await until(() => heard.length === 3);
  });

  it('merge partial pushes, and stand in latest before they are told', async () => {
    await bench.client.connect();
    const seen: (Quote | undefined)[] = [];
    open.push(
      bench.client.feed.quotes([TENCENT]).subscribe(() => seen.push(bench.client.feed.latest(TENCENT))),
    );
    await until(() => subscribesSeen().length === 1);
    venue.line('quote').push(101, pushOf(quoteOf()));
    const partial = { symbol: '700.HK', lastDone: '415', timestamp: 1_700_000_007n, currentVolume: 7n };
    venue.line('quote').push(101, encodeMessage(PushQuoteSchema, partial));
    await until(() => seen.length === 2);
    expect(seen[1]).toEqual(
      quoteOf({ last: decimal('415'), time: millis(1_700_000_007_000), volume: decimal('7') }),
    );
  });

  it('F-D05: that were overtaken or doubled are dropped', async () => {
    await bench.client.connect();
    const { heard } = hearQuotes();
    await until(() => subscribesSeen().length === 1);
    for (const sequence of [5, 5, 4, 6]) venue.line('quote').push(101, pushOf(quoteOf(), sequence));
    await until(() => heard.length === 2);
  });

  it('of a symbol are subscribed once however many listen, and let go by the last one', async () => {
    await bench.client.connect();
    const first = bench.client.feed.quotes([TENCENT, APPLE]).subscribe();
    const second = bench.client.feed.quotes([TENCENT]).subscribe();
    await until(() => subscribesSeen().length === 1);
    first.unsubscribe();
    second.unsubscribe();
    const unsubscribes = () => venue.line('quote').requests.filter((frame) => frame.command === 7).length;
    await until(() => unsubscribes() === 2);
    expect(subscribesSeen()).toEqual([[TENCENT, APPLE]]);
  });

  it('I-9: count as live only once their subscription is confirmed', async () => {
    venue.onCommand('quote', 6, () => undefined);
    await bench.client.connect();
    const states = hearStates();
    expect(states).toEqual(['live']);
    hearQuotes();
    expect(states).toEqual(['live', 'connecting']);
    await until(() => subscribesSeen().length === 1);
    expect(states.at(-1)).toBe('connecting');
  });

  it('F-B34: of symbols that the venue leaves out are named in one alarm', async () => {
    venue.onCommand('quote', 6, (frame, line) => line.answer(frame, new Uint8Array(0)));
    await bench.client.connect();
    hearQuotes([TENCENT, APPLE]);
    await until(() => bench.alarms.length > 0);
    expect(bench.alarms).toMatchObject([
      { code: 'symbols-not-subscribed', facts: { symbols: '700.HK AAPL.US' } },
    ]);
  });

  it('of 501 symbols are refused by us', async () => {
    const symbols = Array.from({ length: 501 }, (_, i) => `${i}.HK` as typeof TENCENT);
    const { errors } = hearQuotes(symbols);
    expect(errors).toMatchObject([{ code: 'bad-option' }]);
  });

  it('S-02: that mean nothing are counted and left out', async () => {
    await bench.client.connect();
    const { heard } = hearQuotes();
    await until(() => subscribesSeen().length === 1);
    const line = venue.line('quote');
    line.push(101, encodeMessage(PushQuoteSchema, { symbol: '700.HK', lastDone: '-1', timestamp: 1n }));
    line.push(101, Buffer.from('ff'.repeat(40), 'hex'));
    line.push(77, new Uint8Array(3));
    line.push(101, pushOf(quoteOf()));
    await until(() => heard.length === 1);
    expect(bench.alarms.map((alarm) => alarm.facts['example'] !== undefined)).toEqual([true, true]);
  });
});

describe('a line that breaks', () => {
  async function live(): Promise<FeedState[]> {
    await bench.client.connect();
    hearQuotes([TENCENT]);
    const states = hearStates();
    await until(() => states.at(-1) === 'live');
    return states;
  }

  it('F-N11: comes back after half of the first backoff, resumes its session and subscribes again', async () => {
    const states = await live();
    venue.line('quote').socket.terminate();
    await until(() => states.at(-1) === 'down');
    bench.clock.advance(249);
    expect(venue.lines).toHaveLength(2);
    bench.clock.advance(1);
    await until(() => states.at(-1) === 'live');
    expect(states).toEqual(['connecting', 'live', 'down', 'live']);
    expect(venue.sessionsResumed).toHaveLength(1);
    expect(venue.passwordsUsed).toHaveLength(2);
    expect(subscribesSeen()).toEqual([[TENCENT], [TENCENT]]);
    expect(venue.line('quote').requests.map((frame) => frame.command)).toEqual([3, 6, 11]);
  });

  it('F-B28: gets a fresh password when the venue forgot the session', async () => {
    const states = await live();
    venue.knowsSessions = false;
    venue.line('quote').socket.terminate();
    await until(() => states.at(-1) === 'down');
    bench.clock.advance(250);
    await until(() => states.at(-1) === 'live');
    expect(venue.passwordsUsed).toHaveLength(3);
    expect(new Set(venue.passwordsUsed).size).toBe(3);
  });

  const told = (code: string) =>
    bench.alarms.filter((alarm) => alarm.code === code && alarm.facts['socket'] === 'quote socket');
  /** Quote lines on which a password was tried; the first one is that of the start. */
  const attempts = () =>
    venue.lines.filter(
      ({ name, requests }) => name === 'quote' && requests.some((frame) => frame.command === 2),
    ).length - 1;

  /** Waits until so many attempts were made and the next one is planned: the clock then holds as many timers as before. */
  async function failedAgain(count: number, timers: number): Promise<void> {
    let still = 0;
    await until(() => {
      still = attempts() === count && bench.clock.pending() === timers ? still + 1 : 0;
      return still > 200;
    }, `attempt ${count} to have failed`);
  }

  it('F-N11: waits twice as long after each failure, and tells once that it cannot be had, once that it is back', async () => {
    const states = await live();
    venue.knowsSessions = false;
    venue.acceptsPasswords = false;
    venue.line('quote').socket.terminate();
    await until(() => states.at(-1) === 'down');
    const timers = bench.clock.pending();
    for (const [index, wait] of [250, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000].entries()) {
      bench.clock.advance(wait - 1);
      expect(attempts()).toBe(index);
      bench.clock.advance(1);
      await failedAgain(index + 1, timers);
    }
    expect(told('socket-unreachable')).toHaveLength(1);
    venue.acceptsPasswords = true;
    bench.clock.advance(15_000);
    await until(() => states.at(-1) === 'live');
    expect(told('socket-unreachable')).toHaveLength(1);
    expect(told('socket-back').map(({ message }) => message)).toEqual([
      'The quote socket is back after 60.8 s and 9 attempts',
    ]);
  });

  it('F-N11, F-N15: makes its next attempt within half a second once anything else of the venue answers again', async () => {
    const states = await live();
    venue.knowsSessions = false;
    venue.acceptsPasswords = false;
    venue.line('quote').socket.terminate();
    await until(() => states.at(-1) === 'down');
    const timers = bench.clock.pending();
    for (const [index, wait] of [250, 500, 1_000, 2_000, 4_000, 8_000].entries()) {
      bench.clock.advance(wait);
      await failedAgain(index + 1, timers);
    }
    venue.acceptsPasswords = true;
    const ask = () => firstValueFrom(bench.client.broker.positions());
    venue.on('/v1/asset/stock', (_request, response) => answerJson(response, 200, success({ list: [] })));
    expect(await ask()).toMatchObject({ kind: 'ok' });
    bench.clock.advance(500);
    expect(states.at(-1)).toBe('down');
    venue.on('/v1/asset/stock', (_request, response) => response.destroy());
    expect(await ask()).toMatchObject({ kind: 'failed' });
    venue.on('/v1/asset/stock', (_request, response) => answerJson(response, 200, success({ list: [] })));
    expect(await ask()).toMatchObject({ kind: 'ok' });
    bench.clock.advance(250);
    await until(() => states.at(-1) === 'live');
  });

  it('F-N10: is dead after 10 s without data, ping or pong', async () => {
    const states = await live();
    const line = venue.line('quote');
    line.socket.pause();
    bench.clock.advance(4_000);
    bench.clock.advance(4_000);
    bench.clock.advance(1_999);
    expect(states.at(-1)).toBe('live');
    bench.clock.advance(1);
    await until(() => states.at(-1) === 'down');
    expect(bench.alarms.some((alarm) => /Nothing came for 10000 ms/.test(alarm.message))).toBe(true);
  });

  it('pings every 4 s and lives on the pongs', async () => {
    const states = await live();
    const line = venue.line('quote');
    for (let i = 1; i <= 6; i += 1) {
      bench.clock.advance(4_000);
      await until(() => line.pings === i);
      await new Promise((resolve) => line.socket.ping(resolve));
      await new Promise((resolve) => line.socket.once('pong', resolve));
    }
    expect(states.at(-1)).toBe('live');
  });

  it.each([
    ['a text message', (line: FakeVenue['lines'][number]) => line.socket.send('hello')],
    [
      'a frame of unknown type',
      (line: FakeVenue['lines'][number]) => line.socket.send(Buffer.from('0f', 'hex')),
    ],
    [
      'a body shorter than announced',
      (line: FakeVenue['lines'][number]) => line.socket.send(Buffer.from('0365ffffff00', 'hex')),
    ],
    [
      'a gzip body that is none',
      (line: FakeVenue['lines'][number]) => line.socket.send(Buffer.from('236500000100', 'hex')),
    ],
    ['an empty message', (line: FakeVenue['lines'][number]) => line.socket.send(Buffer.alloc(0))],
    ['a message above 1 MB', (line: FakeVenue['lines'][number]) => line.socket.send(Buffer.alloc(1_048_577))],
  ])('S-02, F-B31: is given up after %s, and begun anew', async (_what, send) => {
    const states = await live();
    send(venue.line('quote'));
    await until(() => states.at(-1) === 'down');
    bench.clock.advance(250);
    await until(() => states.at(-1) === 'live');
  });

  it('S-02: is given up after a body that unpacks a thousandfold', async () => {
    const states = await live();
    venue.line('quote').push(101, new Uint8Array(3_000_000), 1);
    await until(() => states.at(-1) === 'down');
  });

  it.each([
    ['resumes', Close_Code.HeartbeatTimeout, 1, 2],
    ['resumes', Close_Code.ServerError, 1, 2],
    ['resumes', Close_Code.ServerShutdown, 1, 2],
    ['begins anew', Close_Code.UnpackError, 0, 3],
    ['begins anew', Close_Code.AuthError, 0, 3],
    ['begins anew', Close_Code.SessExpired, 0, 3],
  ])('F-B29: %s after close code %i', async (_what, code, resumed, passwords) => {
    const states = await live();
    venue.line('quote').hangUp(code);
    await until(() => states.at(-1) === 'down');
    bench.clock.advance(250);
    await until(() => states.at(-1) === 'live');
    expect(venue.sessionsResumed).toHaveLength(resumed);
    expect(venue.passwordsUsed).toHaveLength(passwords);
  });

  it('F-B29: stays away when another connection took its place', async () => {
    await bench.client.connect();
    const { errors } = hearQuotes();
    const states = hearStates();
    await until(() => states.at(-1) === 'live');
    venue.line('quote').hangUp(Close_Code.ConnectDuplicate);
    await until(() => errors.length === 1);
    expect(errors).toMatchObject([{ code: 'duplicate-connection', retryable: false }]);
    bench.clock.advance(600_000);
    expect(venue.lines.filter((line) => line.name === 'quote')).toHaveLength(1);
    expect(bench.alarms.map((alarm) => alarm.code)).toContain('duplicate-connection');
  });

  it('F-N12: that breaks more than 5 times in 5 minutes raises an alarm, and waits longer and longer', async () => {
    const states = await live();
    for (let i = 0; i < 6; i += 1) {
      const lines = venue.lines.length;
      venue.line('quote').socket.terminate();
      await until(() => states.at(-1) === 'down');
      bench.clock.advance(250 * 2 ** i);
      await until(() => venue.lines.length === lines + 1 && states.at(-1) === 'live');
    }
    expect(bench.alarms.filter((alarm) => alarm.code === 'socket-flapping')).toHaveLength(1);
  });

  it('fails the questions under way, to be asked again', async () => {
    await live();
    venue.onCommand('quote', 11, () => undefined);
    const failed = new Promise((resolve) => bench.client.feed.pull([TENCENT]).subscribe({ error: resolve }));
    await until(() => venue.line('quote').requests.filter((frame) => frame.command === 11).length === 2);
    venue.line('quote').socket.terminate();
    expect(await failed).toMatchObject({ code: 'socket-lost', retryable: true });
  });
});

describe('questions on the quote socket', () => {
  const asked = () => venue.line('quote').requests.filter((frame) => frame.command === 11);

  function pull(times: number): void {
    for (let i = 0; i < times; i += 1) {
      open.push(bench.client.feed.pull([TENCENT]).subscribe({ error: () => undefined }));
    }
  }

  it('I-17: are at most 5 at once', async () => {
    venue.onCommand('quote', 11, () => undefined);
    await bench.client.connect();
    pull(8);
    await until(() => asked().length === 5);
    const [first] = asked();
    if (first === undefined) throw new Error('nothing was asked');
    venue.line('quote').answer(first, new Uint8Array(0));
    await until(() => asked().length === 6);
  });

  it('I-17: are at most 10 in 1.1 s of machine time, the password included', async () => {
    await bench.client.connect();
    pull(12);
    await until(() => asked().length === 9);
    bench.clock.advance(1_099);
    expect(asked()).toHaveLength(9);
    bench.clock.advance(1);
    await until(() => asked().length === 12);
  });

  it('F-B33: take no answer of another command, twice, or unasked', async () => {
    venue.onCommand('quote', 11, (frame, line) => {
      line.answer({ ...frame, requestId: 4_000_000_000 }, new Uint8Array(0));
      line.answer({ ...frame, command: 10 }, new Uint8Array(0));
      line.answer(frame, new Uint8Array(0));
      line.answer(frame, new Uint8Array(0));
    });
    await bench.client.connect();
    const answers: unknown[] = [];
    open.push(bench.client.feed.pull([TENCENT]).subscribe((quotes) => answers.push(quotes)));
    await until(() => answers.length === 1);
    expect(answers).toEqual([[]]);
  });

  it('time out by machine time', async () => {
    venue.onCommand('quote', 11, () => undefined);
    await bench.client.connect();
    const errors: unknown[] = [];
    open.push(bench.client.feed.pull([TENCENT]).subscribe({ error: (error) => errors.push(error) }));
    await until(() => asked().length === 1);
    bench.clock.advance(4_000);
    venue.line('quote').push(101, pushOf(quoteOf()));
    await until(() => bench.client.feed.latest(TENCENT) !== undefined);
    bench.clock.advance(6_000);
    expect(errors).toMatchObject([{ code: 'socket-timeout', retryable: true }]);
  });

  it('that are refused say with which code', async () => {
    venue.onCommand('quote', 11, (frame, line) =>
      line.refuse(frame, { status: 7, code: 301604, msg: 'no access' }),
    );
    await bench.client.connect();
    const failed = new Promise((resolve) => bench.client.feed.pull([TENCENT]).subscribe({ error: resolve }));
    expect(await failed).toMatchObject({ code: 'socket-refused', venueCode: 301604, retryable: false });
  });
});

describe('order changes', () => {
  function event(): Uint8Array {
    const detail = {
      orderId: orderId('709043056541253632'),
      terms: TERMS,
      status: 'NewStatus',
      rawStatus: 'NewStatus',
      executedQuantity: decimal('0'),
      executedPrice: undefined,
      currency: 'HKD',
      submittedAt: AT,
      updatedAt: AT,
      triggerAt: undefined,
      message: '',
      remark: makeTag({ deployment: DEPLOYMENT, intentId: INTENT }),
      charges: undefined,
    } as const;
    const facts = {
      stockName: 'TENCENT',
      triggerStatus: 'NOT_USED',
      accountNo: 'paper',
      lastFill: undefined,
    } as const;
    const text = writeOrderEvent(detail, facts, DEFAULT_PROFILE);
    return encodeMessage(NotificationSchema, notificationOf(text));
  }

  function hearHints(): OrderHint[] {
    const hints: OrderHint[] = [];
    open.push(
      bench.client.broker.hints$.subscribe({ next: (hint) => hints.push(hint), error: () => undefined }),
    );
    return hints;
  }

  it('become one hint each, with the intent of their tag', async () => {
    const hints = hearHints();
    await bench.client.connect();
    for (let i = 0; i < 3; i += 1) venue.line('trade').push(18, event(), i === 1 ? 1 : undefined);
    await until(() => hints.length === 3);
    expect(hints[0]).toMatchObject({ orderId: '709043056541253632', intentId: INTENT });
  });

  it('that cannot be read raise an alarm and are left out', async () => {
    const hints = hearHints();
    await bench.client.connect();
    const bad = notificationOf('{"event":"order_changed_lb","data":{}}');
    venue.line('trade').push(18, encodeMessage(NotificationSchema, bad));
    venue.line('trade').push(18, encodeMessage(NotificationSchema, notificationOf('{"event":"other"}')));
    venue.line('trade').push(18, event());
    await until(() => hints.length === 1);
    expect(bench.alarms.map((alarm) => alarm.code)).toEqual(['unreadable-order-event']);
  });

  it('F-N13: are subscribed again after a drop', async () => {
    const hints = hearHints();
    await bench.client.connect();
    venue.line('trade').socket.terminate();
    await until(() => bench.alarms.some((alarm) => alarm.code === 'socket-lost'));
    bench.clock.advance(250);
    await until(() => venue.lines.length === 3 && venue.line('trade').requests.length === 2);
    expect(venue.line('trade').requests.map((frame) => frame.command)).toEqual([3, 16]);
    venue.line('trade').push(18, event());
    await until(() => hints.length === 1);
  });
});
