import { describe, expect, it } from 'vitest';
import { createDayCloses } from '#src/engine/symbol-closes.ts';
import { createFold } from '#src/events/fold.ts';
import { RECENT_MAX } from '#src/events/records/gate-record.ts';
import { dayProfit } from '#src/execution/gate/day-profit.ts';
import { exposureExcept } from '#src/execution/gate/exposure.ts';
import { replayedQuoteFact } from '#src/execution/gate/quote-fact.ts';
import { sessionFact, tradingTime } from '#src/execution/gate/trading-time.ts';
import type { Bar } from '#src/model/bar.ts';
import { type Decimal, decimal } from '#src/model/decimal.ts';
import { intentId, type Side } from '#src/model/order.ts';
import { securitySymbol } from '#src/model/symbol.ts';
import { millis } from '#src/model/time.ts';
import { factSourcesOf } from '../fixtures/fact-sources.ts';
import { AAPL, at, quoteOf, security, TENCENT } from '../fixtures/market.ts';
import { acked, filled, fillOf, intentOf, termsOf } from '../fixtures/orders.ts';

const NOW = at('2024-03-05T10:00:00-05:00');
const YESTERDAY = at('2024-03-04T15:00:00-05:00');

interface Prices {
  readonly now?: Record<string, string>;
  readonly before?: Record<string, string>;
}

/** Facts known at `NOW`: 8 HKD are 1 USD; the bot trades AAPL.US and 700.HK only. */
function known(prices: Prices = {}) {
  const fold = createFold();
  const price = (text: string | undefined): Decimal | undefined =>
    text === undefined ? undefined : decimal(text);
  const sources = factSourcesOf(fold.state, {
    now: () => NOW,
    security: (symbol) => (symbol === AAPL || symbol === TENCENT ? security(symbol) : undefined),
    reference: (symbol) => {
      const value = price(prices.now?.[symbol]);
      return value === undefined ? undefined : { value, at: NOW };
    },
    rateOf: (currency) => ({ USD: decimal('1'), HKD: decimal('0.125') })[currency],
    closeBefore: (symbol) => price(prices.before?.[symbol]),
  });
  let fills = 0;
  function trade(side: Side, quantity: string, cost: string, time: number, symbol = AAPL, fee = '0'): void {
    fills += 1;
    const id = `F${fills}`;
    const terms = termsOf({ side, symbol, quantity: decimal(quantity) });
    for (const event of acked(intentOf(id, { terms }))) fold.apply(event);
    const fill = fillOf(id, side, quantity, cost, {
      intentId: intentId(id),
      symbol,
      time: millis(time),
      fee: decimal(fee),
    });
    fold.apply(filled(fill));
  }
  return { fold, sources, trade };
}

describe("the day's profit", () => {
  const profit = (world: ReturnType<typeof known>) => dayProfit(world.sources)?.toString();

  it('is zero without positions and trades', () => {
    expect(profit(known())).toBe('0');
  });

  it('counts earlier positions from the close of the day before', () => {
    const world = known({ now: { [AAPL]: '9' }, before: { [AAPL]: '10' } });
    world.trade('buy', '100', '7', YESTERDAY);
    expect(profit(world)).toBe('-100');
  });

  it("counts today's fills from their price, less fees, also of closed positions", () => {
    const world = known({ now: { [AAPL]: '9' } });
    world.trade('buy', '100', '10', NOW - 2_000, AAPL, '1');
    expect(profit(world)).toBe('-101');
    world.trade('sell', '100', '9.5', NOW - 1_000, AAPL, '1');
    expect(profit(world)).toBe('-52');
  });

  it('counts shares traded today outside the bot from their price, too, and not as fills of the bot', () => {
    const world = known({ now: { [AAPL]: '9' }, before: { [AAPL]: '8' } });
    const { intentId: _, ...fill } = fillOf('X1', 'buy', '100', '10', { time: millis(NOW - 1_000) });
    world.fold.apply({ kind: 'foreign-filled', at: NOW, fill });
    expect(profit(world)).toBe('-100');
    expect(world.fold.state.gate.fills).toEqual([]);
  });

  it('counts what an operator settled today from the given price', () => {
    const world = known({ now: { [AAPL]: '9' }, before: { [AAPL]: '7' } });
    for (const event of acked(intentOf()).slice(0, 3)) world.fold.apply(event);
    const settled = {
      ...{
        kind: 'order-settled' as const,
        at: NOW,
        intentId: intentId('INTENT1'),
        outcome: 'filled' as const,
      },
      ...{ quantity: decimal('100'), price: decimal('10'), currency: 'USD', by: 'cli', reason: 'seen' },
    };
    world.fold.apply(settled);
    world.fold.apply(settled);
    expect(profit(world)).toBe('-100');
    expect(world.fold.state.gate.orders).toHaveLength(1);
  });

  it('uses the day of each exchange, and converts', () => {
    const hongKong = at('2024-03-05T09:45:00+08:00');
    const world = known({ now: { [TENCENT]: '308' }, before: { [TENCENT]: '300' } });
    world.trade('buy', '100', '304', hongKong, TENCENT);
    expect(profit(world)).toBe('50');
    const later = { ...world.sources, now: () => at('2024-03-06T10:00:00+08:00') };
    expect(dayProfit(later)?.toString()).toBe('100');
  });

  it('is unknown if a price is missing, and never invented', () => {
    const world = known({ now: { [AAPL]: '9' } });
    world.trade('buy', '100', '7', YESTERDAY);
    expect(profit(world)).toBeUndefined();
  });
});

