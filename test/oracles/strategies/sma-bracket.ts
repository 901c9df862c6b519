import { defineStrategy, lag, param, sma } from '@sluice-trading/sluice';
import { rnd, rounded } from './rounded.ts';

/**
 * "flat and close[t-1]<ma[t-1] and close[t]>ma[t]: buy `units` at market with sl=rnd(close*(1-sl),6), tp=rnd(close*(1+tp),6)"
 */
export default defineStrategy({
  name: 'sma-bracket',
  params: {
    n: param.int({ min: 2, max: 200, default: 20, doc: 'Bars in the average' }),
    sl: param.number({ min: 0.001, max: 0.5, default: 0.03, doc: 'Loss at which it is closed' }),
    tp: param.number({ min: 0.001, max: 0.5, default: 0.06, doc: 'Gain at which it is closed' }),
    units: param.int({ min: 1, max: 1_000_000, default: 20, doc: 'Shares bought' }),
  },
  signals: ({ bars, params }) => {
    const average = rounded(sma(bars.close, params.n));
    return { average, before: lag(average, 1), close: lag(bars.close, 1) };
  },
  onBar: ({ symbol, bar }, { params, orders, position, value }) => {
    if (position(symbol).quantity > 0) return undefined;
    if (!(value(symbol, 'close') < value(symbol, 'before') && bar.close > value(symbol, 'average')))
      return undefined;
    return orders.bracket(orders.buy(symbol, params.units), {
      stop: rnd(bar.close * (1 - params.sl), 6),
      target: rnd(bar.close * (1 + params.tp), 6),
    });
  },
});
