import { describe, expect, it } from 'vitest';
import type { WebSocket } from 'ws';
import { decimal } from '#src/model/decimal.ts';
import type { Quote } from '#src/model/quote.ts';
import { securitySymbol } from '#src/model/symbol.ts';
import { millis } from '#src/model/time.ts';
import { PrintLog } from '#src/venue/quotes/print-log.ts';
import { QuotePushes } from '#src/venue/quotes/quote-pushes.ts';
import { Subscriptions } from '#src/venue/quotes/subscriptions.ts';
import { CONFLATE_BYTES, QUEUE_BYTES } from '#src/venue/server/limits.ts';
import { PushCounts } from '#src/venue/server/push-counts.ts';
import { SocketConnection } from '#src/venue/server/socket-connection.ts';
import { decodeFrame } from '#src/wire/frame.ts';
import { PushQuoteSchema } from '#src/wire/gen/quote_pb.ts';
import { decodeMessage } from '#src/wire/message.ts';

/** A socket whose client reads only when the test permits it. */
class SlowSocket {
  readonly OPEN = 1;
  readyState = 1;
  bufferedAmount = 0;
  cut = false;
  readonly frames: Uint8Array[] = [];
  readonly #written: (() => void)[] = [];

  send(frame: Uint8Array, _options: object, written: () => void): void {
    this.frames.push(frame);
    this.bufferedAmount += frame.length;
    this.#written.push(written);
  }

  read(): void {
    this.bufferedAmount = 0;
    for (const written of this.#written.splice(0)) written();
  }

  terminate(): void {
    this.cut = true;
    this.readyState = 3;
  }
}

function print(symbol: string, count: number): Quote {
  return {
    symbol: securitySymbol(symbol),
    time: millis(1_756_776_600_000 + count * 1_000),
    last: decimal('400').plus(count),
    dayOpen: decimal('400'),
    dayHigh: decimal('400').plus(count),
    dayLow: decimal('400'),
    dayVolume: decimal('100').times(count + 1),
    volume: decimal('100'),
    status: 'normal',
    session: 'regular',
  };
}

function slowLine({ conflates }: { readonly conflates: boolean }) {
  const socket = new SlowSocket();
  const subscriptions = new Subscriptions();
  const pushes = new QuotePushes({
    simulation: { now: () => millis(0), security: () => undefined, quote: () => undefined },
    log: new PrintLog(),
    subscriptions,
    conflates,
    book: 'thin',
  });
  const line = new SocketConnection({
    side: 'quote',
    socket: socket as unknown as WebSocket,
    counts: new PushCounts(),
    drained: (drained) => pushes.onDrained(drained),
    faults: { onFrame: () => undefined },
    machine: { now: () => millis(0), at: () => () => undefined },
  });
  line.session = { id: 's', accountId: 'a', expiresAt: millis(0) };
  for (const symbol of ['700.HK', '5.HK']) subscriptions.add(line, securitySymbol(symbol), [1]);
  return { socket, pushes };
}

function quotesIn(frames: readonly Uint8Array[]) {
  return frames.map((bytes) => {
    const frame = decodeFrame(bytes);
    if (frame.kind !== 'push') throw new Error(`Saw a ${frame.kind}`);
    return decodeMessage(PushQuoteSchema, frame.body);
  });
}

describe('a slow client', () => {
  it('S-21: receives the newest quote of each symbol once it reads again, and no share of volume is lost', () => {
    const { socket, pushes } = slowLine({ conflates: true });
    const prints = 5_000;
    for (let count = 0; count < prints; count += 1)
      pushes.publish(print(count % 2 === 0 ? '700.HK' : '5.HK', count));
    expect(socket.bufferedAmount).toBeGreaterThan(CONFLATE_BYTES);
    expect(socket.bufferedAmount).toBeLessThan(CONFLATE_BYTES + 200);
    const before = socket.frames.length;
    socket.read();
    expect(socket.frames.length).toBe(before + 2);
    const quotes = quotesIn(socket.frames);
    expect(quotes.slice(-2).map((quote) => quote.lastDone)).toEqual(['5398', '5399']);
    const volume = quotes.reduce((sum, quote) => sum + quote.currentVolume, 0n);
    expect(volume).toBe(BigInt(prints * 100));
  });

  it('S-21: is disconnected when more than 1 MB waits for it', () => {
    const { socket, pushes } = slowLine({ conflates: false });
    for (let count = 0; !socket.cut && count < 100_000; count += 1) pushes.publish(print('700.HK', count));
    expect(socket.cut).toBe(true);
    expect(socket.bufferedAmount).toBeLessThan(QUEUE_BYTES + 200);
  });
});