describe('the exposure of all other symbols', () => {
  const OTHER = securitySymbol('SPY.US');
  const beside = (world: ReturnType<typeof known>, symbol = AAPL) => {
    const all = exposureExcept(symbol, world.sources);
    return all === undefined ? undefined : [all.gross, all.mostLong, all.mostShort].map(String);
  };

  it('leaves out the symbol of the order itself', () => {
    const world = known({ now: { [AAPL]: '10' } });
    world.trade('buy', '100', '10', YESTERDAY);
    expect(beside(world)).toEqual(['0', '0', '0']);
  });

  it('converts, and counts open orders as filled at the higher price (I-6)', () => {
    const world = known({ now: { [TENCENT]: '300' } });
    world.trade('buy', '100', '300', YESTERDAY, TENCENT);
    const terms = termsOf({ symbol: TENCENT, type: 'LO', price: decimal('320'), quantity: decimal('100') });
    for (const event of acked(intentOf('OPEN', { terms }))) world.fold.apply(event);
    expect(beside(world)).toEqual(['8000', '8000', '4000']);
  });

  it('counts a symbol that the bot does not trade at its cost, and is unknown without one', () => {
    const world = known();
    world.trade('buy', '10', '500', YESTERDAY, OTHER);
    expect(beside(world)).toEqual(['5000', '5000', '5000']);
    world.trade('buy', '100', '300', YESTERDAY, TENCENT);
    expect(beside(world)).toBeUndefined();
  });
});

describe('trading time', () => {
  const between = (from: string, to: string, sessions: Parameters<typeof tradingTime>[2] = 'rth-only') =>
    tradingTime('US', { from: at(from), to: at(to) }, sessions, 7_200_000) / 1_000;

  it('does not advance at night, over weekends and holidays, and on a half day from noon on (I-10)', () => {
    expect(between('2024-03-05T15:59:58-05:00', '2024-03-06T09:30:03-05:00')).toBe(5);
    expect(between('2024-03-08T15:59:59-05:00', '2024-03-11T09:30:01-04:00')).toBe(2);
    expect(between('2024-07-03T12:59:59-04:00', '2024-07-05T09:30:00-04:00')).toBe(1);
  });

  it('continues before and after hours for an order that trades then', () => {
    expect(between('2024-03-05T15:59:00-05:00', '2024-03-05T16:01:00-05:00')).toBe(60);
    expect(between('2024-03-05T15:59:00-05:00', '2024-03-05T16:01:00-05:00', 'any-time')).toBe(120);
  });

  it('does not advance over lunch in Hong Kong', () => {
    const span = { from: at('2024-03-05T11:59:59+08:00'), to: at('2024-03-05T13:00:02+08:00') };
    expect(tradingTime('HK', span, 'rth-only', 60_000)).toBe(3_000);
  });

  it('is zero backwards, and at most the requested span, however long ago', () => {
    expect(between('2024-03-05T12:00:00-05:00', '2024-03-05T11:00:00-05:00')).toBe(0);
    expect(between('1990-01-01T12:00:00-05:00', '2024-03-05T11:00:00-05:00')).toBe(7_200);
  });
});

