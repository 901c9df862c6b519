import { defineStrategy, type IntentId, param, sma } from '@sluice-trading/sluice';
import { rnd, rounded } from './rounded.ts';

/**
 * "every bar: cancel the resting entry order; if flat and close>ma: limit buy `units` at L=rnd(close*0.98,4), sl=rnd(L*0.95,4),
 * tp=rnd(L*1.03,4)"
 */
export function limitDip() {
  let entry: IntentId | undefined;
  return defineStrategy({
    name: 'limit-dip',
    params: {
      n: param.int({ min: 2, max: 200, default: 50, doc: 'Bars in the average' }),
      dip: param.number({ min: 0.001, max: 0.5, default: 0.02, doc: 'How far below the close it buys' }),
      tp: param.number({ min: 0.001, max: 0.5, default: 0.03, doc: 'Gain at which it is closed' }),
      sl: param.number({ min: 0.001, max: 0.5, default: 0.05, doc: 'Loss at which it is closed' }),
      units: param.int({ min: 1, max: 1_000_000, default: 100, doc: 'Shares bought' }),
    },
    signals: ({ bars, params }) => ({ average: rounded(sma(bars.close, params.n)) }),
    onBar: ({ symbol, bar }, { params, orders, position, value }) => {
      const away = entry === undefined ? [] : [orders.cancel({ symbol, intentId: entry })];
      if (position(symbol).quantity > 0 || !(bar.close > value(symbol, 'average'))) return away;
      const price = rnd(bar.close * (1 - params.dip), 4);
      const limit = orders.buy(symbol, params.units, { type: 'LO', price, timeInForce: 'gtc' });
      const exits = { stop: rnd(price * (1 - params.sl), 4), target: rnd(price * (1 + params.tp), 4) };
      return [...away, orders.bracket(limit, exits)];
    },
    onOrder: ({ terms, intentId, outcome }) => {
      if (terms.side === 'buy') entry = outcome === 'working' ? intentId : undefined;
      return undefined;
    },
  });
}
