import { defineStrategy, param, roc, threshold } from '@sluice-trading/sluice';

/** Holds what has risen over the last months, and nothing once it no longer does. */
export default defineStrategy({
  name: 'momentum',
  doc: 'Buys when the rate of change rises above a level, and sells when it falls below another',
  params: {
    length: param.int({ min: 5, max: 300, default: 120, doc: 'Bars over which the rise is measured' }),
    enter: param.number({ min: 0, max: 50, default: 3, unit: '%', doc: 'Buys when the rise is above this' }),
    leave: param.number({ min: -50, max: 50, default: 0, unit: '%', doc: 'Sells when it is below this' }),
    weight: param.ratio({ default: 0.5, doc: 'Share of equity held while long' }),
  },
  signals: ({ bars, params }) => ({
    rise: threshold(roc(bars.close, params.length), { above: params.enter, below: params.leave }),
  }),
  onSignal: (signal, { params, orders }) =>
    signal.direction === 'up'
      ? orders.targetWeight(signal.symbol, params.weight, 'has risen enough')
      : orders.close(signal.symbol, 'rises no more'),
});
