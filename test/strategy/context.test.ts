import { describe, expect, it } from 'vitest';
import { decimal } from '#src/model/decimal.ts';
import { millis } from '#src/model/time.ts';
import { type ContextSnapshot, contextOf } from '#src/strategy/context.ts';
import { orderDrafts } from '#src/strategy/order-draft.ts';
import type { SecurityFigures } from '#src/strategy/security-figures.ts';
import { AAPL, TENCENT } from '../fixtures/market.ts';

const position = { quantity: 100, averageCost: 9, openBuys: 10, openSells: 20 };
const snapshot: ContextSnapshot = {
  now: millis(5),
  equity: 1_000,
  cash: { USD: 900 },
  symbols: {
    [AAPL]: {
      position,
      lastPrice: 10,
      security: { lotSize: 1, kind: 'stock', rate: 1 },
      values: { fast: 3 },
    },
  },
};
const own = { params: { fast: 2 }, symbols: [AAPL], orders: orderDrafts };

describe('the context of a hook', () => {
  it('has the facts of the moment at which the strategy is called', () => {
    const context = contextOf(snapshot, own);
    expect(context).toMatchObject({ now: 5, equity: 1_000, params: { fast: 2 }, symbols: [AAPL] });
    expect(context.position(AAPL)).toEqual(position);
    expect(context.lastPrice(AAPL)).toBe(10);
    expect(context.value(AAPL, 'fast')).toBe(3);
    expect(context.cash('USD')).toBe(900);
    expect(context.cash('HKD')).toBe(0);
  });

  it('refuses a symbol that the strategy does not trade, instead of a position that stays flat for ever', () => {
    const context = contextOf(snapshot, own);
    const reads = [
      () => context.position(TENCENT),
      () => context.lastPrice(TENCENT),
      () => context.value(TENCENT, 'fast'),
      () => context.lotSize(TENCENT),
      () => context.tickSize(TENCENT, 10),
      () => context.roundToTick(TENCENT, 10),
      () => context.sharesFor(TENCENT, 1_000, 10),
    ];
    for (const read of reads)
      expect(read).toThrow(new RangeError('"700.HK" is none of the symbols of this strategy (AAPL.US)'));
    expect(() => context.position('APPL.US' as typeof AAPL)).toThrow('did you mean "AAPL.US"?');
    expect(() => context.position('constructor' as typeof AAPL)).toThrow(RangeError);
    expect(() => context.value(AAPL, undefined as unknown as string)).toThrow(
      new RangeError("value wants a symbol and the name of one of this strategy's signals (fast)"),
    );
  });

  it('has no value for an unknown name, and suggests the nearest one', () => {
    const context = contextOf(snapshot, own);
    expect(() => context.value(AAPL, 'fats')).toThrow(
      new RangeError('"fats" is none of this strategy\'s signals (fast), did you mean "fast"?'),
    );
    expect(() => context.value(AAPL, 'constructor')).toThrow(RangeError);
  });
});

describe('order drafts', () => {
  it('are plain data, and carry a reason only when there is one', () => {
    expect(orderDrafts.targetWeight(AAPL, 0.5)).toStrictEqual({
      kind: 'target-weight',
      symbol: AAPL,
      weight: 0.5,
    });
    expect(orderDrafts.targetQuantity(AAPL, '7', 'seven')).toStrictEqual({
      kind: 'target-quantity',
      symbol: AAPL,
      quantity: '7',
      reason: 'seven',
    });
    expect(orderDrafts.close(AAPL)).toStrictEqual({ kind: 'target-quantity', symbol: AAPL, quantity: 0 });
    expect(orderDrafts.buy(AAPL, 3)).toStrictEqual({
      kind: 'order',
      symbol: AAPL,
      side: 'buy',
      quantity: 3,
    });
    expect(orderDrafts.sell(AAPL, 3, { type: 'LO', price: '9.5' })).toStrictEqual({
      kind: 'order',
      symbol: AAPL,
      side: 'sell',
      quantity: 3,
      terms: { type: 'LO', price: '9.5' },
    });
  });
});

describe('prices and quantities of a security', () => {
  const hongKong = (security: Partial<SecurityFigures> = {}, day = '2024-03-04') =>
    contextOf(
      {
        now: millis(Date.parse(`${day}T03:00:00Z`)),
        equity: 1_000,
        symbols: {
          [TENCENT]: {
            position,
            lastPrice: 300,
            security: { lotSize: 100, kind: 'stock', rate: 0.125, ...security },
            values: {},
          },
        },
      },
      { ...own, symbols: [TENCENT] },
    );

  it('are those of the market on the day of the event', () => {
    const { lotSize, tickSize, roundToTick } = hongKong();
    expect(lotSize(TENCENT)).toBe(100);
    // Bands of the spread table of the exchange before August 2025: 0.05 from 20, 0.2 from 200.
    expect([tickSize(TENCENT, 41.5), tickSize(TENCENT, '300')]).toEqual([0.05, 0.2]);
    expect((['down', 'up', 'nearest'] as const).map((way) => roundToTick(TENCENT, 41.53, way))).toEqual([
      41.5, 41.55, 41.55,
    ]);
    expect(roundToTick(TENCENT, 41.52)).toBe(41.5);
    expect(roundToTick(TENCENT, 0.1 + 0.2, 'up')).toBe(0.305);
    expect(hongKong({}, '2025-09-01').tickSize(TENCENT, 41.5)).toBe(0.02);
    expect(hongKong({ tick: 0.5 }).roundToTick(TENCENT, decimal('41.3'))).toBe(41.5);
  });

  it('have no tick without a price, and at least one tick with any', () => {
    const { tickSize, roundToTick } = hongKong();
    expect([tickSize(TENCENT, Number.NaN), roundToTick(TENCENT, Number.NaN)]).toEqual([
      Number.NaN,
      Number.NaN,
    ]);
    expect(roundToTick(TENCENT, 0.0001, 'down')).toBe(0.001);
    expect(() => roundToTick(TENCENT, 41, 'Up' as 'up')).toThrow(
      new RangeError('roundToTick wants "down", "up", "nearest", not "Up"'),
    );
  });

  it('size an order by an amount of the account and a price, or a distance to a stop, in whole lots', () => {
    const { sharesFor } = hongKong();
    // 10,000 USD are 80,000 HKD: 266 shares at 300.
    expect(sharesFor(TENCENT, 10_000, 300)).toBe(200);
    // 100 USD at risk are 800 HKD: 400 shares lose them at 2 HKD each.
    expect(sharesFor(TENCENT, 100, 2)).toBe(400);
    // In floats 0.3 / 0.1 is 2.9999999999999996.
    expect(hongKong({ lotSize: 1, rate: 1 }).sharesFor(TENCENT, 0.3, 0.1)).toBe(3);
    expect(hongKong({ lotSize: 0.01, rate: 1 }).sharesFor(TENCENT, 1, 3)).toBe(0.33);
  });

  it.each([
    ['a price that is not known', 1_000, Number.NaN, {}],
    ['a stop without distance', 1_000, 0, {}],
    ['an amount below a lot', 1, 300, {}],
    ['a loss', -1_000, 300, {}],
    ['an exchange rate that is not known', 10_000, 300, { rate: Number.NaN }],
  ])('size nothing for %s', (_what, amount, perShare, security) => {
    expect(hongKong(security).sharesFor(TENCENT, amount, perShare)).toBe(0);
  });
});
