import { defineStrategy, type IntentId, param, sma } from '@sluice-trading/sluice';
import { ALL_IN, rnd, rounded } from './rounded.ts';
import { seededAtr } from './seeded-atr.ts';

/**
 * "flat, no resting order, close>ma: buy all-in at market with sl=s, s=rnd(close-3*atr,6)"; "in a position: raise the trade's
 * stop to s whenever s is above it (the moved stop is live from the next bar)". The stop is sent when the entry's fill is reported; the first
 * decision is one bar after the average is known.
 */
export function atrTrail() {
  let level = 0;
  let asked = false;
  let stop: IntentId | undefined;
  return defineStrategy({
    name: 'atr-trail',
    params: {
      k: param.number({ min: 0.1, max: 20, default: 3, doc: 'True ranges to the stop' }),
      m: param.int({ min: 2, max: 400, default: 50, doc: 'Bars in the average' }),
    },
    signals: ({ bars, params }) => ({
      average: rounded(sma(bars.close, params.m)),
      range: rounded(seededAtr(bars)),
    }),
    onBar: ({ symbol, bar }, { params, orders, position, value }) => {
      const isFirst = !asked;
      asked = true;
      const lowest = rnd(bar.close - params.k * value(symbol, 'range'), 6);
      if (position(symbol).quantity === 0) {
        if (isFirst || !(bar.close > value(symbol, 'average'))) return undefined;
        level = lowest;
        return orders.buy(symbol, ALL_IN);
      }
      if (stop === undefined || lowest <= level) return undefined;
      level = lowest;
      return orders.replace({ symbol, intentId: stop }, { triggerPrice: level });
    },
    onFill: ({ symbol, fill }, { orders }) =>
      fill.side === 'sell'
        ? undefined
        : orders.sell(symbol, fill.quantity, { type: 'MIT', triggerPrice: level, timeInForce: 'gtc' }),
    onOrder: ({ terms, intentId, outcome }) => {
      if (terms.side === 'sell' && outcome === 'working') stop = intentId;
      return undefined;
    },
  });
}