describe('a session', () => {
  it('includes the time of its next change', () => {
    expect(sessionFact('US', at('2024-03-05T10:00:00-05:00'))).toEqual({
      kind: 'regular',
      until: at('2024-03-05T16:00:00-05:00'),
    });
    expect(sessionFact('HK', at('2024-03-05T12:30:00+08:00'))).toEqual({
      kind: 'closed',
      until: at('2024-03-05T13:00:00+08:00'),
    });
    expect(sessionFact('HK', at('2024-03-05T20:00:00+08:00'))).toEqual({
      kind: 'closed',
      until: at('2024-03-06T00:00:00+08:00'),
    });
  });

  it.each([
    ['the morning of a half day', 'HK', '2025-12-24T11:00:00+08:00', 'regular', '2025-12-24T12:00:00+08:00'],
    ['a half day from noon on', 'HK', '2025-12-24T13:30:00+08:00', 'closed', '2025-12-25T00:00:00+08:00'],
    [
      'half a day before a holiday',
      'US',
      '2025-11-28T12:59:00-05:00',
      'regular',
      '2025-11-28T13:00:00-05:00',
    ],
    ['a typhoon', 'HK', '2023-09-01T10:30:00+08:00', 'closed', '2023-09-02T00:00:00+08:00'],
    ['an auction', 'HK', '2025-09-03T09:10:00+08:00', 'opening-auction', '2025-09-03T09:30:00+08:00'],
    ['the last auction', 'HK', '2025-09-03T16:05:00+08:00', 'closing-auction', '2025-09-03T16:10:00+08:00'],
  ] as const)(
    'is that of the exchange on %s, and no verdict outlives it (F-B35, I-10)',
    (_when, market, now, kind, until) => {
      expect(sessionFact(market, at(now))).toEqual({ kind, until: at(until) });
    },
  );
});

describe('a quote of a venue that replays bars', () => {
  it('is valid until its bar closes', () => {
    const time = at('2024-03-05T10:00:45-05:00');
    expect(replayedQuoteFact(quoteOf(AAPL, time, 10), '1m')).toMatchObject({
      at: time,
      standsUntil: at('2024-03-05T10:01:00-05:00'),
    });
    expect(replayedQuoteFact(quoteOf(AAPL, time, 10), '1d')).toMatchObject({
      standsUntil: at('2024-03-05T16:00:00-05:00'),
    });
    const evening = at('2024-03-05T21:00:00-05:00');
    expect(replayedQuoteFact(quoteOf(AAPL, evening, 10), '1m').standsUntil).toBeUndefined();
  });
});

describe('the closes from which a day counts', () => {
  const bar = (time: string, close: number): Bar => {
    const prices = { open: close, high: close, low: close, close, volume: 1 };
    return { symbol: AAPL, period: '1m', time: at(time), ...prices };
  };

  it('are the last of the day before, while the new day has its own', () => {
    const closes = createDayCloses();
    const midnight = at('2024-03-06T00:00:00-05:00');
    expect(closes.before(midnight)).toBeUndefined();
    closes.add(bar('2024-03-05T15:58:00-05:00', 10));
    closes.add(bar('2024-03-05T15:59:00-05:00', 11));
    expect(closes.before(midnight)?.price).toBe(11);
    closes.add(bar('2024-03-06T09:30:00-05:00', 12));
    closes.add(bar('2024-03-06T09:31:00-05:00', 13));
    expect(closes.before(midnight)?.price).toBe(11);
    expect(closes.before(at('2024-03-07T00:00:00-05:00'))?.price).toBe(13);
  });
});

describe('the memory of the gate', () => {
  const deny = (fold: ReturnType<typeof createFold>, time: number, id: string): void => {
    for (const event of acked(intentOf(id)).slice(0, 1)) fold.apply(event);
    const why = { rule: 'r', reason: '', numbers: [] };
    fold.apply({ kind: 'intent-denied', at: millis(time), intentId: intentId(id), ...why });
  };

  it('covers an hour, and at most a fixed number (I-23)', () => {
    const fold = createFold();
    deny(fold, 0, 'A');
    deny(fold, 3_599_999, 'B');
    expect(fold.state.gate.denials).toHaveLength(2);
    deny(fold, 3_600_000, 'C');
    expect(fold.state.gate.denials.map(({ at: time }) => time)).toEqual([3_599_999, 3_600_000]);
    for (let count = 0; count < RECENT_MAX; count += 1) deny(fold, 3_600_001, `D${count}`);
    expect(fold.state.gate.denials).toHaveLength(RECENT_MAX);
  });

  it('counts a fill once, however often it is delivered (I-7)', () => {
    const fold = createFold();
    for (const event of acked(intentOf())) fold.apply(event);
    const fill = filled(fillOf('e1', 'buy', '10', '10'));
    fold.apply(fill);
    fold.apply(fill);
    expect(fold.state.gate.fills).toHaveLength(1);
  });
});
