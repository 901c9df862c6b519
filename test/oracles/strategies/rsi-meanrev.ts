import { defineStrategy, lag, param, rsi } from '@sluice-trading/sluice';
import { rounded } from './rounded.ts';

/** "flat: rsi[t-1]>=30 and rsi[t]<30 -> buy 100 at market; in position: rsi[t]>55 -> close at market" */
export default defineStrategy({
  name: 'rsi-meanrev',
  params: {
    n: param.int({ min: 2, max: 200, default: 14, doc: 'Bars in the index' }),
    low: param.number({ min: 1, max: 99, default: 30, doc: 'Buys when the index falls below' }),
    exit: param.number({ min: 1, max: 99, default: 55, doc: 'Closes above' }),
    units: param.int({ min: 1, max: 1_000_000, default: 100, doc: 'Shares bought' }),
  },
  signals: ({ bars, params }) => {
    const index = rounded(rsi(bars.close, params.n));
    return { index, before: lag(index, 1) };
  },
  onBar: ({ symbol }, { params, orders, position, value }) => {
    const index = value(symbol, 'index');
    if (position(symbol).quantity > 0) return index > params.exit ? orders.close(symbol) : undefined;
    const fell = value(symbol, 'before') >= params.low && index < params.low;
    return fell ? orders.buy(symbol, params.units) : undefined;
  },
});
