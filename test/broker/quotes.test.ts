import { EMPTY, firstValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { decimal } from '#src/model/decimal.ts';
import type { Quote } from '#src/model/quote.ts';
import { securitySymbol } from '#src/model/symbol.ts';
import { millis } from '#src/model/time.ts';
import type { Clock } from '#src/ports/clock.ts';
import type { RequestFrame } from '#src/wire/frame.ts';
import {
  PushQuoteSchema,
  SecurityQuoteResponseSchema,
  SubscribeRequestSchema,
  SubscriptionResponseSchema,
} from '#src/wire/gen/quote_pb.ts';
import { decodeMessage, encodeMessage } from '#src/wire/message.ts';
import { eventually } from '../fixtures/eventually.ts';
import { APPLE, benchOn, TENCENT } from './fixtures.ts';
import { createHandClock } from './hand-clock.ts';
import { AT, onSockets, pushOf, quoteOf } from './on-sockets.ts';

const on = onSockets();

/** The answer that grants a subscription as requested. */
function granted({ body }: RequestFrame): Uint8Array {
  const { symbol, subType } = decodeMessage(SubscribeRequestSchema, body);
  return encodeMessage(SubscriptionResponseSchema, {
    subList: symbol.map((each) => ({ symbol: each, subType })),
  });
}

describe('quotes', () => {
  it('are emitted one per frame, split, merged, packed or plain', async () => {
    await on.bench.client.connect();
    const { heard } = on.hearQuotes();
    const states = on.hearStates();
    await eventually(() => states.at(-1) === 'live');
    for (let i = 1; i <= 5; i += 1)
      on.venue.line('quote').push(101, pushOf(quoteOf(), i), i === 3 ? 1 : undefined);
    await eventually(() => heard.length === 5);
    expect(heard[0]).toEqual(quoteOf());
  });

  it('F-N19: are independent of how TCP cuts the bytes', async () => {
    await on.bench.client.connect();
    const { heard } = on.hearQuotes();
    await eventually(() => on.subscribesSeen().length === 1);
    const { socket } = on.venue.line('quote');
    const raw = (socket as unknown as { _socket: import('node:net').Socket })._socket;
    const body = pushOf(quoteOf());
    const frame = Buffer.concat([Buffer.from([0x03, 101, 0, 0, body.length]), body]);
    const message = Buffer.concat([Buffer.from([0x82, frame.length]), frame]);
    const ping = Buffer.from([0x89, 0x00]);
    raw.setNoDelay(true);
    for (const byte of Buffer.concat([message, ping, message, message])) {
      await new Promise((resolve) => raw.write(Buffer.from([byte]), resolve));
    }
    await eventually(() => heard.length === 3);
  });

  it('merge partial pushes, and are in "latest" before they are emitted', async () => {
    await on.bench.client.connect();
    const seen: (Quote | undefined)[] = [];
    on.listen(
      on.bench.client.feed.quotes([TENCENT]).subscribe(() => seen.push(on.bench.client.feed.latest(TENCENT))),
    );
    await eventually(() => on.subscribesSeen().length === 1);
    on.venue.line('quote').push(101, pushOf(quoteOf()));
    const partial = { symbol: '700.HK', lastDone: '415', timestamp: 1_700_000_007n, currentVolume: 7n };
    on.venue.line('quote').push(101, encodeMessage(PushQuoteSchema, partial));
    await eventually(() => seen.length === 2);
    expect(seen[1]).toEqual(
      quoteOf({ last: decimal('415'), time: millis(1_700_000_007_000), volume: decimal('7') }),
    );
  });

  it('F-D05: that are out of order or repeated are dropped', async () => {
    await on.bench.client.connect();
    const { heard } = on.hearQuotes();
    await eventually(() => on.subscribesSeen().length === 1);
    for (const sequence of [5, 5, 4, 6]) on.venue.line('quote').push(101, pushOf(quoteOf(), sequence));
    await eventually(() => heard.length === 2);
  });

  it('F-D05: continue after a gap in their numbers, and after the venue has restarted its numbering', async () => {
    await on.bench.client.connect();
    const { heard } = on.hearQuotes();
    await eventually(() => on.subscribesSeen().length === 1);
    const line = on.venue.line('quote');
    const at = (seconds: number, last: string) =>
      quoteOf({ time: millis(AT + 1_000 * seconds), last: decimal(last) });
    line.push(101, pushOf(at(0, '410'), 5));
    line.push(101, pushOf(at(1, '411'), 900));
    line.push(101, pushOf(at(1, '409'), 899));
    line.push(101, pushOf(at(2, '412'), 1));
    line.push(101, pushOf(at(2, '413'), 2));
    await eventually(() => heard.length === 4);
    expect(heard.map(({ last }) => last.toFixed())).toEqual(['410', '411', '412', '413']);
  });

  it('of a symbol are subscribed once for any number of listeners, and unsubscribed with the last one', async () => {
    await on.bench.client.connect();
    const first = on.bench.client.feed.quotes([TENCENT, APPLE]).subscribe();
    const second = on.bench.client.feed.quotes([TENCENT]).subscribe();
    await eventually(() => on.subscribesSeen().length === 1);
    first.unsubscribe();
    second.unsubscribe();
    const unsubscribes = () => on.venue.line('quote').requests.filter((frame) => frame.command === 7).length;
    await eventually(() => unsubscribes() === 2);
    expect(on.subscribesSeen()).toEqual([[TENCENT, APPLE]]);
  });

  it('I-9: count as live only once their subscription is confirmed', async () => {
    on.venue.onCommand('quote', 6, () => undefined);
    await on.bench.client.connect();
    const states = on.hearStates();
    expect(states).toEqual(['live']);
    on.hearQuotes();
    expect(states).toEqual(['live', 'connecting']);
    await eventually(() => on.subscribesSeen().length === 1);
    expect(states.at(-1)).toBe('connecting');
  });

  it('F-B34: of symbols that the venue leaves out are named in one alarm', async () => {
    on.venue.onCommand('quote', 6, (frame, line) => line.answer(frame, new Uint8Array(0)));
    await on.bench.client.connect();
    on.hearQuotes([TENCENT, APPLE]);
    await eventually(() => on.bench.alarms.length > 0);
    expect(on.bench.alarms).toMatchObject([
      { code: 'symbols-not-subscribed', facts: { symbols: '700.HK AAPL.US' } },
    ]);
  });

  it('whose first subscription is refused are subscribed after 1 s and 5 s, with one alarm (F-B34)', async () => {
    let requests = 0;
    on.venue.onCommand('quote', 6, (frame, line) => {
      requests += 1;
      if (requests < 3) line.refuse(frame, { status: 7, code: 301606, msg: 'too many requests' });
      else line.answer(frame, granted(frame));
    });
    await on.bench.client.connect();
    const { feed } = on.bench.client;
    const states = on.hearStates();
    const { heard } = on.hearQuotes([TENCENT, APPLE]);
    for (const waitMs of [1_000, 5_000]) {
      await eventually(() => states.length === 1 + 2 * requests && states.at(-1) === 'live');
      expect(feed.missingQuotes?.([TENCENT, APPLE])).toHaveLength(2);
      on.bench.clock.advance(waitMs - 1);
      const before = requests;
      on.bench.clock.advance(1);
      await eventually(() => requests === before + 1);
    }
    await eventually(() => feed.missingQuotes?.([TENCENT, APPLE]).length === 0);
    expect(on.subscribesSeen()).toEqual(Array.from({ length: 3 }, () => [TENCENT, APPLE]));
    expect(on.bench.alarms.map(({ code }) => code)).toEqual(['subscription-failed']);
    on.venue.line('quote').push(101, pushOf(quoteOf()));
    await eventually(() => heard.length === 1);
  });

  it('whose first subscription is not answered are subscribed again (F-B34)', async () => {
    const bench = benchOn(on.venue, { settings: { socketAnswerMs: 1_000 } });
    on.venue.onCommand('quote', 6, () => undefined);
    await bench.client.connect();
    on.listen(bench.client.feed.quotes([TENCENT]).subscribe());
    await eventually(() => on.subscribesSeen().length === 1);
    on.venue.onCommand('quote', 6, (frame, line) => line.answer(frame, granted(frame)));
    bench.clock.advance(1_000);
    await eventually(() => bench.alarms.some(({ code }) => code === 'subscription-failed'));
    bench.clock.advance(1_000);
    await eventually(() => bench.client.feed.missingQuotes?.([TENCENT]).length === 0);
    await bench.client.close();
  });

  it('that are pulled are accepted without a block of extended hours that cannot be read', async () => {
    const regular = {
      symbol: '700.HK',
      lastDone: '412',
      open: '410',
      high: '413',
      low: '409',
      timestamp: 1_700_000_000n,
    };
    const odd = { lastDone: '411', high: '-1', low: '411', timestamp: 1_700_000_009n };
    const post = { lastDone: '414', high: '414', low: '411', timestamp: 1_700_000_005n };
    on.venue.onCommand('quote', 11, (frame, line) =>
      line.answer(
        frame,
        encodeMessage(SecurityQuoteResponseSchema, {
          secuQuote: [{ ...regular, preMarketQuote: odd, postMarketQuote: post }],
        }),
      ),
    );
    await on.bench.client.connect();
    const pulled = await firstValueFrom(on.bench.client.feed.pull([TENCENT]));
    expect(pulled).toMatchObject([{ symbol: TENCENT, session: 'post', last: decimal('414') }]);
    expect(on.bench.alarms).toMatchObject([{ code: 'unreadable-quote' }]);
  });

  it('of 501 symbols are refused before they are requested', async () => {
    const symbols = Array.from({ length: 501 }, (_, i) => `${i}.HK` as typeof TENCENT);
    const { errors } = on.hearQuotes(symbols);
    expect(errors).toMatchObject([{ code: 'bad-option' }]);
  });

  it('S-02: that are meaningless are counted and dropped', async () => {
    await on.bench.client.connect();
    const { heard } = on.hearQuotes();
    await eventually(() => on.subscribesSeen().length === 1);
    const line = on.venue.line('quote');
    line.push(101, encodeMessage(PushQuoteSchema, { symbol: '700.HK', lastDone: '-1', timestamp: 1n }));
    line.push(101, Buffer.from('ff'.repeat(40), 'hex'));
    line.push(77, new Uint8Array(3));
    line.push(101, pushOf(quoteOf()));
    await eventually(() => heard.length === 1);
    expect(on.bench.alarms.map((alarm) => alarm.facts['example'] !== undefined)).toEqual([true, true]);
  });
});

describe('bars of a venue without pushes', () => {
  it('are read again together while some are missing, so that quiet symbols take 3 s in total', async () => {
    const symbols = [TENCENT, APPLE, securitySymbol('5.HK'), securitySymbol('9988.HK')];
    const clock = createHandClock();
    const waits: number[] = [];
    const machine: Clock = {
      ...clock,
      at(at, phase, action) {
        const waitMs = at - clock.now();
        if ([250, 750, 2_000].includes(waitMs)) {
          waits.push(waitMs);
          setImmediate(() => clock.advance(waitMs));
        }
        return clock.at(at, phase, action);
      },
    };
    const settings = { quoteCallsMax: 1_000 };
    const bench = benchOn(on.venue, { onlyDocumented: true, machine, settings });
    on.venue.onCommand('quote', 27, (frame, line) => line.answer(frame, new Uint8Array(0)));
    await bench.client.connect();
    const request = { symbols, period: '1m', at: millis(1_705_330_800_000), from: millis(0) } as const;
    expect(await firstValueFrom(bench.client.feed.closedBars?.(request) ?? EMPTY)).toEqual([]);
    expect(waits).toEqual([250, 750, 2_000]);
    await bench.client.close();
  });
});
