import { defineStrategy, param, rsi, threshold } from '@sluice-trading/sluice';

/** Buys dips in minute bars of Hong Kong, in whole lots, and sells once they have recovered. */
export default defineStrategy({
  name: 'hk-intraday',
  doc: 'Buys when the relative strength index of minutes falls low, and sells when it has recovered',
  params: {
    length: param.int({ min: 2, max: 200, default: 14, doc: 'Bars in the relative strength index' }),
    entry: param.number({ min: 1, max: 50, default: 22, doc: 'Buys when the index falls below this' }),
    exit: param.number({ min: 50, max: 99, default: 60, doc: 'Sells when it rises above this' }),
    weight: param.ratio({ default: 0.2, doc: 'Share of equity held while long' }),
  },
  signals: ({ bars, params }) => ({
    strength: threshold(rsi(bars.close, params.length), { below: params.entry, above: params.exit }),
  }),
  onSignal: (signal, { params, orders }) =>
    signal.direction === 'down'
      ? orders.targetWeight(signal.symbol, params.weight, 'fell too fast')
      : orders.close(signal.symbol, 'has recovered'),
});
