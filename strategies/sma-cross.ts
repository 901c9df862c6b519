import { crossover, defineStrategy, param, sma } from '@sluice-trading/sluice';

/** Goes long when a fast average crosses above a slow one, and flat when it crosses back. */
export default defineStrategy({
  name: 'sma-cross',
  doc: 'Goes long when a fast average crosses above a slow one, and flat when it crosses back',
  params: {
    fast: param.int({ min: 2, max: 200, default: 10, doc: 'Bars in the fast average' }),
    slow: param.int({ min: 5, max: 400, default: 30, doc: 'Bars in the slow average' }),
    weight: param.ratio({ default: 0.5, doc: 'Share of equity held while long' }),
  },
  signals: ({ bars, params }) => ({
    cross: crossover(sma(bars.close, params.fast), sma(bars.close, params.slow)),
  }),
  onSignal: (signal, { params, orders }) =>
    signal.direction === 'up'
      ? orders.targetWeight(signal.symbol, params.weight, 'fast average crossed above the slow one')
      : orders.close(signal.symbol, 'fast average crossed below the slow one'),
});
