import { describe, expect, it } from 'vitest';
import { defineStrategy } from '#src/strategy/define-strategy.ts';
import { closes, fall, flat, gap, given, halt, rise } from '#src/testing/testing.ts';
import { fragile } from './planted-bugs.ts';
import { sound } from './sound-strategies.ts';

describe('given a strategy, when a market moves', () => {
  it('an order decided at a close fills at the next open', () => {
    const { orders, fills, position } = given(sound).when(rise(5, 0.1), flat(2));
    expect(orders).toMatchObject([{ side: 'buy', reason: 'up', fate: 'filled', filled: 490 }]);
    expect(fills).toMatchObject([{ time: '2024-01-03T14:30:00.000Z', price: 102 }]);
    expect(position()).toBe(490);
  });

  it('begins with enough bars for every average', () => {
    const { orders } = given(sound, { params: { fast: 20, slow: 80 } }).when(rise(1, 0.01), flat(1));
    expect(orders).toHaveLength(1);
  });

  it('nothing happens in a constant market', () => {
    expect(given(sound).when(flat(30))).toMatchObject({ orders: [], fills: [], equity: 100_000 });
  });

  it('a gap is traded at the price after it', () => {
    const { fills } = given(sound).when(closes(101), gap(-0.1), flat(2));
    expect(fills[0]?.price).toBe(90.9);
  });

  it('an order of one day ends with it while trading is halted', () => {
    const { orders, fills } = given(sound).when(closes(101), halt(3), flat(1));
    expect(orders.map((order) => order.fate)).toEqual(['expired']);
    expect(fills).toEqual([]);
  });

  it('an order that the venue refuses has no effect', () => {
    const refused = given(sound, { trouble: { refuses: [1] } }).when(
      rise(5, 0.1),
      fall(8, 0.2),
      rise(8, 0.2),
    );
    expect(refused.orders.map((order) => order.fate)).toEqual(['refused', 'filled']);
  });

  it('bars that a strategy does not receive move the market nevertheless', () => {
    const unheard = Array.from({ length: 5 }, (_, index) => index);
    const { orders, equity } = given(sound, { trouble: { unheard } }).when(rise(5, 0.1), flat(3));
    expect(orders[0]?.time.slice(0, 10)).toBe('2024-01-09');
    expect(equity).toBeLessThan(100_001);
  });

  it('minutes of Hong Kong trade in lots of 100', () => {
    const hongKong = given(sound, { symbols: ['700.HK'], period: '1m' }).when(rise(5, 0.1), flat(2));
    expect(hongKong.fills).toMatchObject([{ time: '2024-01-02T01:31:00.000Z', quantity: 400 }]);
  });

  it('each symbol moves separately', () => {
    const setting = { symbols: ['A.US', 'B.US'] };
    const { orders } = given(sound, setting).whenEach({ 'A.US': [flat(6)], 'B.US': [rise(5, 0.1), flat(1)] });
    expect(orders.map((order) => order.symbol)).toEqual(['B.US']);
  });

  it('a rebalance pays for its purchases with its sales', () => {
    const rotation = defineStrategy({
      name: 'rotation',
      params: {},
      onBars: ({ bars }, { orders }) => {
        const best = bars.toSorted((one, other) => other.close - one.close)[0]?.symbol;
        return best === undefined ? undefined : orders.rebalance({ [best]: 0.9 });
      },
    });
    const { fills, position } = given(rotation, { symbols: ['A.US', 'B.US'] }).whenEach({
      'A.US': [closes(101, 101, 101, 101)],
      'B.US': [closes(100, 100, 102, 102)],
    });
    expect(fills.map(({ side, symbol }) => `${side} ${symbol}`)).toContain('sell A.US');
    expect([position('A.US'), position('B.US')]).toEqual([0, 882]);
  });

  it('an error that a strategy throws is reported', () => {
    const { error } = given(fragile, { trouble: { refuses: 'all' } }).when(rise(5, 0.1));
    expect(error).toMatch(/threw in onOrder: this cannot be/);
  });

  it('parameters, periods and currencies that do not fit are refused', () => {
    expect(() => given(sound, { params: { fast: 1 } })).toThrow(
      'Cannot set parameter "fast" to "1", want a whole number from 2 to 50',
    );
    expect(() => given(sound, { period: '1w' })).toThrow('want a period up to "1d"');
    expect(() => given(sound, { symbols: ['A.US', '1.HK'] }).when(flat(1))).toThrow(
      'symbols of one currency',
    );
  });
});

describe('a strategy with state', () => {
  const pausing = defineStrategy({
    name: 'pausing',
    params: {},
    state: { initial: { paid: 0, losses: 0 } },
    onBar: ({ symbol, bar }, { state, orders, position }) => {
      if (position(symbol).quantity > 0) return orders.close(symbol);
      if (state.losses >= 2 && bar.close < bar.open) return { state: { ...state, losses: 0 } };
      return state.losses >= 2 ? undefined : orders.buy(symbol, 10);
    },
    onFill: ({ fill }, { state }) => {
      const price = fill.price.toNumber();
      if (fill.side === 'buy') return { state: { ...state, paid: price } };
      return { state: { paid: 0, losses: price < state.paid ? state.losses + 1 : 0 } };
    },
  });

  it('decides from it, and shows it at the end', () => {
    const lost = given(pausing).when(fall(4, 0.04), rise(3, 0.03));
    expect(lost.fills.map((fill) => fill.side)).toEqual(['buy', 'sell', 'buy', 'sell']);
    expect(lost.orders).toHaveLength(4);
    expect(lost.state).toEqual({ paid: 0, losses: 2 });
    expect(given(pausing).when(fall(4, 0.04), rise(3, 0.03), fall(1, 0.01)).state).toEqual({
      paid: 0,
      losses: 0,
    });
  });

  it('starts from its initial state in every situation', () => {
    const [one, other] = [given(pausing).when(fall(2, 0.02)), given(pausing).when(fall(2, 0.02))];
    expect(other.state).toEqual(one.state);
    expect(given(sound).when(flat(2)).state).toBeUndefined();
  });
});
