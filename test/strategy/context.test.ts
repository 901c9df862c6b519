import { describe, expect, it } from 'vitest';
import { millis } from '#src/model/time.ts';
import { type ContextSnapshot, contextOf } from '#src/strategy/context.ts';
import { orderDrafts } from '#src/strategy/order-draft.ts';
import { AAPL, TENCENT } from '../fixtures/market.ts';

const position = { quantity: 100, averageCost: 9, openBuys: 10, openSells: 20 };
const snapshot: ContextSnapshot = {
  now: millis(5),
  equity: 1_000,
  cash: { USD: 900 },
  symbols: { [AAPL]: { position, lastPrice: 10, lotSize: 1, values: { fast: 3 } } },
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
