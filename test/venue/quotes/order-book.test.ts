import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LARGE_CAP_MARGIN } from '#src/markets/margin.ts';
import { Decimal, decimal } from '#src/model/decimal.ts';
import type { Quote } from '#src/model/quote.ts';
import type { Security } from '#src/model/security.ts';
import { securitySymbol } from '#src/model/symbol.ts';
import { millis } from '#src/model/time.ts';
import { brokersOf, depthOf } from '#src/venue/quotes/order-book.ts';
import { PARTICIPANTS } from '#src/venue/quotes/participants.ts';
import { at } from '../rising-minutes.ts';

const NOW = at('2025-09-02T10:00:00+08:00');

function aSecurity(symbol: string): Security {
  return {
    symbol: securitySymbol(symbol),
    names: { en: 'A', zhCn: 'A', zhHk: 'A' },
    kind: 'stock',
    board: 'HKEquity',
    currency: 'HKD',
    lotSize: 100,
    margin: LARGE_CAP_MARGIN,
    tradable: true,
    origin: { kind: 'generated', seed: 1, method: 'by hand' },
  };
}

function aQuote(symbol: string, last: string): Quote {
  const price = decimal(last);
  return {
    symbol: securitySymbol(symbol),
    time: NOW,
    last: price,
    dayOpen: price,
    dayHigh: price,
    dayLow: price,
    dayVolume: decimal('0'),
    volume: decimal('0'),
    status: 'normal',
    session: 'regular',
  };
}

describe('a deep book', () => {
  it('has ten levels on each side of any price, never crossed, in whole lots, without empty orders', () => {
    fc.assert(
      fc.property(fc.integer({ min: 200, max: 4_000_000 }), (ticks) => {
        const last = new Decimal(ticks).times('0.2').toFixed();
        const { ask, bid } = depthOf(aSecurity('700.HK'), aQuote('700.HK', last), 'deep', NOW);
        expect([ask.length, bid.length]).toEqual([10, 10]);
        const rising = [...bid.toReversed(), ...ask].map(({ price }) => Number(price));
        expect(rising).toEqual(rising.toSorted((one, other) => one - other));
        expect(new Set(rising).size).toBe(20);
        for (const { volume, orderNum } of [...ask, ...bid]) {
          expect(volume % 100n).toBe(0n);
          expect(orderNum > 0n && orderNum * 100n <= volume).toBe(true);
        }
      }),
    );
  });

  it('is the same within a second and another in the next', () => {
    const book = (ms: number) =>
      depthOf(aSecurity('700.HK'), aQuote('700.HK', '400'), 'deep', millis(NOW + ms));
    expect(book(999)).toEqual(book(0));
    expect(book(1_000)).not.toEqual(book(0));
  });

  it('ends at the lowest price', () => {
    const { ask, bid } = depthOf(aSecurity('8.HK'), aQuote('8.HK', '0.012'), 'deep', NOW);
    expect(ask).toHaveLength(10);
    expect(bid.map(({ price }) => price)).toEqual([
      '0.011',
      '0.01',
      ...bid.slice(2).map(({ price }) => price),
    ]);
    expect(bid.every(({ price }) => Number(price) > 0)).toBe(true);
  });

  it('shows brokers in Hong Kong, each of them a participant, and none elsewhere', () => {
    const seats = new Set(PARTICIPANTS.flatMap(({ brokerIds }) => brokerIds));
    const queue = brokersOf(aSecurity('700.HK'), aQuote('700.HK', '400'), 'deep', NOW);
    expect(queue.askBrokers).toHaveLength(10);
    for (const { brokerIds } of [...queue.askBrokers, ...queue.bidBrokers]) {
      expect(brokerIds.length).toBeGreaterThan(0);
      expect(brokerIds.every((id) => seats.has(id))).toBe(true);
    }
    expect(brokersOf(aSecurity('AAPL.US'), aQuote('AAPL.US', '190'), 'deep', NOW).askBrokers).toEqual([]);
  });
});

describe('a thin book', () => {
  it('has one lot on each side, a tick from the last price, and no brokers', () => {
    const quote = aQuote('700.HK', '400');
    const { ask, bid } = depthOf(aSecurity('700.HK'), quote, 'thin', NOW);
    expect([ask, bid]).toEqual([
      [{ position: 1, price: '400.2', volume: 100n, orderNum: 1n }],
      [{ position: 1, price: '399.8', volume: 100n, orderNum: 1n }],
    ]);
    expect(brokersOf(aSecurity('700.HK'), quote, 'thin', NOW)).toEqual({ askBrokers: [], bidBrokers: [] });
  });
});
