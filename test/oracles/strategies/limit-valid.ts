import { defineStrategy, type IntentId, param, sma } from '@sluice-trading/sluice';
import { rnd, rounded } from './rounded.ts';

/**
 * "flat, no live order, close>ma: limit buy at rnd(close*(1-dip),4), valid_until = timestamp of bar t+3"; "in position and
 * t - (bar of the entry fill) >= 10, no live order: close at market". The limit is taken back at the close of its last bar,
 * and counts as live until the next.
 */
export function limitValid() {
  let t = 0;
  let filledAt = 0;
  let sentAt = Number.NEGATIVE_INFINITY;
  let entry: IntentId | undefined;
  return defineStrategy({
    name: 'limit-valid',
    params: {
      n: param.int({ min: 2, max: 200, default: 40, doc: 'Bars in the average' }),
      dip: param.number({ min: 0.001, max: 0.5, default: 0.006, doc: 'How far below the close it buys' }),
      valid: param.int({ min: 1, max: 100, default: 3, doc: 'Bars that the limit lives' }),
      hold: param.int({ min: 1, max: 100, default: 10, doc: 'Bars that it holds' }),
      units: param.int({ min: 1, max: 1_000_000, default: 150, doc: 'Shares bought' }),
    },
    signals: ({ bars, params }) => ({ average: rounded(sma(bars.close, params.n)) }),
    onBar: ({ symbol, bar }, { params, orders, position, value }) => {
      t += 1;
      const { quantity, openSells } = position(symbol);
      if (quantity > 0) {
        return t - filledAt >= params.hold && openSells === 0 ? orders.close(symbol) : undefined;
      }
      if (t - sentAt === params.valid && entry !== undefined)
        return orders.cancel({ symbol, intentId: entry });
      if (t - sentAt <= params.valid && sentAt > filledAt) return undefined;
      if (!(bar.close > value(symbol, 'average'))) return undefined;
      sentAt = t;
      const price = rnd(bar.close * (1 - params.dip), 4);
      return orders.buy(symbol, params.units, { type: 'LO', price, timeInForce: 'gtc' });
    },
    onFill: ({ fill }) => {
      if (fill.side === 'buy') filledAt = t + 1;
      return undefined;
    },
    onOrder: ({ terms, intentId, outcome }) => {
      if (terms.side === 'buy') entry = outcome === 'working' ? intentId : undefined;
      return undefined;
    },
  });
}
