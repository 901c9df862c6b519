import type { Subscription } from 'rxjs';
import { afterEach, beforeEach, expect } from 'vitest';
import { decimal } from '#src/model/decimal.ts';
import type { Quote } from '#src/model/quote.ts';
import type { SecuritySymbol } from '#src/model/symbol.ts';
import { millis } from '#src/model/time.ts';
import type { FeedState } from '#src/ports/quote-feed.ts';
import { PushQuoteSchema, SubscribeRequestSchema } from '#src/wire/gen/quote_pb.ts';
import { writePushQuote } from '#src/wire/mapper/quote.ts';
import { decodeMessage, encodeMessage } from '#src/wire/message.ts';
import { type FakeVenue, startFakeVenue } from './fake-venue.ts';
import { type Bench, benchOn, TENCENT } from './fixtures.ts';

/** A venue with its client, both new for each test, and helpers of the test. */
export interface OnSockets {
  readonly venue: FakeVenue;
  readonly bench: Bench;
  /** Unsubscribes at the end of the test. */
  listen(...to: readonly Subscription[]): void;
  hearQuotes(symbols?: readonly SecuritySymbol[]): {
    readonly heard: readonly Quote[];
    readonly errors: readonly unknown[];
  };
  hearStates(): readonly FeedState[];
  /** Symbols of each subscription request to the venue. */
  subscribesSeen(): readonly (readonly string[])[];
}

/**
 * Starts both before each test of the file that calls it, and ends them afterwards, with no timer left on the clock.
 */
export function onSockets(): OnSockets {
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
  return {
    get venue() {
      return venue;
    },
    get bench() {
      return bench;
    },
    listen: (...to) => void open.push(...to),
    hearQuotes(symbols = [TENCENT]) {
      const heard: Quote[] = [];
      const errors: unknown[] = [];
      open.push(
        bench.client.feed
          .quotes(symbols)
          .subscribe({ next: (quote) => heard.push(quote), error: (e) => errors.push(e) }),
      );
      return { heard, errors };
    },
    hearStates() {
      const states: FeedState[] = [];
      open.push(bench.client.feed.state$.subscribe((state) => states.push(state)));
      return states;
    },
    subscribesSeen: () =>
      venue.lines.flatMap((line) =>
        line.requests
          .filter((frame) => line.name === 'quote' && frame.command === 6)
          .map((frame) => decodeMessage(SubscribeRequestSchema, frame.body).symbol),
      ),
  };
}

export const AT = millis(1_700_000_000_000);

export function quoteOf(more: Partial<Quote> = {}): Quote {
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

/** The same quote as the venue pushes it. */
export function pushOf(quote: Quote, sequence = 0): Uint8Array {
  const facts = { sequence: BigInt(sequence), turnover: decimal('1'), currentTurnover: decimal('1') };
  return encodeMessage(PushQuoteSchema, writePushQuote(quote, facts));
}
