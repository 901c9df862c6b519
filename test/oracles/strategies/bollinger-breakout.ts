import { bollinger, defineStrategy, param } from '@sluice-trading/sluice';
import { rounded } from './rounded.ts';

/** "flat and close>top: buy floor(0.95*equity/close) at market; in position and close<mid: close" */
export default defineStrategy({
  name: 'bollinger-breakout',
  params: {
    n: param.int({ min: 2, max: 200, default: 20, doc: 'Bars in the band' }),
    k: param.number({ min: 0.1, max: 10, default: 2, doc: 'Deviations from the middle to the top' }),
    frac: param.ratio({ default: 0.95, doc: 'Share of equity that is bought' }),
  },
  signals: ({ bars, params }) => {
    const { upper, middle } = bollinger(bars.close, params.n, params.k);
    return { top: rounded(upper), mid: rounded(middle) };
  },
  onBar: ({ symbol, bar }, { params, orders, position, value, equity }) => {
    if (position(symbol).quantity > 0) {
      return bar.close < value(symbol, 'mid') ? orders.close(symbol) : undefined;
    }
    if (!(bar.close > value(symbol, 'top'))) return undefined;
    return orders.buy(symbol, Math.floor((params.frac * equity) / bar.close));
  },
});
