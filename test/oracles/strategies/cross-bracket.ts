import { defineStrategy, lag, param, sma } from '@sluice-trading/sluice';
import { rnd, rounded } from './rounded.ts';

/**
 * "flat, no live order, a[t-1]<s[t-1] and a[t]>s[t]: bracket: market buy 200, stop sell at rnd(close*(1-sl),4), limit sell at
 * rnd(close*(1+tp),4), from the decision close"
 */
export default defineStrategy({
  name: 'cross-bracket',
  params: {
    fast: param.int({ min: 2, max: 200, default: 5, doc: 'Bars in the fast average' }),
    slow: param.int({ min: 3, max: 400, default: 20, doc: 'Bars in the slow average' }),
    sl: param.number({ min: 0.0001, max: 0.5, default: 0.0015, doc: 'Loss at which it is closed' }),
    tp: param.number({ min: 0.0001, max: 0.5, default: 0.0025, doc: 'Gain at which it is closed' }),
    units: param.int({ min: 1, max: 1_000_000, default: 200, doc: 'Shares bought' }),
  },
  signals: ({ bars, params }) => {
    const fast = rounded(sma(bars.close, params.fast));
    const slow = rounded(sma(bars.close, params.slow));
    return { fast, slow, fastBefore: lag(fast, 1), slowBefore: lag(slow, 1) };
  },
  onBar: ({ symbol, bar }, { params, orders, position, value }) => {
    const { quantity, openBuys } = position(symbol);
    if (quantity > 0 || openBuys > 0) return undefined;
    const wasBelow = value(symbol, 'fastBefore') < value(symbol, 'slowBefore');
    if (!(wasBelow && value(symbol, 'fast') > value(symbol, 'slow'))) return undefined;
    return orders.bracket(orders.buy(symbol, params.units), {
      stop: rnd(bar.close * (1 - params.sl), 4),
      target: rnd(bar.close * (1 + params.tp), 4),
    });
  },
});
