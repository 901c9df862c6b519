import { describe, expect, it } from 'vitest';
import { decimal } from '#src/model/decimal.ts';
import type { Quote } from '#src/model/quote.ts';
import { millis } from '#src/model/time.ts';
import { PushQuoteSchema } from '#src/wire/gen/quote_pb.ts';
import { encodeMessage } from '#src/wire/message.ts';
import { eventually } from '../fixtures/eventually.ts';
import { APPLE, TENCENT } from './fixtures.ts';
import { onSockets, pushOf, quoteOf } from './on-sockets.ts';

const on = onSockets();

describe('quotes', () => {
  it('come one for one frame, split, merged, packed or plain', async () => {
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

  it('F-D05: that were overtaken or doubled are dropped', async () => {
    await on.bench.client.connect();
    const { heard } = on.hearQuotes();
    await eventually(() => on.subscribesSeen().length === 1);
    for (const sequence of [5, 5, 4, 6]) on.venue.line('quote').push(101, pushOf(quoteOf(), sequence));
    await eventually(() => heard.length === 2);
  });

  it('of a symbol are subscribed once however many listen, and let go by the last one', async () => {
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

  it('of 501 symbols are refused by us', async () => {
    const symbols = Array.from({ length: 501 }, (_, i) => `${i}.HK` as typeof TENCENT);
    const { errors } = on.hearQuotes(symbols);
    expect(errors).toMatchObject([{ code: 'bad-option' }]);
  });

  it('S-02: that mean nothing are counted and left out', async () => {
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
