import type { Subscription } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { quoteFact } from '#src/execution/gate/quote-fact.ts';
import { decimal } from '#src/model/decimal.ts';
import type { Quote } from '#src/model/quote.ts';
import { millis } from '#src/model/time.ts';
import { judge } from '#src/risk/risk-gate.ts';
import { PushDepthSchema, SubscribeRequestSchema, SubType } from '#src/wire/gen/quote_pb.ts';
import { decodeMessage, encodeMessage } from '#src/wire/message.ts';
import { eventually } from '../../fixtures/eventually.ts';
import { intentOf, termsOf } from '../../fixtures/orders.ts';
import { factsOf, limitsOf } from '../../fixtures/risk.ts';
import { type FakeVenue, startFakeVenue } from '../fake-venue.ts';
import { type Bench, benchOn, TENCENT } from '../fixtures.ts';

let venue: FakeVenue;
let bench: Bench;
let quotes: Subscription;

beforeEach(async () => {
  venue = await startFakeVenue();
  bench = benchOn(venue, { withDepth: true });
  quotes = bench.client.feed.quotes([TENCENT]).subscribe({ error: () => undefined });
  await bench.client.connect();
});
afterEach(async () => {
  quotes.unsubscribe();
  await bench.client.close();
  await venue.close();
});

interface Said {
  readonly bid?: string;
  readonly ask?: string;
  readonly sequence?: number;
}

function push({ bid, ask, sequence = 0 }: Said): void {
  const level = (price: string) => [{ position: 1, price, volume: 100n, orderNum: 1n }];
  const body = encodeMessage(PushDepthSchema, {
    symbol: TENCENT,
    sequence: BigInt(sequence),
    ...(bid === undefined ? {} : { bid: level(bid) }),
    ...(ask === undefined ? {} : { ask: level(ask) }),
  });
  venue.line('quote').push(102, body);
}

const best = (): string | undefined => {
  const prices = bench.client.feed.best?.(TENCENT);
  return prices && `${prices.bid} ${prices.ask}`;
};

describe('the best prices of a feed that listens to depth', () => {
  it('are subscribed in addition to the quotes, and emitted as they are pushed', async () => {
    const subscribe = venue.line('quote').requests.find(({ command }) => command === 6);
    const { subType } = decodeMessage(SubscribeRequestSchema, subscribe?.body ?? new Uint8Array());
    expect(subType).toEqual([SubType.QUOTE, SubType.DEPTH]);
    expect(best()).toBeUndefined();
    push({ bid: '412.2', ask: '412.4' });
    await eventually(() => best() === '412.2 412.4');
    push({ ask: '412.6' });
    await eventually(() => best() === '412.2 412.6');
    push({ bid: '' });
    await eventually(() => best() === undefined);
  });

  it('F-D05: are not replaced by an older or repeated push', async () => {
    push({ bid: '1', ask: '2', sequence: 7 });
    push({ bid: '3', ask: '4', sequence: 6 });
    push({ bid: '5', ask: '6', sequence: 7 });
    push({ bid: '7', ask: '8', sequence: 8 });
    await eventually(() => best() === '7 8');
    push({ bid: '9', ask: '10', sequence: 8 });
    push({ bid: '11', ask: '12', sequence: 9 });
    await eventually(() => best() === '11 12');
  });

  it('I-9: are unknown once the connection broke, whatever was emitted before', async () => {
    push({ bid: '412.2', ask: '412.4' });
    await eventually(() => best() !== undefined);
    venue.line('quote').socket.terminate();
    await eventually(() => best() === undefined);
  });

  it('F-D04: deny a market order while the book is crossed or locked', async () => {
    const deniedBy = (): string => {
      const quote: Quote = {
        ...{ symbol: TENCENT, time: millis(0), last: decimal('10'), dayOpen: decimal('10') },
        ...{ dayHigh: decimal('10'), dayLow: decimal('10'), dayVolume: decimal('1'), volume: decimal('1') },
        ...{ status: 'normal', session: 'regular' },
      };
      const reference = quoteFact(quote, bench.client.feed.best?.(TENCENT));
      const verdict = judge(intentOf('I', { terms: termsOf() }), factsOf({ reference }), limitsOf());
      return verdict.kind === 'denied' ? verdict.rule : '';
    };
    push({ bid: '9.99', ask: '10.01' });
    await eventually(() => best() !== undefined);
    expect(deniedBy()).not.toBe('crossed-book');
    for (const [bid, ask] of [
      ['10.02', '10.01'],
      ['10', '10'],
    ] as const) {
      push({ bid, ask });
      await eventually(() => best() === `${bid} ${ask}`);
      expect(deniedBy()).toBe('crossed-book');
    }
  });

  it('are absent if no depth is subscribed', async () => {
    const plain = benchOn(venue);
    expect(plain.client.feed.best).toBeUndefined();
    await plain.client.close();
  });
});
